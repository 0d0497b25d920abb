"""What the disagreement screen says: what an episode is called, what stands where it is hidden, and the line below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from trajview.app.keys import key_of
from trajview.app.shared.cells import called
from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.annotation.disagreement import Row
    from trajview.app.agreement.settling import Settling
    from trajview.corpus.info import RunInfo

__all__ = ["furthest_said", "heading", "hidden_said", "name_of", "settling_said"]


def name_of(episode: str, info: RunInfo | None) -> str:
    """What an episode is called, empty where only its id is known."""
    name = called(info) if info is not None else ""
    return "" if name == one_line(episode) else name


def heading(episode: str, info: RunInfo | None) -> Content:
    """What an episode is called, and its id."""
    name, id = name_of(episode, info), one_line(episode)
    pieces = [(f"{name}  ", "bold"), (id, "$foreground 50%")] if name else [(id, "bold")]
    return Content.assemble(*pieces, "\n\n")


def hidden_said(episode: str, info: RunInfo | None) -> Content:
    """What stands where the others' scores would, of an episode that the annotator has not submitted."""
    return Content.assemble(
        heading(episode, info),
        "You have not submitted this episode yet, so what others gave is hidden.\n",
        (
            f"{key_of('open', begins=True)} opens it; {key_of('agreement.reveal')} reveals it, which is kept in "
            "your journal.",
            "$foreground 60%",
        ),
    )


def furthest_said(row: Row, info: RunInfo | None) -> str:
    """Where the annotators of an episode are furthest apart."""
    named = info is not None and row.agent < len(info.agents)
    agent = one_line(info.agents[row.agent], 60) if info is not None and named else f"agent {row.agent + 1}"
    return f"furthest apart: {one_line(row.dimension.label, 40)}, {agent}"


def settling_said(settling: Settling, row: Row, state: str) -> tuple[str, bool]:
    """The row of the gold column under the cursor, what is wrong with its score, and `state`; whether that is wrong."""
    bad = settling.bad(row)
    dimension = row.dimension
    range_text = f" {dimension.range_text}" if dimension.high != float("inf") else ""
    wrong = f": {bad}" if bad else ""
    return f"gold · {one_line(dimension.label, 40)}{range_text}{wrong} · {state}", bool(bad)
