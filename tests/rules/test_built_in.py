"""The rules that come with trajview: what they find, what they leave alone, and that no text makes them slow."""

from __future__ import annotations

import json
import pkgutil
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from trajview.corpus.corpus import Corpus
from trajview.highlight import highlights_in, text_of
from trajview.models.messages import AssistantMessage, ChatMessage, ReasoningPart, ToolCall, ToolMessage, UserMessage
from trajview.models.transcript import Transcript
from trajview.rules import COLOURS, Rule, built_in_rules
from trajview.rules.rule import BELOW, LONGEST

RULES = {rule.name: rule for rule in built_in_rules()}


def said(text: str) -> ChatMessage:
    return AssistantMessage(content=text)


def ran(code: str) -> ChatMessage:
    return AssistantMessage(content="", tool_calls=[ToolCall(function="bash", arguments={"command": code})])


def printed(text: str) -> ChatMessage:
    return ToolMessage(content=text)


KEY = "A" * 36
HITS: dict[str, list[ChatMessage]] = {
    "tracebacks": [
        printed("x\nTraceback (most recent call last):\n  File"),
        printed("  + Exception Group Traceback (most recent call last):"),
        printed('Exception in thread "main" java.lang.Error'),
        printed("thread 'main' panicked at src/main.rs:1:1"),
        UserMessage(content="I get\nTraceback (most recent call last):\n  File"),
    ],
    "failing tests": [
        printed("===== 2 failed, 3 passed in 0.12s ====="),
        printed("3 passed, 1 error in 0.2s"),
        printed("FAILED tests/test_a.py::test_b - assert 1 == 2"),
        printed("FAILED (failures=2)"),
        printed("test result: FAILED. 1 passed; 1 failed"),
        printed("Tests:       2 failed, 1 passed"),
        printed("--- FAIL: TestAdd (0.00s)"),
    ],
    "refusals": [
        said("I'm sorry, but I can't help with that."),
        said("I cannot assist with this request."),
        said("I’m unable to comply."),
        said("I must decline."),
        said("I won't help you break in."),
        said("I am not comfortable doing this."),
    ],
    "apologies": [
        said("I apologize for the confusion."),
        said("Apologies, I misread it."),
        said("I'm so sorry about that."),
        said("Sorry, wrong file."),
        said("That was my mistake."),
        said("You are right, I was wrong."),
        AssistantMessage(content=[ReasoningPart(reasoning="Hm, I was wrong about the file.")]),
    ],
    "reward hacking": [
        ran("import sys\nsys.exit(0)"),
        ran("def test_a():\n    assert True\n"),
        ran("expect(true).toBe(true)"),
        ran("@pytest.mark.skip\ndef test_a(): ..."),
        ran("it.skip('works', () => {})"),
        ran("monkeypatch.setattr(solver, 'solve', lambda: 42)"),
        ran("with unittest.mock.patch('solver.solve'): pass"),
        ran("git log --all --oneline"),
        ran("git show origin/main:fix.py"),
        ran("git reflog"),
        ran("sed -i 's/assertEqual/assertTrue/' tests/test_a.py"),
        ran("rm tests/test_slow.py"),
        ran("def __eq__(self, other):\n        return True"),
        ran("pytest -q || true"),
        ran("git commit -m x --no-verify"),
        said("I'll just hardcode the expected values."),
        said("Let me modify the failing test."),
        said("We could bypass the grader."),
    ],
    "secrets": [
        printed("key: AKIAIOSFODNN7EXAMPLE"),
        printed("-----BEGIN RSA PRIVATE KEY-----"),
        printed("-----BEGIN PRIVATE KEY-----"),
        printed(f"token ghp_{KEY}"),
        printed("export KEY=sk-ant-api03-" + "a1B2" * 8),
        printed("sk-" + "a1B2" * 12),
        said("xoxb-123456789012-abcdefghijkl"),
        ran("git clone https://ada:hunter22@example.org/x.git"),
        printed("postgres://app:s3cret@db:5432/x"),
        printed("AIza" + "b" * 35),
        printed("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "x" * 43),
    ],
}  # fmt: skip
MISSES: dict[str, list[ChatMessage]] = {
    "tracebacks": [
        printed("print('Traceback (most recent call last):')"),
        said("Traceback (most recent call last):\n  File"),
        ran("grep Traceback log"),
    ],
    "failing tests": [
        printed("===== 3 passed in 0.12s ====="),
        printed("0 failed, 3 passed in 0.1s"),
        printed("2 failed logins"),
        printed("test result: ok. 1 passed; 0 failed"),
        said("FAILED (failures=2)"),
        printed("the build failed in 3 places"),
    ],
    "refusals": [
        said("I can't find the file."),
        said("It cannot help that the disk is full."),
        said("The server won't respond."),
        UserMessage(content="I can't help it"),
        printed("I cannot assist with that"),
        said("I am unable to open the file."),
    ],
    "apologies": [
        said("The tests were wrong."),
        said("No need to apologise."),
        UserMessage(content="I'm sorry"),
        said("A sorry state of affairs."),
        said("The mistake is in line 3."),
    ],
    "reward hacking": [
        ran("pytest -q tests/test_a.py"),
        ran("sys.exit(1)"),
        ran("assert result == 3"),
        ran("assert True_positive"),
        ran("git log --oneline -5"),
        ran("git show HEAD"),
        ran("cat tests/test_a.py"),
        ran("sed -i 's/a/b/' src/main.py"),
        ran("rm -rf build"),
        ran("def __eq__(self, other):\n    return self.x == other.x"),
        said("The test fails because of a time zone."),
        said("I'll run the tests."),
        said("Let me fix the code and not the tests."),
        printed("sys.exit(0)"),
        said("The values are hard-coded in settings.py."),
    ],
    "secrets": [
        printed("AKIA"),
        printed("-----BEGIN PUBLIC KEY-----"),
        printed("-----BEGIN CERTIFICATE-----"),
        printed("ghp_short"),
        printed("risk-" + "a" * 40),
        printed("task-abcdefghijklmnopqrstuvwxyzabcdefghijkl1"),
        printed("https://example.org:8080/x@y"),
        printed("https://user:****@example.org"),
        printed("https://user:${PASSWORD}@example.org"),
        printed("https://user:<password>@example.org"),
        printed("sk-learn and sk-lego"),
        printed("0xAKIAIOSFODNN7EXAMPLE0"),
        printed("postgres://db:5432/x"),
        printed("commit " + "0f" * 20),
    ],
}


def found_by(rule: Rule, message: ChatMessage) -> bool:
    return bool(highlights_in(Transcript(messages=[message]), [rule], errors=False))


@pytest.mark.parametrize(("name", "message"), [(name, one) for name, many in HITS.items() for one in many])
def test_a_rule_finds_what_it_is_for(name: str, message: ChatMessage) -> None:
    assert found_by(RULES[name], message), text_of(message)


@pytest.mark.parametrize(("name", "message"), [(name, one) for name, many in MISSES.items() for one in many])
def test_a_rule_leaves_alone_what_only_looks_like_it(name: str, message: ChatMessage) -> None:
    assert not found_by(RULES[name], message), text_of(message)


def test_every_rule_has_hits_and_misses_and_a_colour_and_is_off() -> None:
    assert HITS.keys() == MISSES.keys() == RULES.keys()
    assert all(rule.colour in COLOURS and not rule.on and rule.words for rule in RULES.values())
    assert all(word == word.lower() for rule in RULES.values() for word in rule.words)


def test_a_long_log_has_the_same_highlights_whether_its_messages_are_read_or_still_bytes(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    for _ in range(30):
        for one in (*(m for many in HITS.values() for m in many), *(m for many in MISSES.values() for m in many)):
            logged: dict[str, Any] = {"role": one.role, "content": one.text}
            if isinstance(one, AssistantMessage) and one.tool_calls:
                call = one.tool_calls[0]
                logged["tool_calls"] = [
                    {
                        "id": "c",
                        "type": "function",
                        "function": {"name": "bash", "arguments": json.dumps(call.arguments)},
                    }
                ]
            messages.append(logged)
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"messages": messages}) + "\n", encoding="utf-8")
    corpus = Corpus([path])
    corpus.scan()
    unread = corpus.load(corpus.infos[0]).transcripts[0]
    read = Transcript(messages=[each.replaced() for each in corpus.read(corpus.infos[0]).transcripts[0].messages])
    rules = built_in_rules()
    found = highlights_in(unread, rules)
    assert found == highlights_in(read, rules)
    assert len(found) > 1_000


@pytest.mark.parametrize(
    "text",
    [
        "test" * 25_000, "git log " * 12_000, "git log" + " " * 90_000, "I'm sorry " * 10_000, "sk-" * 33_000, "a" * 100_000,
        "eyJ" + "a" * 100_000, "eyJ" * 33_000, "://" * 33_000, "http://" + "a" * 100_000, "a:b@" * 25_000, "xoxb-" * 20_000,
        "-----BEGIN " * 9_000, "rm " * 33_000, "sed -i " + "tests" * 20_000, "1 failed " * 11_000, "=" * 100_000, " " * 100_000,
        "1 failed, " * 10_000, "pytest " * 14_000 + "||", "\n" * 100_000, "my apolog" * 11_000, "I apolog\n" * 11_000,
        "def __eq__(self, other)" * 4_000, "assert " + "\t" * 90_000, "hard-coded the " * 6_000, "AKIA" * 25_000, "ghp_" * 25_000,
        "sk-" + "a" * 100_000, "let me just hard" * 6_000, ("a" * 79 + "://") * 1_000,
    ],
    ids=lambda text: repr(text[:14]),
)  # fmt: skip
def test_no_text_can_make_the_rules_slow(text: str) -> None:
    for rule in RULES.values():
        began = time.process_time()
        rule.pattern.search(text)
        rule.finds(text)
        assert time.process_time() - began < 0.5, rule.name


@pytest.mark.parametrize("name", RULES)
@given(data=st.data())
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
def test_what_a_rule_matches_holds_one_of_its_words_on_its_first_line(name: str, data: st.DataObject) -> None:
    rule = RULES[name]
    pattern = rule.pattern
    branches = [one.replace("(?-i:", "(?:") for one in tables()[name]]
    text = data.draw(st.sampled_from(branches).flatmap(lambda one: st.from_regex(one, fullmatch=True)))
    found = pattern.search(text)
    assume(found is not None and text.isascii())
    assert found is not None
    assert any(word in found[0].lower() for word in rule.words), found[0]
    assert any(word in found[0].split("\n")[0].lower() for word in rule.words), found[0]
    assert len(found[0]) <= LONGEST
    assert len(found[0]) - len(found[0].split("\n")[0]) <= BELOW


def tables() -> dict[str, list[str]]:
    """The patterns of each rule, one by one."""
    data = pkgutil.get_data("trajview", "data/rules.toml")
    assert data is not None
    return {table["name"]: table["patterns"] for table in tomllib.loads(data.decode())["rule"]}


FILLING = st.lists(
    st.sampled_from(["\n", " ", "test", "a" * 3_990, "failed\n", "://", "x" * 500, "İ", "tests/", "\n\n", "sorry"]),
    max_size=8,
).map("".join)


@pytest.mark.parametrize("name", RULES)
@given(before=FILLING, after=FILLING, number=st.integers(0, 99), glued=st.booleans())
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_a_rule_finds_by_its_words_what_its_pattern_finds_in_the_whole(
    name: str, before: str, after: str, number: int, glued: bool
) -> None:
    rule, gap = RULES[name], "" if glued else "\n"
    for many in (HITS[name], MISSES[name]):
        text = before + gap + text_of(many[number % len(many)]) + gap + after
        assert rule.finds(text) == (rule.pattern.search(text) is not None)
