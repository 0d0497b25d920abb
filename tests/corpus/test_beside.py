"""Sub-agents of a coding agent's session whose events are in files of their own, in both layouts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from trajview.corpus import reader
from trajview.corpus.corpus import Corpus
from trajview.models.branches import Entry, branches_of
from trajview.models.run import AgentRun

ROOF, BARN = "Look for birds on the roof, please.", "Look for owls in the barn, please."


def event(role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": content}
    return {"type": role, "sessionId": "s1", "isSidechain": False, "message": message, **more}


def call(id: str, prompt: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "Task", "input": {"description": "look", "prompt": prompt}}


def answer(id: str, text: str, agent: str) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": id, "content": text}
    return event("user", [result], toolUseResult={"status": "completed", "agentId": agent})


MAIN = [
    event("user", "How many birds are there?"),
    event("assistant", [call("t1", ROOF), call("t2", BARN)]),
    answer("t1", "four", "a1"),
    answer("t2", "none", "b2"),
    event("assistant", "Four."),
]


def chain(agent: str, at: str, *said: str) -> list[dict[str, Any]]:
    more = {"isSidechain": True, "agentId": agent, "timestamp": at}
    return [event(("user", "assistant")[i % 2], text, **more) for i, text in enumerate(said)]


def write(path: Path, lines: list[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def opened(path: Path, *, undecoded: bool = False) -> AgentRun:
    with pytest.MonkeyPatch.context() as patch:
        if undecoded:  # as the lines of a long session stay
            patch.setattr(reader, "UNDECODED_FROM", 0)
        corpus = Corpus([path])
        corpus.scan()
        assert len(corpus.infos) == 1
        return corpus.load(corpus.infos[0])


def said(run: AgentRun) -> list[list[str]]:
    return [[message.text for message in transcript.messages] for transcript in run.transcripts]


OWN = ["How many birds are there?", "", "four", "none", "Four."]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A session with its sub-agents in the folder that is named after it."""
    folder = tmp_path / "s1" / "subagents"
    write(folder / "agent-b2.jsonl", chain("b2", "2025-06-01T10:00:02Z", BARN, "I see none."))
    write(folder / "agent-a1.jsonl", chain("a1", "2025-06-01T10:00:09Z", ROOF, "I see four."))
    return write(tmp_path / "s1.jsonl", MAIN)


def test_files_in_the_sessions_folder_are_transcripts_that_their_calls_lead_to(session: Path) -> None:
    for undecoded in (False, True):
        run = opened(session, undecoded=undecoded)
        # In the order in which they began.
        assert said(run) == [OWN, [BARN, "I see none."], [ROOF, "I see four."]]
        assert [transcript.name for transcript in run.transcripts] == [None, BARN, ROOF]
        assert branches_of(run).came_from == {2: Entry(0, 1, 0, 2), 1: Entry(0, 1, 1, 1)}


def test_files_beside_the_session_are_found_by_the_names_that_it_gives(tmp_path: Path) -> None:
    write(tmp_path / "agent-a1.jsonl", chain("a1", "1", ROOF, "I see four."))
    write(tmp_path / "agent-zz.jsonl", chain("zz", "1", "Of another session.", "Yes."))
    run = opened(write(tmp_path / "s1.jsonl", MAIN))
    assert said(run) == [OWN, [ROOF, "I see four."]]


def test_what_is_written_of_a_sub_agent_names_it_and_the_call_that_started_it(session: Path) -> None:
    folder = session.with_suffix("") / "subagents"
    meta = {"agentType": "scout", "description": "Watch the roof", "toolUseId": "t2", "other": 1}
    (folder / "agent-a1.meta.json").write_text(json.dumps(meta))
    (folder / "agent-b2.meta.json").write_text("[")
    run = opened(session)
    assert [transcript.name for transcript in run.transcripts] == [None, BARN, "Watch the roof"]
    assert run.transcripts[2].metadata == {
        "agentType": "scout", "description": "Watch the roof", "toolUseId": "t2", "agentId": "a1",
    }  # fmt: skip
    assert branches_of(run).came_from[2] == Entry(0, 1, 1, 2)


def test_hostile_names_and_files_are_left_out_and_the_session_opens(tmp_path: Path) -> None:
    outside = write(tmp_path / "secret.jsonl", chain("x", "1", "A secret.", "Yes."))
    folder = tmp_path / "in" / "s1" / "subagents"
    folder.mkdir(parents=True)
    lines = [*MAIN, answer("t3", "?", "../../secret"), answer("t4", "?", "x" * 5_000), answer("t5", "?", "")]
    lines.append(event("user", "?", toolUseResult={"agentId": ["a"]}))
    (folder / "agent-acompact-1.jsonl").write_text(outside.read_text())
    (folder / "agent-torn.jsonl").write_text('[1]\n{"type": "user", "mess')
    (folder / "agent-folder.jsonl").mkdir()
    os.mkfifo(folder / "agent-pipe.jsonl")
    (folder / "agent-bytes.jsonl").write_bytes(b"\xff\xfe\x00\x00{")
    assert said(opened(write(tmp_path / "in" / "s1.jsonl", lines))) == [[*OWN, "?", "?", "?", "?"]]


def test_a_chain_that_the_session_holds_itself_is_not_read_twice(session: Path) -> None:
    write(session, [*MAIN, *chain("a1", "1", ROOF, "I see four.")])
    assert said(opened(session)) == [OWN, [ROOF, "I see four."], [BARN, "I see none."]]


def test_a_sub_agents_own_file_is_a_run_with_its_task_for_a_name(session: Path) -> None:
    corpus = Corpus([session.parent])
    corpus.scan()
    assert sorted((info.name or "", info.messages) for info in corpus.infos) == [("", 5), (ROOF, 2), (BARN, 2)]
    assert len({info.key for info in corpus.infos}) == 3
    [main] = [info for info in corpus.infos if not info.name]
    assert len(corpus.read(main).transcripts) == 1
    assert len(corpus.read(main, whole=True).transcripts) == 3


def test_a_sub_agent_that_goes_on_or_comes_is_seen_when_the_session_is_opened_again(session: Path) -> None:
    corpus = Corpus([session])
    corpus.scan()
    [info] = corpus.infos
    first = corpus.load(info)
    assert corpus.load(info) is first
    folder = session.with_suffix("") / "subagents"
    write(folder / "agent-b2.jsonl", chain("b2", "2025-06-01T10:00:02Z", BARN, "I see none.", "Sure?"))
    assert said(corpus.load(info))[1] == [BARN, "I see none.", "Sure?"]
    write(folder / "agent-c3.jsonl", chain("c3", "2025-06-01T10:01:00Z", "Look again.", "Yes."))
    assert said(corpus.load(info))[3] == ["Look again.", "Yes."]
    (folder / "agent-c3.jsonl").unlink()
    assert len(corpus.load(info).transcripts) == 3


def test_a_look_at_what_sub_agents_say_now_makes_no_news_of_what_was_kept(session: Path) -> None:
    corpus = Corpus([session])
    corpus.scan()
    assert said(corpus.load(corpus[0]))[2] == [ROOF, "I see four."]
    write(session.parent / "s1/subagents/agent-a1.jsonl", chain("a1", "2025-06-01T10:00:09Z", ROOF, "I see five now."))
    for run in (corpus.read(corpus[0], whole=True), corpus.load(corpus[0])):
        assert said(run)[2] == [ROOF, "I see five now."]
