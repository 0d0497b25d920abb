"""What counts as an error, by format and by text: the goldens say which messages of every sample and fixture are.

`python -m tests.test_failures` writes the goldens anew; read the difference message by message.
"""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from trajview.corpus.corpus import Corpus
from trajview.failures import failure_in, is_observation
from trajview.formats.base import Origin
from trajview.formats.registry import FORMATS
from trajview.highlight import error_of, highlights_in
from trajview.models.messages import ToolMessage, UserMessage
from trajview.models.run import AgentRun
from trajview.where.details import details_of

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "errors.golden.txt"
LOGS = {".json", ".jsonl", ".yaml", ".traj"}


def golden() -> str:
    """Every sample and fixture with its count of messages, and below it the messages that are errors, and why."""
    lines = [
        "# Which messages of every sample and fixture are errors, and why. Written by `python -m tests.test_failures`."
    ]
    for folder in ("sample_data", "tests/fixtures"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in LOGS or path.stat().st_size == 0 or "annotations" in path.parts:
                continue
            corpus = Corpus([path])
            corpus.scan()
            for info in corpus.infos:
                run = corpus.read(info)
                for number, transcript in enumerate(run.transcripts):
                    lines.append(
                        f"{path.relative_to(ROOT)} [{info.key}] T{number}: {len(transcript.messages)} messages"
                    )
                    for found in highlights_in(transcript):
                        role = transcript.messages[found.message].role
                        lines.append(f"    B{found.message} {role}: {found.reason!r}")
    return "\n".join(lines) + "\n"


def test_the_errors_of_every_sample_and_fixture_are_those_of_the_golden() -> None:
    assert golden() == GOLDEN.read_text(encoding="utf-8")


IPYTHON = (
    "-" * 75
    + "\nKeyError                    Traceback (most recent call last)\nCell In[1], line 1\n----> 1 d[2]\n\nKeyError: 2\n"
)
SWE_PROMPT = "\n\n(Open file: /a.py)\n(Current directory: /)\nbash-$"
TRACEBACK = (
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nZeroDivisionError: division by zero'
)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (IPYTHON, "KeyError: 2"),
        ("  + Exception Group Traceback (most recent call last):\n  |   File", "exception group"),
        ('Exception in thread "main" java.lang.Error: no', 'Exception in thread "main" java.lang.Error: no'),
        ("running\nthread 'main' panicked at src/main.rs:2:5:\nboom", "thread 'main' panicked at src/main.rs:2:5:"),
        ("panic: index out of range\n\ngoroutine 1 [running]:", "panic: index out of range"),
        ("/x/a.js:3\nReferenceError: y is not defined\n    at f (/x/a.js:3:1)", "ReferenceError: y is not defined"),
        ("0\n\n[exit code 1]", "exit code 1"),
        ("<returncode>2</returncode>\n<output>\n</output>", "returncode 2"),
        ("[The command completed with exit code 127.]", "The command completed with exit code 127."),
        ("Error: Exit code 1\nno tests", "Error: Exit code 1"),
        ("exit code -9", "exit code -9"),
        ("Process exited with code 3221225477", "Process exited with code 3221225477"),
        ("exit_code=1", "exit_code=1"),
        ("/bin/sh: 1: foo: not found", "/bin/sh: 1: foo: not found"),
        ("zsh: command not found: foo", "zsh: command not found: foo"),
        ("cat: a.txt: No such file or directory\n", "cat: a.txt: No such file or directory"),
        ("F.\n1 failed, 1 passed in 0.02s", "1 failed, 1 passed in 0.02s"),
        ("=== 1 error in 0.30s ===", "1 error in 0.30s"),
        ("FAILED (failures=1, errors=2)", "FAILED (failures=1, errors=2)"),
        ("test result: FAILED. 3 passed; 1 failed;", "test result: FAILED. 3 passed; 1 failed;"),
        ("Tests:       1 failed, 4 passed, 5 total", "Tests:       1 failed, 4 passed, 5 total"),
        ("--- FAIL: TestX (0.00s)", "--- FAIL: TestX (0.00s)"),
        ("make: *** [Makefile:3: all] Error 2", "make: *** [Makefile:3: all] Error 2"),
        ("Error: not enough seats", "Error: not enough seats"),
        ("Error executing tool edit_file: no match", "Error executing tool edit_file: no match"),
        ("ERROR:\nNo replacement was performed.", "ERROR:"),
        ("ValueError: bad date", "ValueError: bad date"),
        ("<tool_use_error>File has not been read yet.</tool_use_error>", "File has not been read yet."),
        (
            "Your proposed edit has introduced new syntax error(s).",
            "Your proposed edit has introduced new syntax error(s).",
        ),
        ("Command timed out after 120 s", "Command timed out after 120 s"),
        ('{"output": "", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}', "exit code 1"),
        ('{"error": "no such user"}', "no such user"),
        ('{"error": {"message": "quota", "code": 429}}', "quota"),
        ('{"status": "error", "message": "not logged in"}', "not logged in"),
        ('{"success": false}', "the tool says that it failed"),
        ('{"isError": true, "content": []}', "tool error"),
        ('{"status": "failed", "errors": [{"field": "date"}]}', "the tool says that it failed"),
        ("fatal: not a git repository: .git", "fatal: not a git repository: .git"),
        ("Cloning into 'x'...\nfatal: no such remote\nfatal: it hung up\n", "fatal: no such remote"),
        ("> web@1.0.0 test\n\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 1", "npm ERR! code ELIFECYCLE"),
        ("npm error code E404\nnpm error 404 Not Found", "npm error code E404"),
        ('npm error Missing script: "lint"', 'npm error Missing script: "lint"'),
        ("   Compiling a v0.1.0\nerror[E0308]: mismatched types\n --> src/a.rs:2:5", "error[E0308]: mismatched types"),
        ("src/a.rs:2:5: error[E0308]: mismatched types", "src/a.rs:2:5: error[E0308]: mismatched types"),
        ("warning: unused\nerror: could not compile `a` (lib)", "error: could not compile `a` (lib)"),
        ("x.c: In function 'main':\nx.c:3:5: error: no 'y' here", "x.c:3:5: error: no 'y' here"),
        ("x.c:1:10: fatal error: y.h: no such file", "x.c:1:10: fatal error: y.h: no such file"),
        ("a.py:3: error: Bad type  [arg-type]\nFound 1 error", "a.py:3: error: Bad type  [arg-type"),
        ("src/a.ts(3,5): error TS2322: no.", "src/a.ts(3,5): error TS2322: no."),
        ("src/a.ts:3:5 - error TS2322: no.", "src/a.ts:3:5 - error TS2322: no."),
        (
            "python: can't open file '/x/a.py': [Errno 2] No such",
            "python: can't open file '/x/a.py': [Errno 2] No such",
        ),
        ("/usr/bin/python3.11: No module named pytest", "/usr/bin/python3.11: No module named pytest"),
        (
            "No replacement was performed, old_str `x` did not appear.",
            "No replacement was performed, old_str `x` did not appear.",
        ),
        ("Invalid `view_range` parameter: [9, 1].", "Invalid `view_range` parameter: [9, 1]."),
        ("TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2", "not ok 2 - b"),
        ("1..1\nnot ok 1", "not ok 1"),
        ("Finished in 0.1 seconds\n3 examples, 1 failure\n", "3 examples, 1 failure"),
        ("4 runs, 4 assertions, 0 failures, 2 errors, 0 skips", "4 runs, 4 assertions, 0 failures, 2 errors, 0 skips"),
        ("It has succeeded\n\nThe stdout is:\nFile not found: ./a.csv\n", "File not found: ./a.csv"),
        ("File not found: ./a.csv\nasking for another", "File not found: ./a.csv"),
    ],
)
def test_output_that_failed_says_why(output: str, reason: str) -> None:
    assert failure_in(output) == reason


@pytest.mark.parametrize(
    "output",
    [
        "a.py:3: raise ValueError('x')",
        "ERROR: disk\nERROR: net\nERROR: fan",
        "ValueError: is raised\nValueError: twice",
        "src/log.py:12:    Traceback (most recent call last):",
        "Traceback (most recent call last): is what Python prints",
        "Exit status 1 means that no line matched",
        "exit code 2: wrong usage",
        "exit code -0",
        "returncode=0",
        "    return status 1",
        "line\n" * 500 + "Process completed with exit code 1.\n" + "line\n" * 500,
        "<returncode>0</returncode>\n<output>\n2 tests, 0 failed\n</output>",
        "=== 0 failed, 3 passed in 0.1s ===",
        "=== 3 passed, 1 warning in 0.1s ===",
        "2 succeeded, 0 failed, out of 2 notebooks tested.",
        "Tests:       0 failed, 4 passed",
        "test result: ok. 3 passed; 0 failed; 0 ignored",
        "find: '/srv/x': Permission denied\n41",
        "def fail():\n    raise Error",
        "class ParseError(Exception):\n    pass",
        "# Errors\n\nError handling: see below",
        "Error: 0",
        "error: none",
        "error_rate: 0.1",
        '{"error": null, "result": 3}',
        '{"error": "", "success": true}',
        '{"exit_code": 0, "output": "error"}',
        '{"runs": [{"exit_code": 1}]}',
        '{"status": "failed", "items": [{"id": 1}]}',
        '{"page": 1, "status": "error", "lines": ["a"]}',
        "fatal: disk\nfatal: net\nfatal: fan\nbye",
        "push.sh:3:fatal: no remote\n  fatal: indented",
        "non-fatal: it goes on",
        "npm error messages are explained in the manual",
        "See npm ERR! code E404",
        "explains error[E0308]: mismatched types",
        "build.log:12:x.c:3:5: error: old",
        "notes.yml:3: error: unheard of",
        "x.c:3:5: warning: error: is a word",
        "src/a.ts:3: // error TS2322: old",
        "the python: can't open file message",
        "A hint: No replacement was performed",
        "not ok is what TAP says\nok 1 - not ok 2",
        "not ok 1 - later # TODO write it",
        "not ok 2 # SKIP no network",
        "    not ok 1 - of a subtest",
        "3 examples, 0 failures",
        "4 runs, 4 assertions, 0 failures, 0 errors, 0 skips",
        'print("File not found: {}")',
        "a.log:\nFile not found: b.csv\nnext line",
        "{not json, error: 1}",
        "No error is found.",
        "Test completed successfully, no errors.",
    ],
)  # fmt: skip
def test_output_that_mentions_failures_is_no_failure(output: str) -> None:
    assert failure_in(output) is None


def test_what_agents_without_a_role_for_tools_observed_counts_and_a_users_own_words_do_not() -> None:
    failed = (
        "<returncode>1</returncode>\n<output>\n</output>",
        "OBSERVATION:\n" + TRACEBACK,
        TRACEBACK + SWE_PROMPT,
        IPYTHON,
    )
    for text in failed:
        assert error_of(UserMessage(content=text)) is not None
    own = (
        TRACEBACK,
        "Please fix it:\n" + TRACEBACK,
        "ISSUE:\n" + TRACEBACK,
        "We have:\nISSUE:\n" + TRACEBACK + SWE_PROMPT,
    )
    for text in (*own, "<returncode>0</returncode>"):
        assert error_of(UserMessage(content=text)) is None


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"exit_code": 1}, "exit code 1"),
        ({"exitCode": 2}, "exit code 2"),
        ({"extras": {"exit_code": 127}}, "exit code 127"),
        ({"extras": {"metadata": {"exit_code": -1}}}, "exit code -1"),
        ({"extra": {"returncode": 1, "raw_output": "x"}}, "exit code 1"),
        ({"extras": {"success": False}}, "the tool says that it failed"),
        ({"is_error": True}, "tool error"),
        ({"status": "failed"}, "the tool says that it failed"),
        ({"exit_code": 0}, None),
        ({"exit_code": True}, None),
        ({"exit_code": "1"}, None),
        ({"extras": [1], "extra": None, "metadata": "x", "status": 3}, None),
        ({"status": "completed", "success": True, "error": None}, None),
    ],
)
def test_fields_beside_an_answer_say_that_it_failed(metadata: dict[str, Any], reason: str | None) -> None:
    assert error_of(ToolMessage(content="done", metadata=metadata)) == reason


def test_of_fields_beside_a_users_message_only_an_exit_code_counts() -> None:
    assert error_of(UserMessage(content="x", metadata={"extra": {"returncode": 3}})) == "exit code 3"
    assert error_of(UserMessage(content="x", metadata={"status": "failed", "success": False})) is None


CALL = {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "sh", "arguments": "{}"}}]}  # fmt: skip
PER_FORMAT: dict[str, tuple[str, dict[str, Any], list[int]]] = {
    "an exit code in OpenHands' extras": (
        "openai",
        {"messages": [CALL, {"role": "tool", "tool_call_id": "c", "content": "x", "extras": {"exit_code": 2}}]},
        [1],
    ),
    "a return code of mini-swe-agent, in the text and beside it": (
        "messages",
        {
            "info": {}, "trajectory_format": "mini-swe-agent-1",
            "messages": [
                {"role": "user", "content": "Fix: exit code 1"},
                {"role": "assistant", "content": "ls"},
                {"role": "user", "content": "<returncode>1</returncode>\n<output>\n</output>"},
                {"role": "assistant", "content": "ls"},
                {"role": "user", "content": "x", "extra": {"returncode": 1}},
                {"role": "user", "content": "<returncode>0</returncode>"},
            ],
        },
        [2, 4],
    ),
    "Anthropic's is_error": (
        "anthropic",
        {
            "system": "s",
            "messages": [
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "sh", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": True}]},
            ],
        },
        [2],
    ),
    "Inspect's tool error": (
        "inspect",
        {
            "id": 1, "epoch": 1, "input": "i", "target": "t",
            "messages": [CALL, {"role": "tool", "tool_call_id": "c", "content": "", "error": {"type": "timeout", "message": "slow"}}],
        },
        [1],
    ),
    "an answer of ATIF": (
        "atif",
        {
            "schema_version": "ATIF-v1.4",
            "steps": [
                {"step_id": 1, "source": "user", "message": "go"},
                {
                    "step_id": 2, "source": "agent", "message": "m",
                    "observation": {"results": [{"content": "x\n[exit code 1]"}, {"content": "ok"}, {"content": "x", "extra": {"exit_code": 4}}]},
                },
            ],
        },
        [2, 4],
    ),
    "an observation of SWE-agent": (
        "sweagent",
        {"trajectory": [{"action": "a", "observation": "bash: a: command not found"}, {"action": "b", "observation": "fine"}]},
        [1],
    ),
    "a response that TaskWeaver could not parse": (
        "taskweaver",
        {
            "rounds": [
                {
                    "post_list": [
                        {"send_from": "User", "send_to": "Planner", "message": "hi", "attachment_list": []},
                        {
                            "send_from": "Planner", "send_to": "Planner", "message": "",
                            "attachment_list": [{"type": "invalid_response", "content": "{"}],
                        },
                    ]
                }
            ]
        },
        [1],
    ),
    "a call that is no JSON": (
        "openai",
        {"messages": [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]},
        [0],
    ),
}  # fmt: skip


def read(name: str, record: dict[str, Any]) -> AgentRun:
    known = {one.name: one for one in FORMATS}
    return known[name].read(record, Origin(Path("x.json")))


@pytest.mark.parametrize("case", PER_FORMAT)
def test_what_each_format_says_of_a_failure_is_an_error(case: str) -> None:
    name, record, errors = PER_FORMAT[case]
    run = read(name, record)
    found = [highlight.message for highlight in highlights_in(run.transcripts[0])]
    assert found == errors
    assert details_of(run, {"errors"}).errors == len(errors)


def test_a_long_log_has_the_same_errors_whether_its_messages_are_read_or_still_bytes(tmp_path: Path) -> None:
    chance = random.Random(5)
    pieces = ["fine", TRACEBACK, IPYTHON, "Error: x", "x\nexit code 1", '{"error": "no"}', "bash: a: command not found", "1 failed in 0.1s"]  # fmt: skip
    pieces += [
        "<returncode>1</returncode>",
        TRACEBACK + SWE_PROMPT,
        "Command timed out after 1 s",
        "cat: x: Is a directory",
    ]
    messages: list[dict[str, Any]] = []
    for _ in range(3_000):
        role = chance.choice(("user", "tool", "assistant"))
        message: dict[str, Any] = {"role": role, "content": chance.choice(pieces)}
        if chance.random() < 0.1:
            message["extra"] = {"returncode": chance.choice((0, 1))}
        messages.append(message)
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    corpus = Corpus([path])
    corpus.scan()
    unread = corpus.load(corpus.infos[0]).transcripts[0]
    read = [message.replaced() for message in corpus.read(corpus.infos[0]).transcripts[0].messages]
    wanted = [index for index, message in enumerate(read) if error_of(message) is not None]
    assert [found.message for found in highlights_in(unread)] == wanted
    assert len(wanted) > 500


@pytest.mark.parametrize(
    "output",
    [
        "=" * 40_000,
        "= " + "1 failed " * 5_000,
        "command " * 6_000 + "exit",
        ("command " + "x" * 39 + "\n") * 900 + "exit status",
        "bash: " * 8_000 + "not found",
        ("a: " * 1_300 + "No such file or directory\n"),
        "error " + "in " * 20_000,
        "Error executing " + "a" * 40_000 + " failed",
        "-" * 40_000 + " Traceback (most",
        ("-" * 80 + "\n") * 500 + "Traceback (most",
        "panic: " + "\n" * 40_000 + "\ngoroutine x",
        "Exception in thread \"" * 2_000,
        "E" + "a" * 40_000 + "Error: \n    at ",
        "(" * 40_000 + "exit",
        "{" * 40_000,
        '{"error": ' + "[" * 40_000,
        "\x1b[" * 20_000 + "traceback (most",
        " " * 40_000 + "error:",
        "fatal: x\n" * 4_000,
        ("a" * 199 + ":1:1: ") * 200 + "error: ",
        ("a" * 30 + ":1: error: " + "x" * 500 + "\n") * 70,
        "not ok 1 " + "# " * 20_000,
        "npm error " * 4_000,
        "File not found: " + " " * 40_000,
        "\nFile not found: a" * 2_300 + "b",
        '{"status": "failed", "a": ' + "[" * 40_000,
    ],
    ids=lambda output: repr(output[:16]),
)  # fmt: skip
def test_no_output_can_make_the_patterns_slow(output: str) -> None:
    began = time.process_time()
    failure_in(output)
    is_observation(output)
    assert time.process_time() - began < 0.25


if __name__ == "__main__":
    GOLDEN.write_text(golden(), encoding="utf-8")
