"""What can be read in decoded values, and which are too deep to be written out."""

from __future__ import annotations

from typing import Any

import pytest

from trajview.formats.plain import as_json
from trajview.models.said import is_deep


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def test_what_nobody_can_read_written_out_is_deep() -> None:
    assert not is_deep("text")
    assert not is_deep({"a": [1, {"b": nested(500)}], "c": nested(1)})
    assert is_deep(nested(5_000))
    assert is_deep({"a": [1, {"b": nested(5_000)}]})


def test_what_holds_itself_is_not_taken_for_deep() -> None:
    value: dict[str, Any] = {}
    value["itself"] = [value, {"again": value}]
    assert not is_deep(value)


@pytest.mark.parametrize("indent", [None, 2])
def test_what_is_deep_is_said_to_be_whatever_python_can_write(indent: int | None) -> None:
    assert as_json(nested(5_000), indent) == "(list nested too deeply to be shown)"
    assert as_json(nested(2), None) == "[[[]]]"
