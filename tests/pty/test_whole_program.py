"""The real program in a pseudo-terminal, from start to a saved annotation, and how it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from base64 import b64decode
from pathlib import Path
from shlex import quote

import pytest

from tests.app.logs import NEEDLE, chat, episode, write_jsonl, write_runs

from .screen import Terminal

pytestmark = pytest.mark.pty

DOWN, ENTER, ESCAPE, CTRL_C, CTRL_O, CTRL_P, CTRL_Q, CTRL_S = (
    "\x1b[B",
    "\r",
    "\x1b",
    "\x03",
    "\x0f",
    "\x10",
    "\x11",
    "\x13",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The current folder of the program: `runs/` is in it."""
    work = tmp_path / "work"
    write_runs(work / "runs")
    (work / "runs" / "chair.json").write_text(json.dumps(episode()))
    return work


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


DIMENSIONS = (
    "believability 0..10", "relationship -5..5", "knowledge 0..10", "secret -10..0", "social rules -10..0",
    "financial and material benefits -5..5", "goal 0..10",
)  # fmt: skip
"""How the panel's guidance begins for the field that the cursor is in."""


TEXTUAL_SENDS = {b"\x1b]22;default"}
"""The shape of the mouse pointer."""


def strings_for_the_terminal(sent: bytes) -> set[bytes]:
    """The OSC, DCS, SOS, PM and APC strings in what a terminal was sent, without those that Textual starts with."""
    return set(re.findall(rb"\x1b[\]PX^_][^\x07\x1b]*", sent)) - TEXTUAL_SENDS


def assert_restored(terminal: Terminal) -> None:
    """The terminal is as it was: main screen, cursor shown, no mouse reports, no bracketed paste."""
    sent = bytes(terminal.sent)
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?25l", b"\x1b[?25h"), (b"\x1b[?1000h", b"\x1b[?1000l"),
                    (b"\x1b[?2004h", b"\x1b[?2004l")):  # fmt: skip
        assert on in sent
        assert sent.rindex(off) > sent.rindex(on), off
    assert b"Traceback" not in sent


def test_from_the_list_to_a_saved_annotation(folder: Path, home: Path) -> None:
    with Terminal(home, "runs", cwd=folder) as terminal:
        terminal.until("5 runs · 1 problem")
        terminal.press("&")
        terminal.until("clear")
        terminal.press("chair")
        terminal.until("1 of 5 runs")
        terminal.press(ENTER)
        terminal.until("annotate  ")
        terminal.press(ENTER)
        terminal.until("A room with one chair.")
        terminal.until("unit 0/2 · message 0/3")
        terminal.press("]")
        terminal.until("unit 1/2")
        terminal.press("a")
        terminal.until("saves to annotations")
        terminal.until("not started")
        columns = ("9", "-2", "5", "0", "-1", "0", "8"), ("5", "1", "5", "-5", "-5", "1", "5")
        following = [*DIMENSIONS[1:], DIMENSIONS[0], *DIMENSIONS[1:], "What do your scores rest on?"]
        for score, then in zip((*columns[0], *columns[1]), following, strict=True):
            terminal.press(score + ENTER)
            terminal.until(then)
        terminal.until("2.71")
        terminal.until("1.00")
        terminal.press("One chair, two people.")
        terminal.until("One chair, two people.")
        terminal.until("draft saved")
        terminal.press(CTRL_S)
        terminal.until("submitted ✓")
        terminal.press(ESCAPE)
        terminal.until("] unit")  # The transcript's keys.
        terminal.press("q")
        terminal.until(lambda: "saves to annotations" not in terminal.text)
        terminal.press("q")
        terminal.until("annotated")
        terminal.until("✓")
        terminal.press(CTRL_Q)
        assert terminal.ended() == 0
        assert_restored(terminal)
    (path,) = (folder / "annotations" / "AnnotationForEpisode").iterdir()
    record = json.loads(path.read_text())
    assert record["pk"] == path.stem
    assert (record["episode"], record["annotator_id"]) == ("chair", "ada")
    assert record["reasoning"] == "One chair, two people."
    assert [reward[0] for reward in record["rewards"]] == [19 / 7, 1.0]
    assert record["rewards"][0][1] == {
        "believability": 9.0,
        "relationship": -2.0,
        "knowledge": 5.0,
        "secret": 0.0,
        "social_rules": -1.0,
        "financial_and_material_benefits": 0.0,
        "goal": 8.0,
    }


def test_a_draft_survives_kill_9(folder: Path, home: Path) -> None:
    arguments = ("runs", "--run", "beta", "--annotator", "bob", "--store", "marks")
    with Terminal(home, *arguments, cwd=folder) as terminal:
        terminal.until("b again")
        terminal.press("a")
        terminal.until("not started")
        terminal.press("0.25" + ENTER)
        terminal.until("What do your scores rest on?")
        terminal.press("half a thou")
        terminal.until("half a thou")
        terminal.until("draft saved")
        terminal.kill()
    with Terminal(home, *arguments, cwd=folder) as terminal:
        terminal.until("b again")
        terminal.press("a")
        terminal.until("half a thou")
        terminal.until("0.25")
        terminal.until("draft of")
        terminal.press(CTRL_Q)
        terminal.until("not submitted.")
        time.sleep(0.3)  # Nobody answers a question in the moment in which it is drawn.
        terminal.press("s")
        assert terminal.ended() == 0
    (path,) = (folder / "marks" / "AnnotationForEpisode").iterdir()
    record = json.loads(path.read_text())
    assert (record["episode"], record["annotator_id"], record["reasoning"]) == ("beta", "bob", "half a thou")
    assert record["rewards"] == [[0.25, {"reward": 0.25}]]


@pytest.mark.parametrize("key", [CTRL_C, CTRL_Q, "q"])
def test_it_ends_quietly_and_leaves_the_terminal_as_it_was(folder: Path, home: Path, key: str) -> None:
    with Terminal(home, "runs", cwd=folder) as terminal:
        terminal.until("5 runs")
        terminal.press(key)
        assert terminal.ended() == 0
        assert_restored(terminal)


def test_the_editor_gets_the_file_and_the_line_and_the_screen_comes_back(folder: Path, home: Path) -> None:
    editor = folder / "vim"
    editor.write_text('#!/bin/sh\necho "$@" > "$0.said"\necho THE EDITOR\n')
    editor.chmod(0o755)
    with Terminal(home, "runs", "--run", "gamma", cwd=folder, EDITOR=quote(str(editor))) as terminal:
        terminal.until("Say c.")
        terminal.press(CTRL_O)
        terminal.until(lambda: b"THE EDITOR" in terminal.sent)
        terminal.press("}")
        terminal.until("unit 1/5")
        assert (folder / "vim.said").read_text() == f"+3 {folder}/runs/chats.jsonl\n"
        terminal.press(CTRL_Q)
        assert terminal.ended() == 0
        assert_restored(terminal)


def test_search_and_copy_reach_the_terminal(folder: Path, home: Path) -> None:
    with Terminal(home, "runs/repair.jsonl", cwd=folder) as terminal:
        terminal.until("You repair kettles.")
        terminal.press("/")
        terminal.until("text or regular expression")
        terminal.press(NEEDLE + ENTER)
        terminal.until("” 1/2")
        terminal.until(f"21: {NEEDLE}")
        terminal.press("n")
        terminal.until("” 2/2")
        terminal.press("y")
        terminal.until("copied message 9")
        terminal.until(
            lambda: (
                (found := re.search(rb"\x1b\]52;c;([^\a]+)\a", terminal.sent))
                and NEEDLE.encode() in b64decode(found[1])
            )
        )


def test_no_escape_sequence_of_a_log_reaches_the_terminal(tmp_path: Path, home: Path) -> None:
    """Every hostile string is shown somewhere: list, title, outline, text, metadata, raw record, annotation, toast."""
    marks = {
        "osc0": "\x1b]0;EVILTITLE\x07",
        "osc52": "\x1b]52;c;RVZJTA==\x07",
        "osc8": "\x1b]8;;file:///EVIL\x1b\\link\x1b]8;;\x1b\\",
        "dcs": "\x1bPEVILDCS\x1b\\",
        "c1": "\x9b31mEVILC1 \x9d0;EVILC1\x9c",
        "csi": "\x1b[2J\x1b[999;999HEVILCSI\x1b[?1049l",
        "ris": "\x1bcEVILRIS",
        "apc": "\x1b_EVILAPC\x1b\\",
    }
    everything = " ".join(f"<{name} {value}>" for name, value in marks.items())
    run = {
        "id": everything,
        "name": everything,
        "transcripts": [
            {
                "name": everything,
                "messages": [
                    {"role": "user", "content": everything, "metadata": {everything: everything}},
                    {
                        "role": "assistant",
                        "content": [{"type": "reasoning", "reasoning": everything}, {"type": "text", "text": f"```py\n{everything}\n```\n{everything}"}],
                        "tool_calls": [{"id": "c", "function": everything, "arguments": {everything: everything, "b": f"{everything}\n{everything}"}, "type": "function"}],
                    },
                    {"role": "tool", "content": everything, "tool_call_id": "c", "function": everything, "error": {"type": everything, "message": everything}},
                ],
            }
        ],
        "metadata": {everything: everything},
    }  # fmt: skip
    write_jsonl(tmp_path / "evil.jsonl", [run, chat("plain", "a", "b")])
    with Terminal(home, str(tmp_path / "evil.jsonl"), "--store", str(tmp_path / "store"), size=(120, 50)) as terminal:
        terminal.until("2 runs")
        terminal.press("s" + ENTER)
        terminal.until("unit 0/")
        if "message 0/2" not in terminal.text:
            terminal.press("H")
            terminal.until("message 0/2")
        terminal.press("i")
        terminal.until("role: user")
        for level in ("all folded", "all open", "tool output folded"):
            terminal.press("z")
            terminal.until(level)
        terminal.press("G")
        terminal.until("message 2/2")
        terminal.press("i")
        terminal.until(lambda: "role: " not in terminal.text)
        terminal.press("v")
        terminal.until("raw ")
        terminal.until('"transcripts"')
        terminal.press("G")
        terminal.until(lambda: '"transcripts"' not in terminal.text)
        terminal.press("q")
        terminal.until("message 2/2")
        terminal.press("/")
        terminal.until("text or regular expression")
        terminal.press("EVIL" + ENTER)
        terminal.until("“EVIL”")
        terminal.press(ESCAPE)
        terminal.until(lambda: "“EVIL”" not in terminal.text)
        terminal.press("a")
        terminal.until("not started")
        terminal.press("1")
        terminal.until("draft saved")
        terminal.press(CTRL_S)
        terminal.until("submitted ✓")
        terminal.press(CTRL_Q)
        assert terminal.ended() == 0
        sent = bytes(terminal.sent)
        assert_restored(terminal)
    assert b"EVIL" in sent, "what is harmless of it is shown"
    # Styled text may stand between any two characters, so strings are told apart by what introduces them.
    assert not strings_for_the_terminal(sent), "nothing was copied"
    assert b"\x1bc" not in sent
    assert sent.count(b"\x1b[?1049l") == 1
    text = sent.decode("utf-8")
    assert not re.search("[\x80-\x9f]", text), "no C1"
    assert b"\x1b[999;999H" not in sent
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)


def test_hostile_sample_data_is_read_from_end_to_end(home: Path, tmp_path: Path) -> None:
    sample = Path(__file__).parents[2] / "sample_data" / "malformed" / "hostile.jsonl"
    with Terminal(home, str(sample), "--store", str(tmp_path / "store"), size=(100, 30)) as terminal:
        terminal.until("11 runs")
        terminal.press(ENTER)
        terminal.until("hostile.jsonl:1")
        for line in range(2, 12):
            terminal.press("L")
            terminal.until(f"hostile.jsonl:{line}")
            terminal.press("G")
            terminal.until("100%")
        terminal.press("L")
        terminal.until("last run")
        terminal.press(CTRL_Q)
        assert terminal.ended() == 0
        sent = bytes(terminal.sent)
        assert_restored(terminal)
    assert not strings_for_the_terminal(sent)
    assert b"\x1bc" not in sent
    assert not re.search("[\x80-\x9f\u202a-\u202e\u2066-\u2069]", sent.decode("utf-8"))


def test_where_stdout_is_no_terminal_it_prints_like_show(folder: Path) -> None:
    printed = [
        subprocess.run([sys.executable, "-m", "trajview", *arguments], capture_output=True, cwd=folder, check=False)
        for arguments in (["runs/repair.jsonl"], ["show", "runs/repair.jsonl"])
    ]
    assert printed[0].stdout == printed[1].stdout
    assert printed[0].returncode == 0
    assert NEEDLE.encode() in printed[0].stdout
    assert b"\x1b" not in printed[0].stdout


def test_a_small_terminal_shows_a_run_and_the_keys(folder: Path, home: Path) -> None:
    with Terminal(home, "runs/repair.jsonl", size=(60, 20), cwd=folder) as terminal:
        terminal.until("You repair kettles.")
        terminal.press("?")
        terminal.until("Reading a transcript")
        terminal.press(ESCAPE)
        # Gone, not only asked to go: an escape and a letter right after it are one key.
        terminal.until(lambda: "Reading a transcript" not in terminal.text)
        terminal.press("G")
        terminal.until("It boils")
        terminal.press("q")
        terminal.until("1 run")
        terminal.press("q")
        assert terminal.ended() == 0


def test_run_unit_and_highlights_of_the_command_line_reach_the_viewer(folder: Path, home: Path) -> None:
    asked = ("--run", "repair", "--unit", "3", "--highlight", "Thank you", "--highlight", "repair kettles")
    with Terminal(home, "runs", *asked, size=(120, 30), cwd=folder) as terminal:
        terminal.until("named on the command line")
        terminal.until("● Thank you")
        terminal.until("unit 3/5")
        terminal.until("highlight 3/5")  # the other two are errors
        terminal.press("n")
        terminal.until("highlight 4/5")
        terminal.press("n")
        terminal.until("unit 5/5")
        terminal.press("n")  # round to the first one
        terminal.until("unit 0/5")
        terminal.until("● repair kettles")
        terminal.press("q")
        terminal.until(lambda: "unit 0/5" not in terminal.text)
        terminal.press("q")
        assert terminal.ended() == 0


def test_keys_that_arrive_all_at_once_do_what_they_do_one_by_one(folder: Path, home: Path) -> None:
    """As over a slow connection: what is typed after `/` or enter belongs to the field that this opens."""
    with Terminal(home, "runs", "--run", "repair", cwd=folder) as terminal:
        terminal.until("You repair kettles.")
        terminal.press(f"/{NEEDLE}{ENTER}")
        terminal.until("” 1/2")
        terminal.press(f":m9{ENTER}j")
        terminal.until("message 9/11")
        terminal.until("” 2/2")
        terminal.press("a")
        terminal.until("not started")
        terminal.press(f"0.25{ENTER}half a thought")
        terminal.until("half a thought")
        assert "0.25" in terminal.text
        terminal.until("draft saved")


def test_scores_typed_in_one_go_land_in_their_fields(folder: Path, home: Path) -> None:
    with Terminal(home, "runs", "--run", "chair", cwd=folder) as terminal:
        terminal.until("unit 0/2")
        terminal.press("a")
        terminal.until("not started")
        terminal.press(f"8\t9{DOWN}3\x1b[Z-4{DOWN}{DOWN}{DOWN}-5\t\t{CTRL_S}{CTRL_S}")
        terminal.until("submitted ✓")
    (path,) = (folder / "annotations" / "AnnotationForEpisode").iterdir()
    first, second = (reward[1] for reward in json.loads(path.read_text())["rewards"])
    assert first == {"believability": 8.0, "relationship": -4.0, "social_rules": -5.0}
    assert second == {"believability": 9.0, "relationship": 3.0}
