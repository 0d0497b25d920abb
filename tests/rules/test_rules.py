"""Rules: where they look, how files spell them, what is wrong with one, and how one is saved."""

from __future__ import annotations

import os
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from trajview.app.transcript.rulebook import RuleBook
from trajview.config import ConfigError, Settings, load_settings
from trajview.errors import TrajviewError
from trajview.highlight import highlights_in
from trajview.models.messages import AssistantMessage, ReasoningPart, TextPart, ToolCall, ToolMessage, UserMessage
from trajview.models.transcript import Transcript
from trajview.patterns.safe import slow_because
from trajview.rules import (
    RuleError,
    append_rule,
    change_rule,
    compile_rule,
    has_rule,
    project_file,
    read_project,
    rules_in,
)

TALK = Transcript(
    messages=[
        UserMessage(content="needle said"),
        AssistantMessage(
            content=[ReasoningPart(reasoning="needle thought"), TextPart(text="hay")],
            tool_calls=[ToolCall(function="grep", arguments={"for": "needle"}), ToolCall(function="ls", arguments={})],
        ),
        ToolMessage(content="needle found", function="grep"),
        ToolMessage(content="needle in ls", function="ls"),
        ToolMessage(content="", function="ls", error={"message": "needle broke"}),
        AssistantMessage(content="hay", tool_calls=[ToolCall(function="x", parse_error="needle: no JSON")]),
    ]
)


def rules(text: str, **how: bool) -> list:  # type: ignore[type-arg]
    return rules_in(tomllib.loads(text).get("rule"), Path("f.toml"), text, origin="config", **how)


@pytest.mark.parametrize("rule", ['pattern = "(?m)^3 failed, 9"', 'text = "3 failed, 9"\nin = "output"'])
def test_a_rule_looks_at_coloured_output_as_it_reads(rule: str) -> None:
    talk = Transcript(messages=[ToolMessage(content="..\n\x1b[31m\x1b[1m3 failed\x1b[0m, \x1b[32m9 passed\x1b[0m")])
    assert [found.message for found in highlights_in(talk, rules(f'[[rule]]\nname = "n"\n{rule}\n'), errors=False)] == [
        0
    ]


@pytest.mark.parametrize(
    ("where", "messages"),
    [
        ("", [0, 1, 2, 3, 4, 5]),
        ('in = "text"', [0]),
        ('in = ["reasoning"]', [1]),
        ('in = ["arguments"]', [1]),
        ('in = ["output"]', [2, 3]),
        ('in = ["error"]', [4, 5]),
        ('role = "tool"', [2, 3, 4]),
        ('role = ["user", "assistant"]', [0, 1, 5]),
        ('tool = "grep"', [1, 2]),
        ('tool = "ls"\nin = "output"', [3]),
        ('tool = ["x"]', [5]),
        ('role = "user"\nin = "output"', []),
    ],
)
def test_a_rule_looks_where_it_is_told(where: str, messages: list[int]) -> None:
    found = highlights_in(
        TALK, rules(f'[[rule]]\nname = "n"\ntext = "needle"\ncolour = "cyan"\n{where}\n'), errors=False
    )
    assert [(h.message, h.reason, h.colour) for h in found] == [(message, "n", "cyan") for message in messages]


def test_a_pattern_at_the_edge_of_a_field_is_found_and_case_is_smart() -> None:
    assert [
        h.message
        for h in highlights_in(TALK, rules("[[rule]]\nname='n'\npattern='^needle found$'\nin='output'"), errors=False)
    ] == [2]
    assert highlights_in(TALK, rules("[[rule]]\nname='n'\npattern='Needle'"), errors=False) == []
    assert len(highlights_in(TALK, rules("[[rule]]\nname='n'\ntext='needle in ls'"), errors=False)) == 1


def test_the_ends_of_a_pattern_are_those_of_a_line_however_the_rule_was_made() -> None:
    said = Transcript(messages=[UserMessage(content="first line\nsecond\nthird line"), UserMessage(content="a second")])
    for rule in (*rules("[[rule]]\nname='n'\npattern='^second$'"), compile_rule("^second$")):
        assert [found.message for found in highlights_in(said, [rule], errors=False)] == [0]


def test_a_rule_with_the_name_of_one_that_comes_with_trajview_changes_it() -> None:
    [rule] = rules('[[rule]]\nname = "secrets"\non = true\ncolour = "green"\n')
    assert (rule.on, rule.colour, rule.origin) == (True, "green", "built in")
    assert rule.pattern.search("AKIAIOSFODNN7EXAMPLE")
    [own] = rules('[[rule]]\nname = "secrets"\ntext = "x"\n')
    assert (own.origin, own.pattern.pattern) == ("config", "x")


@pytest.mark.parametrize(
    ("text", "line", "said", "hint"),
    [
        ("rule = 3", 1, "tables", "[[rule]]"),
        ("[[rule]]\npattern = 'x'", 1, "needs a `name`", ""),
        ("[[rule]]\nname = 'a'\npattern = 'x'\n\n[[rule]]\nname = 'a'\npattern = 'x'", 6, "two rules", "own name"),
        ("[[rule]]\nname = 'a'", 1, "no `pattern`", "regular expression"),
        ("[[rule]]\nname = 'a'\npattern = '('", 3, "not a regular expression", "backslash"),
        ("[[rule]]\nname = 'a'\npattern = ''", 3, "1 to", ""),
        ("[[rule]]\nname = 'a'\npattern = 'x'\ntext = 'y'", 4, "a `pattern` and a `text`", "one of them"),
        ("# c\n\n[[rule]]\nname = 'a'\npattern = 'x'\nin = ['txt']", 6, "`in` cannot be 'txt'", "did you mean `text`?"),
        ("[[rule]]\nname = 'a'\npattern = 'x'\nrole = 'robot'", 4, "`role` cannot be", "assistant"),
        ("[[rule]]\nname = 'a'\npattern = 'x'\ntool = 3", 4, "`tool` must be", ""),
        ("[[rule]]\nname = 'a'\npattern = 'x'\ncolor = 'red'", 4, "no `color`", "did you mean `colour`?"),
        ("[[rule]]\nname = 'a'\npattern = 'x'\ncolour = 'mauve'", 4, "no colour 'mauve'", "yellow, red"),
        ("[[rule]]\nname = 'a'\npattern = 'x'\non = 'yes'", 4, "true or false", ""),
        ("[[rule]]\nname = 'a'\npatern = 'x'", 3, "no `patern`", "did you mean `pattern`?"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said_with_its_line_and_a_hint(text: str, line: int, said: str, hint: str) -> None:
    with pytest.raises(RuleError) as caught:
        rules(text)
    assert said in caught.value.sentence
    assert hint in caught.value.hint
    assert caught.value.where.line == line


def test_the_configuration_has_rules_and_says_what_is_wrong_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    monkeypatch.setenv("TRAJVIEW_CONFIG", str(file))
    file.write_text("annotator = 'a'\n[[rule]]\nname = 'n'\npattern = 'x+'\n")
    assert [rule.name for rule in load_settings().rules] == ["n"]
    file.write_text("annotator = 'a'\n[[rule]]\nname = 'n'\npattern = 'x['\n")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert caught.value.where.line == 4
    assert caught.value.hint


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a*)*",
        "((a|b)+c*)+",
        "(?:x{2,})*",
        "a*b*c*d*e",
        r"(\w+\s?)*$",
        "(a|(b+))*",
        "(?=(a+)+)x",
        "(?:a{1,20}){1,5}b",
    ],
)
def test_a_pattern_that_could_take_for_ever_is_refused_in_a_project_file_only(pattern: str) -> None:
    assert slow_because(pattern)
    text = f"[[rule]]\nname = 'a'\npattern = '''{pattern}'''"
    assert rules(text)
    with pytest.raises(RuleError, match="for ever"):
        rules(text, trusted=False)


@pytest.mark.parametrize(
    "pattern",
    [
        "abc",
        "a+b",
        r"\d{1,3}(?:\.\d{1,3}){0}",
        "(?:foo|bar)+?",
        "[ab]*x",
        r"exit code [1-9]\d*",
        "(?i:x)y?z?",
        r"(?:\w{1,12} ){0,2}x",
    ],
)
def test_a_simple_pattern_is_taken(pattern: str) -> None:
    assert slow_because(pattern) is None


def test_the_project_file_is_the_nearest_above_the_first_path_and_holds_nothing_but_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    logs = tmp_path / "home" / "work" / "logs"
    logs.mkdir(parents=True)
    (logs / "a.json").write_text("{}")
    (tmp_path / ".trajview.toml").write_text("")
    assert project_file([logs / "a.json"]) is None  # above the home folder is somebody else's
    near = tmp_path / "home" / "work" / ".trajview.toml"
    near.write_text("store = '/etc'\nkeys = 3\n[[rule]]\nname = 'n'\ntext = 'x'\n")
    assert project_file([logs / "a.json"]) == near
    assert project_file([logs]) == near
    assert project_file([]) is None
    found, problems = read_project(near)
    assert [rule.name for rule in found] == ["n"]
    assert ["store" in problems[0].reason, "keys" in problems[1].reason] == [True, True]


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b"[[rule", b"rule = 1", b"x" * 300_000, b"[[rule]]\nname = 'a'\npattern = '('", b"rule = [1]"]
)
def test_a_broken_project_file_has_no_rules_and_one_sentence(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / ".trajview.toml"
    file.write_bytes(data)
    found, problems = read_project(file)
    assert found == []
    assert len(problems) == 1
    assert str(file) in str(problems[0])


def test_a_saved_rule_is_read_as_it_was_and_all_else_stays_to_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "new" / ".trajview.toml"
    rule = replace(
        compile_rule("it's \\d+ \"x\"\n\t\x01ü", "odd “name”"),
        fields=frozenset({"text", "output"}), roles=frozenset({"tool"}), tools=frozenset({"a b"}), colour="pink", on=False,
    )  # fmt: skip
    append_rule(file, rule)
    before = b"# mine\r\nx = 1 # why\r\n\r\n" + file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(before)
    os.chmod(file, 0o600)
    append_rule(file, compile_rule(r"exit code [1-9]\d*", "codes"))
    assert file.read_bytes().startswith(before)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    text = file.read_text()
    one, two = rules_in(tomllib.loads(text)["rule"], file, text, origin="session")
    assert one == rule
    assert (two.name, two.pattern.pattern) == ("codes", r"exit code [1-9]\d*")
    with pytest.raises(RuleError, match="already"):
        append_rule(file, two)
    assert file.read_text() == text


def test_a_rule_is_not_saved_into_a_file_that_is_no_toml_or_holds_rules_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    for text in ("x = [", "rule = []\n", "\xff"):
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(RuleError):
            append_rule(file, compile_rule("x"))
        assert file.read_bytes() == text.encode("latin-1")


def test_what_is_configured_beats_what_lies_beside_the_logs_and_both_beat_what_comes_with_trajview(
    tmp_path: Path,
) -> None:
    (tmp_path / ".trajview.toml").write_text(
        "[[rule]]\nname = 'mine'\ntext = 'project'\n[[rule]]\nname = 'apologies'\non = true\n"
    )
    [mine] = rules("[[rule]]\nname = 'mine'\ntext = 'config'\n")
    book = RuleBook(Settings(paths=(tmp_path,), rules=(mine,), highlight=("needle",)))
    assert {rule.name: rule.pattern.pattern for rule in book.wanted if rule.name != "apologies"} == {
        "mine": "config",
        "needle": "needle",
    }
    assert "apologies" in book.on
    added = book.add(compile_rule("x", "mine"))
    assert added.name == "mine 2"
    assert not book.remove("mine")
    assert book.remove("mine 2")


def test_twenty_rules_on_a_long_log_are_switched_without_keeping_keys_waiting() -> None:
    from trajview.app.transcript.session import TranscriptSession

    messages = [UserMessage(content=f"word {n % 20} of many") for n in range(20_000)]
    many = [replace(compile_rule(f"word {n}\\b", f"r{n}"), colour="red") for n in range(20)]
    session = TranscriptSession(Transcript(messages=messages), rules=many)
    assert not session.highlights.scanned
    highlights = session.highlights
    highlights.take_scan(highlights.scan())
    assert len(highlights.stops) == 20_000
    began = time.process_time()
    highlights.switch_off({"rule:r3"})
    assert len(highlights.stops) == 19_000
    assert time.process_time() - began < 0.1
    assert highlights.counts["rule:r3"] == 1_000
    highlights.drop_rule("r4")
    assert len(highlights.stops) == 18_000


def test_an_empty_or_bad_pattern_is_refused() -> None:
    for pattern in ("", "(", "a{99999999999}", "[z-a]"):
        with pytest.raises(TrajviewError):
            compile_rule(pattern)


def test_a_search_for_a_rule_finds_the_messages_that_it_highlights() -> None:
    from trajview import open_corpus
    from trajview.corpus.matches import hits_in
    from trajview.corpus.query import query_of
    from trajview.highlight import highlights_in
    from trajview.rules import built_in_rules

    rules = [
        *built_in_rules(), compile_rule("error"), replace(compile_rule("test"), fields=frozenset({"output", "arguments"})),
        replace(compile_rule("file"), tools=frozenset({"bash"}), fields=frozenset({"arguments"})),
        replace(compile_rule("[a-z]ing"), roles=frozenset({"user"})), replace(compile_rule("e"), fields=frozenset({"error"})),
    ]  # fmt: skip
    found = 0
    samples = Path(__file__).parents[2] / "sample_data"
    corpus = open_corpus(samples)
    for info in corpus:
        run = corpus.load(info)
        views = run.transcripts[:1] if run.source_format == "sotopia" else run.transcripts
        for rule in rules:
            hits = {(hit.transcript, hit.message) for hit in hits_in(run, query_of(rule)).hits}
            marked = {
                (number, mark.message)
                for number, transcript in enumerate(views)
                for mark in highlights_in(transcript, [rule], errors=False)
                if mark.source == "rule"
            }
            assert hits == marked, (info.source, rule.name)
            found += len(hits)
    assert found > 100


def test_rules_named_on_the_command_line_are_on() -> None:
    book = RuleBook(Settings(rules_on=("Failing-Tests",)))
    assert book.on == {"failing tests"}
    with pytest.raises(TrajviewError, match="did you mean `failing tests`"):
        RuleBook(Settings(rules_on=("failing test",)))


def test_a_rule_of_mine_that_could_take_for_ever_is_off_until_it_is_switched_on() -> None:
    book = RuleBook(Settings(highlight=("(a+)+$", "fine")))
    assert book.on == {"fine"}
    (problem,) = book.problems
    assert "`(a+)+$` is off: it could take for ever" in problem.reason
    book.switch("(a+)+$")
    assert [rule.name for rule in book.wanted] == ["(a+)+$", "fine"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[rule]]\nname = 'a'\npattern = 'x'\n", "[[rule]]\nname = 'a'\ncolour = \"red\"\non = false\npattern = 'x'\n"),
        ("[[rule]]\npattern = 'x'\nname = 'a'", "[[rule]]\npattern = 'x'\nname = 'a'\ncolour = \"red\"\non = false\n"),
        (
            "\ufeff# é\r\n[[rule]]\r\n  name = 'a' # the first\r\n  on = true # yes\r\n  colour = 'blue'\r\n  text = 'x'\r\n[more]\r\non = true\r\n",
            "\ufeff# é\r\n[[rule]]\r\n  name = 'a' # the first\r\n  on = false # yes\r\n  colour = \"red\"\r\n  text = 'x'\r\n[more]\r\non = true\r\n",
        ),
        (
            "[[rule]]\nname = 'b'\ntext = 'y'\non = true\n[[rule]]\nname = 'a'\non = true\ntext = 'x'\n",
            "[[rule]]\nname = 'b'\ntext = 'y'\non = true\n[[rule]]\nname = 'a'\ncolour = \"red\"\non = false\ntext = 'x'\n",
        ),
        (
            "[[rule]]\nname = 'b'\npattern = \"\"\"\n[[rule]]\nname = 'a'\n\"\"\"\n[[rule]]\n\"name\" = 'a'\ntext = 'x'\n\n# the next\n[[rule]]\nname = 'c'\ntext = 'c'",
            "[[rule]]\nname = 'b'\npattern = \"\"\"\n[[rule]]\nname = 'a'\n\"\"\"\n[[rule]]\n\"name\" = 'a'\ncolour = \"red\"\non = false\ntext = 'x'\n\n# the next\n[[rule]]\nname = 'c'\ntext = 'c'",
        ),
    ],
)  # fmt: skip
def test_a_rule_is_changed_in_its_place_and_all_else_stays_to_the_byte(tmp_path: Path, before: str, after: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(before.encode())
    file.chmod(0o640)
    rule = replace(compile_rule("x", "a"), on=False, colour="red")
    assert has_rule(file, "a")
    change_rule(file, rule)
    assert file.read_bytes().decode() == after
    assert file.stat().st_mode & 0o777 == 0o640
    change_rule(file, replace(rule, on=True))
    (changed,) = [one for one in tomllib.loads(file.read_text("utf-8-sig"))["rule"] if one["name"] == "a"]
    assert (changed["on"], changed["colour"]) == (True, "red")


def test_a_rule_in_an_inline_table_is_changed_there(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("# mine\nrule = [\n  {name = 'a', pattern = 'x'}, # first\n]\n")
    change_rule(file, replace(compile_rule("x", "a"), on=False, colour="red"))
    text = file.read_text()
    assert tomllib.loads(text) == {"rule": [{"name": "a", "pattern": "x", "on": False, "colour": "red"}]}
    assert text.startswith("# mine\nrule = [\n  {name = 'a', pattern = 'x',")
    assert text.endswith("}, # first\n]\n")


def test_what_is_as_it_was_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("[[rule]]\nname = 'a'\npattern = 'x'\n")
    file.chmod(0o400)
    before = file.stat().st_ino
    change_rule(file, compile_rule("x", "a"))
    assert file.stat().st_ino == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[rule]]\nname = 'c'\npattern = 'x'\n", "any more"),
        ("[[rule]\n", "change `on`"),
        ("rule = 3\n", "any more"),
    ],
)
def test_a_rule_that_is_written_otherwise_is_left_as_it_is(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(RuleError) as caught:
        change_rule(file, replace(compile_rule("x", "a"), on=False))
    assert says in str(caught.value.problem())
    assert file.read_text() == text
