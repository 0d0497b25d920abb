"""Lines of a session that stay bytes are sorted, summed up and opened as decoded ones are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from trajview.corpus import reader
from trajview.corpus.corpus import Corpus
from trajview.corpus.decode import decode_json
from trajview.corpus.json_lines import decode_lines
from trajview.corpus.json_records import json_records
from trajview.corpus.record import DECODED, RecordLook
from trajview.corpus.scan import Undecoded
from trajview.formats import messages, registry
from trajview.formats.base import Origin
from trajview.formats.events import Session, session_of
from trajview.formats.logged import Elements, RecordReader
from trajview.models.run import AgentRun

from .block_strategies import ID, ODD, TEXT, blocks
from .opened import assert_same_run

SAID = {"role": "user", "content": "x"}
ORIGIN = Origin(Path("session.jsonl"), 0, 1)


def _without_model_of_no_message(item: dict[str, Any]) -> dict[str, Any]:
    """What is no message has no model, but in its own words."""
    return item if "role" in item else {key: value for key, value in item.items() if key != "model"}


def items(*, odd_ones: bool = True) -> st.SearchStrategy[Any]:
    content = st.one_of(TEXT, st.lists(blocks(), max_size=3))
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "local_shell_call", "ghost"]
            ) | (ODD if odd_ones else st.nothing()),
            "role": st.sampled_from(["user", "assistant", "developer", "nobody"]), "content": content | st.none(), "id": ID, "call_id": st.sampled_from(["c1", "c2"]),
            "summary": st.just([{"type": "summary_text", "text": "so"}]), "name": TEXT, "model": st.sampled_from(["m1", "m2"]),
            "arguments": st.sampled_from(["{}", "{torn", '{"a": 1}']), "input": TEXT,
            "output": TEXT | st.sampled_from(['{"output": "x\\n", "metadata": {"exit_code": 1}}', "exit code 3", [{"type": "input_text", "text": "x"}]]),
            **({"from": ODD, "author": ODD, "metadata": ODD, "tool_calls": ODD} if odd_ones else {}),
        },
    ).map(_without_model_of_no_message)  # fmt: skip


def events(*, odd_ones: bool = True) -> st.SearchStrategy[Any]:
    content = st.one_of(TEXT, st.lists(blocks(), max_size=3))
    role = st.sampled_from(["user", "assistant", "user"])
    message = st.fixed_dictionaries(
        {"role": role, "content": content},
        optional={
            "id": ID,
            "model": st.sampled_from(["m1", "m2"]),
            "usage": st.just({"input_tokens": 1}),
            "stop_reason": TEXT,
        },
    )
    odd_message = st.fixed_dictionaries(
        {},
        optional={
            "role": role | ODD,
            "content": content | ODD,
            "model": ODD,
            "metadata": ODD,
            "tool_calls": ODD,
            "timestamp": TEXT,
        },
    )
    said_once = {
        "sessionId": st.sampled_from(["s1", "s1", "s2"]), "cwd": st.sampled_from(["/a", "/b"]), "version": st.just("1"),
        "gitBranch": ODD, "userType": TEXT, "entrypoint": TEXT, "slug": TEXT, "session_id": ID,
    }  # fmt: skip
    beside_it = {
        "uuid": ID, "parentUuid": ID | st.none(), "timestamp": TEXT, "isMeta": st.booleans(), "requestId": TEXT,
        "toolUseResult": st.sampled_from(["ok", {"stdout": "exit code 1"}, {"agentId": "a1"}, {"exit_code": 1}]),
    }  # fmt: skip
    plain = st.fixed_dictionaries(
        {
            "isSidechain": st.sampled_from([False, False, True]),
            "type": st.sampled_from(["user", "assistant", "user", "assistant", "response_item", "summary"]),
            "message": message,
        },
        optional={**beside_it, "sessionId": st.sampled_from(["s1", "s1", 5]), "cwd": st.just("/a"), "payload": ODD},
    )
    odd = st.fixed_dictionaries(
        {"type": st.sampled_from(["user", "assistant", "summary", "system", "response_item", "file-history-snapshot", "queue"])},
        optional={
            **said_once, **beside_it, "message": message | odd_message | ODD, "isSidechain": st.booleans() | ODD, "summary": TEXT | ODD,
            "agentId": st.sampled_from(["a1", "a2"]) | ODD, "content": TEXT | ODD, "snapshot": ODD, "role": role, "messages": ODD,
            "payload": ODD | st.fixed_dictionaries({"type": st.sampled_from(["message", "function_call", "reasoning"])},
                                                   optional={"role": role, "content": content, "id": ID, "arguments": TEXT}),
        },
    )  # fmt: skip
    item = items(odd_ones=odd_ones)
    held = st.fixed_dictionaries(
        {"type": st.sampled_from(["response_item", "response_item", "response_item", "event_msg", "turn_context"]), "payload": item},
        optional={"timestamp": TEXT, **(said_once | beside_it if odd_ones else {}), "isSidechain": st.booleans()},
    )  # fmt: skip
    said = st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "tool"]), "content": content},
        optional={"tool_call_id": ID, "model": TEXT, "metadata": ODD if odd_ones else st.just({"a": 1}), "mood": TEXT},
    )
    return (
        st.one_of(plain, plain, held, odd, said, ODD) if odd_ones else st.one_of(plain, plain, plain, plain, held, said)
    )


@pytest.fixture(autouse=True, scope="module")
def nothing_is_small() -> Iterator[None]:
    """So that short sessions are opened as long ones are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "UNDECODED_FROM", 0)
        yield


def decode(data: bytes | memoryview) -> Any:
    return decode_json(data)[0]


def assert_same_as_shown(run: AgentRun, read: AgentRun) -> None:
    """That they are the same, and that this is seen on the screen: the keys have the same order, too."""
    assert_same_run(run, read)
    assert json.dumps(run.to_docent()) == json.dumps(read.to_docent())


FIRST = {"type": "user", "message": SAID, "isSidechain": False, "sessionId": "s1", "cwd": "/a"}
ROUTINE = st.lists(events(odd_ones=False), min_size=2, max_size=9).map(lambda rest: [FIRST, *rest])
SAID_BEFORE = st.lists(events(odd_ones=False), min_size=2, max_size=9).map(
    lambda rest: [{**FIRST, "sessionId": 5}, *rest]
)
META = {"type": "session_meta", "payload": {"id": "s1"}}
ITEMS = st.lists(
    st.fixed_dictionaries({"type": st.just("response_item"), "timestamp": TEXT, "payload": items(odd_ones=False)})
    | st.fixed_dictionaries({"type": st.just("response_item"), "payload": items()}),
    min_size=1,
    max_size=9,
).map(lambda rest: [META, *rest])
LISTS = st.lists(events(), min_size=1, max_size=9) | ROUTINE | ROUTINE | SAID_BEFORE | ITEMS | ITEMS


def logged(lines: list[Any]) -> Elements:
    """The lines of a file as it is opened: those that can be stay bytes."""
    reader = RecordReader(decode)
    data = "\n".join(map(json.dumps, lines)).encode()
    return reader.joined(decode_lines(data, reader.line))


def sorted_session(lines: list[Any]) -> Session:
    return session_of(logged(lines))


def stay_bytes(items: Sequence[Any]) -> list[bool]:
    assert isinstance(items, Elements)
    return [isinstance(each, Raw) for each in items.logged]


@settings(max_examples=150)
@given(LISTS)
@example([FIRST, {**FIRST, "sessionId": "s2"}, {**FIRST, "isSidechain": True}, FIRST])
@example(
    [
        {"type": "user", "message": SAID, "sessionId": "s1"},
        {"type": "user", "message": SAID, "isSidechain": False},
        FIRST,
    ]
)
@example([{**FIRST, "isSidechain": 5}, {**FIRST, "type": "summary"}, FIRST])
@example(
    [
        {"type": "queue", "sessionId": "s1", "isSidechain": False},
        {"type": "user", "isSidechain": True, "message": {"role": "user", "content": "x"}},
    ]
)
@example(
    [
        {"role": "user", "content": "x"},
        {"role": "user", "content": "x", "type": "user", "message": {"role": "user", "content": "y"}},
    ]
)
@example(
    [{"type": "user", "message": SAID, "isSidechain": False}, {"type": "user", "message": SAID, "sessionId": "s1"}] * 2
)
@example(
    [{"type": "user", "message": SAID, "isSidechain": False, "x": each} for each in range(3)]
    + [{"type": "user", "message": SAID, "sessionId": "s1"}]
)
@example(
    [
        {"type": "user", "message": SAID, "cwd": 1},
        {"type": "user", "message": SAID, "sessionId": "s1"},
        {"type": "user", "message": SAID, "session_id": "s2"},
    ]
)
@example([META, *({"type": "response_item", "payload": {"type": "reasoning", "tool_calls": each}} for each in ([], 5))])
def test_lines_that_stay_bytes_are_sorted_as_decoded_ones(lines: list[Any]) -> None:
    value, (known, detection) = logged(lines), registry.best(lines)
    assert registry.best(value) == (known, detection)
    assert known.summarise(value, ORIGIN) == known.summarise(lines, ORIGIN)
    assert_same_as_shown(known.read(value, ORIGIN), known.read(lines, ORIGIN))


def event(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": str(number - 1), "isSidechain": False, "cwd": "/a", "sessionId": "s1", "type": role,
        "message": {"role": role, "content": content, **({"model": "m"} if role == "assistant" else {})}, "uuid": str(number), **more,
    }  # fmt: skip


SESSION = [
    {"type": "summary", "summary": "What it was", "leafUuid": "9"},
    event(0, "user", "do it"),
    event(
        1,
        "assistant",
        [{"type": "text", "text": "so"}, {"type": "tool_use", "id": "a", "name": "Bash", "input": {"x": "ls"}}],
    ),
    event(
        2,
        "user",
        [{"type": "tool_result", "tool_use_id": "a", "content": "exit code 1", "is_error": True}],
        toolUseResult="x",
    ),
    event(3, "assistant", "hm", gitBranch="new"),
    event(4, "assistant", "done", cwd="/b"),
    {"type": "file-history-snapshot", "snapshot": {}},
    event(5, "user", "thanks"),
    event(6, "user", "more"),
]


def lines_of(*lines: Any) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_most_lines_of_a_session_stay_bytes() -> None:
    assert stay_bytes(sorted_session(SESSION).main.items) == [False, True, True, False, True, True, True]


def test_most_items_of_a_session_stay_bytes() -> None:
    payloads = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}], "content": None},
        {"type": "function_call", "name": "shell", "arguments": "{torn", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output": "x", "metadata": {"exit_code": 1}}'},
        {"type": "custom_tool_call", "name": "patch", "input": "x", "call_id": "d"},
        {"type": "ghost_snapshot"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    lines = [META, *({"timestamp": "t", "type": "response_item", "payload": each} for each in payloads)]
    lines.insert(3, {"type": "event_msg", "payload": {"type": "token_count"}})
    assert stay_bytes(sorted_session(lines).main.items) == [True] * 6
    assert_same_as_shown(messages.FORMAT.read(logged(lines), ORIGIN), messages.FORMAT.read(lines, ORIGIN))


def test_lines_that_cannot_be_read_are_left_out_and_reported_as_ever(tmp_path: Path) -> None:
    data = (
        lines_of(*SESSION[:4])
        + b"{torn\n\n"
        + lines_of(SESSION[4])
        + b'{"type": "user", "x": "\xff"}\n'
        + lines_of(SESSION[7])
    )
    data += lines_of(SESSION[5]).replace(b"done", b"d\xc3ne") + b'{"type": "us'
    path = tmp_path / "session.jsonl"
    path.write_bytes(data)
    found = []
    for look in (DECODED, Undecoded(thorough=True)):
        with path.open("rb") as file:
            *problems, record = json_records(file, path, True, look)
        found.append((problems, record.offset, record.length, record.line))
    assert found[0] == found[1]
    corpus = Corpus([path])
    corpus.scan()
    (info,) = corpus.infos
    assert_same_as_shown(corpus.load(info), messages.FORMAT.read(decode_lines(data), Origin(path, 0, 1)))


def scanned(path: Path, handed: bool, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """The corpus of one file, in which the scan hands what it reads over to who opens the run, or does not."""
    monkeypatch.setattr("trajview.corpus.scan.LARGE", 0)
    monkeypatch.setattr("trajview.corpus.json_records.LARGE", 0)
    monkeypatch.setattr("trajview.formats.logged.LARGE", 0)
    corpus = Corpus([path])
    if handed:
        corpus.start()
        assert corpus.wait(30)
    else:
        corpus.scan()
    return corpus


@pytest.mark.parametrize("handed", [True, False])
def test_an_array_of_events_is_listed_and_opened_the_same_without_being_decoded(
    tmp_path: Path, handed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(SESSION, indent=1))
    (tmp_path / "agent-old.jsonl").write_bytes(lines_of(event(0, "user", "of no file beside an array")))
    corpus = scanned(path, handed, monkeypatch)
    run = corpus.load(corpus[0])
    assert_same_as_shown(run, messages.FORMAT.read(SESSION, Origin(path, 0, 1)))
    monkeypatch.setattr("trajview.corpus.json_records.LARGE", 1 << 40)
    plain = Corpus([path])
    plain.scan()
    assert plain.infos == corpus.infos


def test_an_array_of_events_with_bytes_that_are_no_text_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(json.dumps(SESSION).encode().replace(b"do it", b"d\xc3 it"))
    corpus = Corpus([path])
    corpus.scan()
    assert [info.messages for info in corpus] == [7]
    assert ["UTF-8" in problem.reason for problem in corpus.problems] == [True]


@pytest.mark.parametrize(
    "lines",
    [
        [*SESSION, {"role": "user", "content": 5}],
        [{"role": "user", "content": "hi"}] * 2 + [7] * 30,
        [{"id": 1, "timestamp": "t", "source": "agent", "action": "message", "args": {"content": "x"}, "message": "x"}]
        * 3,
    ],
)
def test_lines_of_another_format_or_of_odd_types_are_read_as_decoded_ones(lines: list[Any]) -> None:
    value, (known, detection) = logged(lines), registry.best(lines)
    assert registry.best(value) == (known, detection)
    assert known.summarise(value, ORIGIN) == known.summarise(lines, ORIGIN)
    assert_same_as_shown(known.read(value, ORIGIN), known.read(lines, ORIGIN))


@pytest.mark.parametrize("handed", [False, True])
@pytest.mark.parametrize("main", [True, False])
def test_sub_agents_in_files_beside_a_session_are_opened_with_it(
    tmp_path: Path, handed: bool, main: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = SESSION if main else [SESSION[0], {"type": "queue", "sessionId": "s1", "isSidechain": False}]
    side = [event(each, "user", f"side {each}", isSidechain=True, agentId="in") for each in range(3)]
    path = tmp_path / "s1.jsonl"
    path.write_bytes(
        lines_of(*own, *side, event(7, "user", "x", toolUseResult={"agentId": "old"}) if main else side[0])
    )
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-new.jsonl").write_bytes(
        lines_of(event(0, "user", "look"), event(1, "assistant", [{"type": "text", "text": "seen"}]))
    )
    (folder / "agent-new.meta.json").write_text('{"description": "Looks"}')
    (tmp_path / "agent-old.jsonl").write_bytes(lines_of(event(0, "user", "old one")))
    (folder / "agent-in.jsonl").write_bytes(lines_of(event(0, "user", "never twice")))
    corpus = scanned(path, handed, monkeypatch)
    (info,) = corpus.infos
    lazy = corpus.load(info)
    monkeypatch.setattr(reader, "UNDECODED_FROM", 1 << 40)
    assert_same_as_shown(lazy, corpus.load(info))
    assert len(lazy.transcripts) == (4 if main else 1)


def test_a_session_is_listed_the_same_whether_its_lines_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.jsonl").write_bytes(lines_of(*SESSION))
    (tmp_path / "m.jsonl").write_bytes(
        lines_of({"role": "user", "content": "a"}, {"role": "assistant", "content": None})
    )
    (tmp_path / "o.jsonl").write_bytes(lines_of(*SESSION, 5))
    listed = []
    for quickly in (True, False):
        if not quickly:
            monkeypatch.setattr(Undecoded, "line", RecordLook.line)
            monkeypatch.setattr(Undecoded, "joined", RecordLook.joined)
        corpus = Corpus([tmp_path])
        corpus.scan()
        listed.append((sorted(corpus.infos, key=lambda info: info.path), sorted(map(str, corpus.problems))))
    assert listed[0] == listed[1]
    assert [info.messages for info in listed[0][0]] == [2, 8, 7]
