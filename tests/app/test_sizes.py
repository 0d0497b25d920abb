"""Estimates of heights from the sizes of messages alone."""

from __future__ import annotations

from trajview.app.render.options import Fold, ViewOptions
from trajview.app.transcript.sizes import Size, estimates, sizes_of
from trajview.models.messages import AssistantMessage, ToolCall, ToolMessage


def test_an_output_is_estimated_by_what_is_shown_of_it_and_a_text_whole() -> None:
    text: Size = (2, 100, 1, False)
    output: Size = (50, 3_000, 0, True)
    options = ViewOptions(width=104, preview_lines=8)
    assert estimates([text, output], options, Fold.PREVIEW) == [2 + 1 + 3, 2 + 9]
    assert estimates([text, output], options, Fold.OPEN) == [2 + 1 + 3, 2 + 50 + 30]
    assert estimates([text, output], options, Fold.CLOSED) == [3, 3]
    assert estimates([output], ViewOptions(width=104, show_tools=False), Fold.OPEN) == [2 + 1]


def test_the_sizes_are_those_of_text_and_calls() -> None:
    call = ToolCall(id="1", function="bash", arguments={"cmd": "ls"})
    said, answered = sizes_of([AssistantMessage(content="a\nb", tool_calls=[call]), ToolMessage(content="ok")])
    assert said[:2] == (2, 3)
    assert said[2] > 0
    assert answered == (1, 2, 0, True)
