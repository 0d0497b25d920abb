"""What is shown of a record's text: nothing but the space between its tokens is another one, and of a long one a piece."""

from __future__ import annotations

import json
import re
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajview.app.raw import place as raw_place
from trajview.app.raw import text as raw_text
from trajview.app.raw.text import shown_of
from trajview.models.messages import ChatMessage, UserMessage
from trajview.models.transcript import Transcript

from .driving import reading
from .logs import chat, write_jsonl
from .test_app_raw import raw, raw_at, title, under_cursor

TEXT = st.text(max_size=8) | st.sampled_from(['"', "\\", "},{", '}, {"', "[", "é", "\ud83d", "\n"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


def tokens(text: str) -> str:
    """A text without the white space that stands between strings."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda match: match[1] or "", text)


def spread(text: str) -> str:
    return shown_of(text.encode(), None).text


@given(VALUES.filter(lambda value: isinstance(value, dict | list)), st.booleans())
def test_a_record_is_spread_and_otherwise_what_it_is(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "replace").decode()
    assert tokens(spread(text)) == tokens(text)
    taken_by_python_alone = f"[NaN, {text}]"
    assert tokens(spread(taken_by_python_alone)) == tokens(taken_by_python_alone)


def test_numbers_escapes_and_keys_that_are_there_twice_stay_as_they_are_spelled() -> None:
    assert (
        spread(r'{"a": 1.10, "a": 1e400, "b": "\u00e9\/"}') == '{\n  "a": 1.10,\n  "a": 1e400,\n  "b": "\\u00e9\\/"\n}'
    )


def test_what_only_pythons_reader_takes_is_spread_as_well() -> None:
    assert spread(r'{"a": NaN, "b": [1, {}, "\ud83d"], "c": []}') == (
        '{\n  "a": NaN,\n  "b": [\n    1,\n    {},\n    "\\ud83d"\n  ],\n  "c": []\n}'
    )


def test_what_is_no_json_or_has_lines_of_its_own_stays_as_it_is() -> None:
    for text in ("a: b\n", '{"a":\n 1,\n "b": 2\n}', "", "plain {text}, [1]"):
        assert spread(text) == text


def test_very_many_brackets_in_a_row_are_not_ever_wider() -> None:
    assert len(spread("[" * 20_000)) < 20_000 * 130


def long_record(monkeypatch: pytest.MonkeyPatch, count: int) -> tuple[bytes, Transcript]:
    monkeypatch.setattr(raw_text, "WHOLE", 1000)
    monkeypatch.setattr(raw_text, "PIECE", 600)
    monkeypatch.setattr(raw_place, "STEP", 64)
    messages: list[ChatMessage] = [UserMessage(content=f"this is é number {number}.") for number in range(count)]
    record = {"id": "a", "messages": [{"role": "user", "content": message.text} for message in messages]}
    return json.dumps(record, ensure_ascii=False).encode(), Transcript(messages=messages)


@pytest.mark.parametrize("number", [0, 1, 57, 98, 99])
def test_of_a_long_record_the_piece_with_the_message_is_shown(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    data, transcript = long_record(monkeypatch, 100)
    shown = shown_of(data, (transcript, number))
    assert shown.end - shown.begin < 1000
    assert tokens(shown.text) == tokens(data[shown.begin : shown.end].decode())
    assert shown.place is not None
    assert shown.text[shown.place :].startswith(f'"this is é number {number}."')
    assert data[shown.begin :].startswith(b'{"')


def test_of_messages_that_say_the_same_the_one_where_it_should_be_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    _, transcript = long_record(monkeypatch, 0)
    said = [f"{'and so on ' * 3}{number % 4}." for number in range(200)]
    transcript.messages = [UserMessage(content=text) for text in said]
    places = []
    for number in range(len(said)):
        places.append(len(json.dumps([{"role": "user", "content": each} for each in said[:number]])))
    data = json.dumps([{"role": "user", "content": text} for text in said]).encode()
    for number in (0, 5, 77, 198):
        place, _ = raw_place.place_near(data, transcript, number, monotonic() + 60)
        assert abs(place - places[number]) < 40
        shown = shown_of(data, (transcript, number))
        assert shown.place is not None
        before = shown.text[: shown.place].count(said[number])
        assert before == data[shown.begin : place].decode().count(said[number])


def test_a_message_that_another_one_begins_like_is_told_from_it_by_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    _, transcript = long_record(monkeypatch, 0)
    said = ["the same " * 40 + f"{number}" for number in range(60)]
    transcript.messages = [UserMessage(content=text) for text in said]
    data = json.dumps(said).encode()
    for number in (0, 20, 59):
        place, _ = raw_place.place_near(data, transcript, number, monotonic() + 60)
        assert place == len(json.dumps(said[:number])) + (1 if number else -1)


def test_a_search_that_takes_too_long_ends_where_the_message_should_be(monkeypatch: pytest.MonkeyPatch) -> None:
    data, transcript = long_record(monkeypatch, 100)
    place, found = raw_place.place_near(data, transcript, 50, monotonic() - 1)
    assert not found
    assert abs(place - len(data) // 2) < 100


def test_a_message_that_is_not_found_is_shown_about_where_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    data, transcript = long_record(monkeypatch, 100)
    transcript.messages = [UserMessage(content="something else")] * 100
    shown = shown_of(data, (transcript, 50))
    assert shown.begin < len(data) // 2 < shown.end
    assert shown.place is None
    assert shown_of(data, None).begin == 0


async def test_the_screen_says_which_part_of_a_long_record_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_text, "WHOLE", 1000)
    monkeypatch.setattr(raw_text, "PIECE", 600)
    record = chat("a", *(f"this is number {number}." for number in range(100)))
    log = write_jsonl(tmp_path / "log.jsonl", [record])
    async with reading(log, size=(160, 24)) as reader:
        await raw_at(reader, "m60")
        assert "this is number 60." in under_cursor(reader)
        assert "are here (ctrl+o opens the file)" in title(reader)
        session = raw(reader).view.session
        assert session is not None
        assert len(session.messages[0].text) < 2000
