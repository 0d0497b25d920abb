"""Search across a corpus finds exactly what reading every message finds, however the log spells it."""

from __future__ import annotations

import bz2
import gzip
import json
import random
import re
import string
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus import candidates
from trajview.corpus.info import RunInfo
from trajview.corpus.matches import excerpt, pieces_of
from trajview.corpus.prefilter import prefilter_of
from trajview.corpus.query import Query, query_from
from trajview.corpus.search import MANY, CorpusSearch, RunMatches
from trajview.errors import FormatError, Problem, UnreadableError, Where
from trajview.formats.words import AddedWords
from trajview.highlight import text_of
from trajview.patterns.finder import finder_of
from trajview.textsafe import without_colours

from .refusing import refuse

ROOT = Path(__file__).parents[2]
SAMPLES = [ROOT / "sample_data", ROOT / "tests" / "fixtures"]

Found = dict[tuple[str, str | None, int], tuple[str, int, int]]
"""By place: the run's id, how many matches, in how many messages."""


def plainly(paths: Sequence[Path], query: Query) -> Found:
    """What is found by listing everything, building every message, and looking at all that it says."""
    found: Found = {}
    for info, texts in texts_of_samples() if paths is SAMPLES else all_texts(paths):
        counts = [
            sum(1 for match in query.pattern.finditer(text) if match.group())
            for role, text in texts
            if not query.roles or role in query.roles
        ]
        if any(counts):
            found[str(info.path), info.member, info.offset] = info.id, sum(counts), sum(map(bool, counts))
    return found


def all_texts(paths: Sequence[Path]) -> Iterator[tuple[RunInfo, list[tuple[str, str]]]]:
    """Of each run, the roles and texts of its messages."""
    corpus = open_corpus(*paths)
    for info in corpus:
        run = corpus.load(info)
        views = run.transcripts[:1] if run.source_format == "sotopia" else run.transcripts
        yield (
            info,
            [(message.role, without_colours(text_of(message))) for view in views for message in view.messages],
        )


@cache
def texts_of_samples() -> list[tuple[RunInfo, list[tuple[str, str]]]]:
    return list(all_texts(SAMPLES))


def quickly(paths: Sequence[Path], query: Query, **how: Any) -> Found:
    return {
        (str(run.path), run.member, run.offset): (run.id, run.matches, run.messages)
        for run in runs(paths, query, **how)
    }


def runs(paths: Sequence[Path], query: Query, **how: Any) -> list[RunMatches]:
    return [found for found in CorpusSearch(paths, query, **how).found() if isinstance(found, RunMatches)]


def chat(*messages: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": role, "content": text} for role, text in messages], **more}


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(
    "typed",
    ["error", "Error", "the", r"\bfile\b", "Traceback (most", "exit code", "é", "character 15", r"\d\d+", "agent 1",
     "reason(ing|s)", "^I ", "python", "non-verbal", "Scenario", r"[A-Z]{4,}", "(?i:THE) (same|other)", "🙂", "…", "✓", "⚠",
     "nothing of this kind", "role:tool error", "a.b", r"\n\n"],
)  # fmt: skip
def test_the_samples_hold_what_reading_all_of_them_finds(typed: str) -> None:
    query = query_from(typed)
    assert quickly(SAMPLES, query) == plainly(SAMPLES, query)


def test_any_word_that_is_read_in_the_samples_is_found() -> None:
    """Whatever a format says that its log does not, the quick look at the bytes must not leave it out."""
    chosen = random.Random(5)
    for info, texts in texts_of_samples():
        if info.path.suffix in (".gz", ".bz2", ".xz", ".zst"):
            continue
        for _, text in chosen.sample(texts, min(3, len(texts))):
            words = re.findall(r"\w+ \w+|\S+", text)
            for word in chosen.sample(words, min(2, len(words))):
                start = chosen.randrange(len(word))
                part = word[start : start + chosen.randrange(2, 12)].strip()
                if not part:
                    continue
                for query in (
                    Query(part, regex=False, case="sensitive"),
                    Query(part.upper(), regex=False, case="ignore"),
                ):
                    if query.pattern.search(text):
                        places = {found.place for found in runs([info.path], query)}
                        assert info.place in places, (info.source, query)


# -- generated logs, awkwardly spelled

WORDS = [
    "needle", "Needle", "kind", "skip", "Straße", "naïve", "caf\u00e9", "日本語", "🙂👍", "✅", "⚠\ufe0f", "ſK", "a\nb", "tab\tin", 'quo"te',
    "back\\slash", "a/b", "12", "x1e5", "deadbeef", "{}", "İstanbul", "\x1b[31mred", "\u2028", "null", "foo bar",
]  # fmt: skip
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=5).map(" ".join)


def spelled(value: Any, chosen: random.Random) -> str:
    """JSON for a value, in which any character may be spelled in any way that JSON has."""
    if isinstance(value, str):
        return '"' + "".join(_spelled(char, chosen) for char in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(spelled(item, chosen) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spelled(key, chosen)}: {spelled(item, chosen)}" for key, item in value.items()) + "}"
    return json.dumps(value)


_SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _spelled(char: str, chosen: random.Random) -> str:
    if chosen.random() < (0.02 if char.isascii() and char.isalnum() else 0.5):
        units = char.encode("utf-16-be")
        digits = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
        return "".join("\\u" + (one.upper() if chosen.random() < 0.5 else one) for one in digits)
    if char in _SHORT and (char != "/" or chosen.random() < 0.5):
        return _SHORT[char]
    return char if char >= " " else f"\\u{ord(char):04x}"


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for text in draw(st.lists(texts, min_size=1, max_size=4)):
        kind = draw(st.sampled_from(["user", "assistant", "call", "tool", "parts"]))
        if kind == "call":
            arguments: Any = {"path": text, "deep": [True, 1.5, None, {draw(texts): 2}]}
            if draw(st.booleans()):
                arguments = spelled(arguments, random.Random(draw(st.integers(0, 99))))
            call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": arguments}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        elif kind == "tool":
            messages.append({"role": "tool", "tool_call_id": "c", "content": text, "error": draw(st.none() | texts)})
        elif kind == "parts":
            parts = [{"type": "text", "text": text}, {"type": "reasoning", "reasoning": draw(texts)}]
            messages.append({"role": "assistant", "content": parts})
        else:
            messages.append({"role": kind, "content": text})
    shape = draw(st.sampled_from(["openai", "docent", "raw"]))
    if shape == "docent":
        return {"id": draw(texts) or "run", "transcripts": [{"messages": messages}], "metadata": {}}
    return {"messages": messages} if shape == "openai" else {"whatever": messages, "number": draw(st.floats(0, 1e30))}


@st.composite
def queries(draw: st.DrawFn) -> Query:
    word = draw(st.sampled_from(WORDS) | texts | st.text(min_size=1, max_size=5))
    start = draw(st.integers(0, max(0, len(word) - 1)))
    part = word[start : start + draw(st.integers(1, 8))] or "x"
    case = draw(st.sampled_from(["smart", "ignore", "sensitive"]))
    how = draw(st.sampled_from(["literal", "upper", "dots", "either", "many", "word", "newline"]))
    escaped = re.escape(part)
    if how == "dots":
        return Query(f"{re.escape(part[:3])}.*{re.escape(part[-2:])}", case=case)
    if how == "either":
        return Query(f"(?:{escaped}|{re.escape(draw(st.sampled_from(WORDS)))})", case=case)
    if how == "many":
        return Query(f"(?:{escaped})+ ?", case=case)
    if how == "newline":
        return Query(escaped + r"\s" + re.escape(word[:2]), case=case)
    if how == "upper":
        return Query(part.upper(), regex=False, case="ignore")
    return Query(part, regex=False, case=case, word=how == "word")


@given(st.lists(records(), min_size=1, max_size=5), queries(), st.integers(0, 10**6), st.booleans())
def test_generated_logs_hold_what_reading_all_of_them_finds(
    tmp_path_factory: pytest.TempPathFactory, logged: list[Any], query: Query, seed: int, small_blocks: bool
) -> None:
    chosen = random.Random(seed)
    folder = tmp_path_factory.mktemp("logs")
    lines = [spelled(record, chosen) for record in logged]
    torn = chosen.random() < 0.2
    jsonl = ("\n\n" if chosen.random() < 0.3 else "\n").join(lines) + ("\n{" if torn else "")
    (folder / "a.jsonl").write_text(jsonl, encoding="utf-8")
    (folder / "b.json").write_text("[" + ",\n".join(lines) + "]", encoding="utf-8")
    (folder / "c.json").write_text(lines[0], encoding="utf-8-sig")
    (folder / "d.jsonl.gz").write_bytes(gzip.compress(jsonl.encode()))
    (folder / "e.json").write_text(lines[0], encoding="utf-16")
    (folder / "f.json.bz2").write_bytes(bz2.compress(lines[-1].encode()))
    with zipfile.ZipFile(folder / "g.eval", "w") as archive:
        for number, line in enumerate(lines):
            archive.writestr(f"samples/{number}.json", line)
    with pytest.MonkeyPatch.context() as patch:
        if small_blocks:
            patch.setattr(candidates, "BLOCK", 512)
        assert quickly([folder], query) == plainly([folder], query)


@settings(max_examples=25)
@given(st.lists(records(), min_size=1, max_size=3), queries(), st.integers(0, 10**6))
def test_yaml_holds_what_reading_all_of_it_finds(
    tmp_path_factory: pytest.TempPathFactory, logged: list[Any], query: Query, seed: int
) -> None:
    import yaml

    path = tmp_path_factory.mktemp("logs") / "a.yaml"
    path.write_text(yaml.safe_dump_all(logged, width=10, allow_unicode=seed % 2 == 0))
    assert quickly([path], query) == plainly([path], query)


SAID = '{"messages": [{"role": "user", "content": "%s"}]}'
THOUGHT = (
    '{"id": "w", "rounds": [{"post_list": [{"send_from": "Planner", "send_to": "User", "message": "m", '
    '"attachment_list": [{"type": "plan", "content": "%s"}]}]}]}'
)
CALL = (
    '{"messages": [{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "%s"}}]}]}'
)


@pytest.mark.parametrize(
    ("record", "query"),
    [
        (SAID % r"the n\u0065edle here", Query("needle", case="sensitive")),
        (SAID % r"the n\u0065edle here", Query("NEEDLE", case="ignore")),
        (SAID % r"foo\u0020bar", Query("foo bar")),
        (SAID % r"caf\u00E9", Query("café")),
        (SAID % r"CAF\u00c9", Query("café")),
        (SAID % r"\uD83D\udE42\ud83d\uDC4D", Query("🙂👍")),
        (SAID % "ſkipped", Query("skipped")),
        (SAID % r"\u017fkipped", Query("skipped")),
        (SAID % "the \u212aind", Query("kind")),
        (SAID % r"the \u212aind", Query("kind")),
        (SAID % r"D\u0130ng D\u0131ng", Query("ding")),
        (SAID % r"one\ntwo\tthree", Query(r"one\ntwo\tthree")),
        (SAID % r"a \"quoted\" word\/path", Query('"quoted" word/path', regex=False)),
        (CALL % r"{\"a\": \"caf\\u00e9 n\\u0065edle\"}", Query("café needle")),
        (CALL % r"{\"a\": \"caf\u005cu00e9\"}", Query("café")),
        (CALL % "nonsense", Query("Expecting value")),
        (CALL % "nonsense", Query("character 1")),
        (r'{"shown": "as JSON", "with": "line\u000abreak"}', Query("nbreak")),
        (r'{"shown": "as JSON", "with": "a\u001Bcdef"}', Query("bcdef")),
        (r'{"shown": "as JSON", "with": 1e22}', Query(r"1e\+22")),
        (r'{"shown": "as JSON", "with": 1E5}', Query("100000")),
        (THOUGHT % "need{{DELIMITER_START_TEMPORAL}}le{{DELIMITER_END_TEMPORAL}}", Query("needle")),
        (THOUGHT % "step", Query("plan: step")),
    ],
)  # fmt: skip
def test_what_reads_the_same_is_found_however_it_is_spelled(tmp_path: Path, record: str, query: Query) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"{SAID % 'first'}\n{SAID % 'nothing'}\n{record}\n", encoding="utf-8")
    assert [run.line for run in runs([path], query)] == [3]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("pattern", ["3 failed, 9 passed", "^3 failed", "failed,", r"9 passed\b"])
def test_coloured_output_is_searched_as_it_reads(tmp_path: Path, pattern: str, ascii_only: bool) -> None:
    said = "\x1b[31m\x1b[1m3 fai\x1b[4mled\x1b[0m, \x1b[32m9 passed\x1b[0m\x1b[K in 0.04s"
    path = tmp_path / "log.jsonl"
    record = json.dumps(chat(("user", "go"), ("tool", said)))
    path.write_text((record if ascii_only else record.replace(r"\u001b", "\x1b")) + "\n")
    (found,) = runs([path], Query(pattern))
    assert [hit.text for hit in found.hits] == ["3 failed, 9 passed in 0.04s"]
    assert not runs([path], Query("31m")), "nobody reads the codes"


def test_of_coloured_records_only_those_that_may_match_are_taken_apart() -> None:
    may_match = prefilter_of(Query("needle found").pattern).may_match
    for said in (
        r"needle\u001b[0m found",
        r"need\u001b[1mle found",
        r"n\u001b[1meedle \u001b[mfound",
        r"needle found\u001b[0m",
    ):
        assert may_match((SAID % said).encode()), said
    for said in (
        r"needle\u001b[0m lost",
        r"need\u001b[1mles found",
        r"\u001b[1mneed \u001b[mfound",
        r"\u001b[31mred\u001b[0m",
    ):
        assert not may_match((SAID % said).encode()), said


def test_a_word_that_a_format_adds_is_not_asked_of_the_bytes() -> None:
    added = AddedWords(always=("hello there",), with_bytes=(("good bye", ("farewell",)),), metadata=("colour",))
    for word, data, may in (
        ("xyzzy", b"nothing", False),
        ("hello", b"nothing", True),
        ("bye", b"nothing", False),
        ("bye", b"a Farewell", True),
        ("colour", b"nothing", False),
    ):
        assert prefilter_of(Query(word).pattern, added).may_match(data) == may, word
    assert prefilter_of(Query("colour").pattern, added, metadata=True).may_match(b"nothing")


def test_only_what_may_match_is_taken_apart() -> None:
    """The other side: were everything a candidate, all would be found, and a large log would take minutes."""
    lines = {text: (SAID % text).encode() for text in ("needle", "need le", r"caf\u00e9", r"\u001b[31mred", "Nadel")}
    may = {text for text, line in lines.items() if prefilter_of(Query("needle").pattern).may_match(line)}
    assert may == {"needle"}
    assert not prefilter_of(Query("Needle").pattern).may_match(lines["needle"])
    for query in (
        Query("traceback"),
        Query("connection refused"),
        Query("(fatal|panic): .*"),
        Query(r"\d+ failed\b"),
        Query("é"),
        Query("✅"),
        Query("❤️ it"),
    ):
        assert not prefilter_of(query.pattern).may_match(lines["Nadel"]), query


def test_case_is_ignored_beyond_ascii_for_three_letters_only() -> None:
    """The prefilter knows these by heart."""
    every = "".join(map(chr, [*range(128, 0xD800), *range(0xE000, sys.maxunicode + 1)]))
    found = {
        letter: re.findall(letter, every, re.IGNORECASE) for letter in string.ascii_lowercase + string.digits + "_"
    }
    assert {letter: signs for letter, signs in found.items() if signs} == {"i": ["İ", "ı"], "k": ["\u212a"], "s": ["ſ"]}


@pytest.mark.parametrize("seed", range(30))
def test_lines_longer_than_what_is_read_in_one_go_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(candidates, "BLOCK", 600)
    chosen = random.Random(seed)
    path, expected = tmp_path / "a.jsonl", []
    with path.open("w") as file:
        for number in range(chosen.randrange(1, 12)):
            word = chosen.choice(["needle", "needle and foo", "foo, needle", "ne edle", "foo", ""])
            text = "x" * chosen.randrange(3000) + word + "y" * chosen.randrange(2000)
            file.write(json.dumps(chat(("user", text))) + chosen.choice(["\n", "\n\n"]))
            if "needle" in word:
                expected.append(f"a#{number}")
    for query in (Query("needle"), Query("foo.*needle|needle.*foo|needle")):
        assert [run.id for run in runs([path], query)] == expected


@given(st.text("ab \u3042", min_size=1, max_size=40), st.integers(0, 39), st.integers(1, 9), st.integers(1, 30))
def test_an_excerpt_shows_the_match_and_is_no_longer_than_asked(text: str, at: int, length: int, width: int) -> None:
    start = min(at, len(text) - 1)
    span = (start, min(start + length, len(text)))
    shown, spans, _ = excerpt(text, [span], width)
    assert len(shown) <= max(width, 0)
    assert all(shown[a:b] in text[span[0] : span[1]] for a, b in spans)
    if span[1] - span[0] + 2 <= width:
        assert [shown[a:b] for a, b in spans] == [text[span[0] : span[1]]]


# -- what a hit says


def test_a_hit_says_where_it_is_and_shows_its_line_and_those_around(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", chat(("user", "hi")), chat(("user", "go"), ("assistant", "one\ntwo needle two\nthree"))
    )
    (found,) = runs([path], Query("needle"), around=1)
    (hit,) = found.hits
    assert (found.line, found.id, found.where) == (2, "a#1", f"{path}:2")
    assert (hit.label, hit.unit, hit.role, hit.field, hit.line) == ("T0B1", 0, "assistant", "text", 1)
    assert (hit.text, hit.spans, hit.before, hit.after) == ("two needle two", ((4, 10),), ("one",), ("three",))


def test_a_record_without_an_id_has_the_name_that_the_list_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps(chat(("user", f"number {n}"))) for n in range(6)]
    path.write_text("\n".join([lines[0], "{broken", "", lines[1], lines[2], "[", lines[3] + "\n" + lines[4], lines[5]]))
    found = runs([path], Query("number [25]"))
    listed = {info.offset: info.id for info in open_corpus(path)}
    assert [run.id for run in found] == ["a#2", "a#5"] == [listed[run.offset] for run in found]


@pytest.mark.parametrize("error", [KeyError("oops"), FormatError("not today")])
def test_what_a_format_refuses_is_searched_as_the_list_has_it_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    path = write(tmp_path / "a.jsonl", *(chat(("user", f"needle {id}"), id=id) for id in "abc"))
    refuse(monkeypatch, "read", "b", error)
    items = list(CorpusSearch([path], Query("needle")).found())
    assert [item.id for item in items if isinstance(item, RunMatches)] == [
        "a",
        "c",
    ]  # the list has it, it cannot be read
    assert [(item.where.line, item.opens) for item in items if isinstance(item, Problem)] == [(2, False)]

    refuse(monkeypatch, "summarise", "b", error)
    items = list(CorpusSearch([path], Query("needle")).found())
    assert {(item.line, item.format) for item in items if isinstance(item, RunMatches)} == {
        (info.line, info.format) for info in open_corpus(path)
    }
    (problem,) = (item for item in items if isinstance(item, Problem))
    assert (problem.where, problem.opens) == (Where(path, 2), True)
    assert str(error).strip("'") in problem.reason


def test_a_match_over_two_lines_shows_both(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", chat(("user", "one\ntwo\nthree")))
    (found,) = runs([path], Query(r"ne\ntw"))
    assert [(hit.text, hit.spans) for hit in found.hits] == [("one", ((1, 3),)), ("two", ((0, 2),))]
    assert found.matches == 1


def test_long_lines_are_cut_around_the_match_and_memory_is_bounded(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", chat(("user", "x" * 5000 + " needle " + "y" * 5000), ("user", "needle\n" * 100)))
    (found,) = runs([path], Query("needle"), width=60, keep=5)
    first = found.hits[0]
    assert len(first.text) == 60
    assert [first.text[a:b] for a, b in first.spans] == ["needle"]
    assert first.text[0] == first.text[-1] == "…"
    assert (len(found.hits), found.matches, found.messages) == (5, 101, 2)


def test_most_stops_early(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", chat(*[("user", "needle")] * 50))
    (found,) = runs([path], Query("needle"), most=3)
    assert found.matches == 3


# -- restrictions


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "find needle"}'}}
    other = {"id": "c2", "type": "function", "function": {"name": "edit", "arguments": '{"path": "needle"}'}}
    return write(
        tmp_path / "t.json",
        {
            "messages": [
                {"role": "user", "content": "needle please", "name": "needle_man"},
                {
                    "role": "assistant",
                    "content": "a needle",
                    "reasoning_content": "needle?",
                    "tool_calls": [call, other],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "no needle"},
                {"role": "tool", "tool_call_id": "c2", "content": "needle, edited"},
            ],
            "task": "needle-hunt",
        },
    )


@pytest.mark.parametrize(
    ("typed", "lines"),
    [
        ("needle", ["needle please", "a needle", "needle?", "find needle", "needle", "no needle", "needle, edited"]),
        ("role:tool needle", ["no needle", "needle, edited"]),
        ("needle role:user", ["needle please"]),
        ("tool:bash needle", ["find needle", "no needle"]),
        ("tool:BA* needle", ["find needle", "no needle"]),
        ("tool:bash role:assistant needle", ["find needle"]),
        ("in:reasoning needle", ["needle?"]),
        ("in:arguments needle", ["find needle", "needle"]),
        ("in:calls,reasoning needle", ["needle?", "find needle", "needle"]),
        ("in:text tool:edit needle", ["needle, edited"]),
        ("in:metadata needle", ["task: needle-hunt", "name: needle_man"]),
        ("role:tool in:reasoning needle", []),
        ("needle role:tool please", []),  # in the middle it is what to look for
    ],
)
def test_restrictions_by_role_tool_and_field(tools: Path, typed: str, lines: list[str]) -> None:
    assert [hit.text for run in runs([tools], query_from(typed)) for hit in run.hits] == lines


def test_metadata_of_a_run_is_found_by_the_name_that_its_file_gives_it(tmp_path: Path) -> None:
    path = write(tmp_path / "haystack.json", chat(("user", "hi")))
    (found,) = runs([path], query_from("in:metadata haysta"))
    assert [(hit.label, hit.text) for hit in found.hits] == [("run", "id: haystack")]
    path.write_text(json.dumps({**chat(("user", "hi")), "colour": "purple"}))
    assert len(runs([path], query_from(r"in:metadata haystack\ncolour: purple"))) == 1


@pytest.mark.parametrize(
    ("typed", "text", "regex", "roles", "tools"),
    [
        ("foo(", "foo(", False, set(), ()),
        (r"role\:tool", r"role\:tool", True, set(), ()),
        ("  role:tool  two words  tool:bash ", "two words", True, {"tool"}, ("bash",)),
        ("http://x", "http://x", True, set(), ()),
    ],
)
def test_what_is_typed_is_taken_apart(
    typed: str, text: str, regex: bool, roles: set[str], tools: tuple[str, ...]
) -> None:
    query = query_from(typed)
    assert (query.text, query.regex, query.roles, query.tools) == (text, regex, roles, tools)
    assert query_from(str(query)) == query


@pytest.mark.parametrize("typed", ["role:nobody x", "in:nowhere x", "role:tool", ""])
def test_what_cannot_be_searched_for_is_said(typed: str) -> None:
    from trajview.corpus.query import QueryError

    with pytest.raises(QueryError) as raised:
        query_from(typed)
    assert raised.value.hint


def test_a_bad_regular_expression_points_at_its_column() -> None:
    from trajview.corpus.query import QueryError

    with pytest.raises(QueryError) as raised:
        Query("ab(c", word=True)
    assert raised.value.column == 3


def test_smart_case_minds_capitals_that_are_letters(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", chat(("user", "Needle needle NEEDLE")))
    counts = [
        runs([path], query)[0].matches
        for query in (
            Query("needle"),
            Query("Needle"),
            Query(r"\Seedle"),
            Query("needle", case="sensitive"),
            Query("Needle", case="ignore"),
        )
    ]
    assert counts == [3, 1, 3, 1, 3]


def test_whole_words(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", chat(("user", "car cart car_2 (car) scar")))
    assert runs([path], Query("car", word=True))[0].matches == 2


# -- on the way


def test_what_cannot_be_read_is_a_problem_and_the_rest_is_searched(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        json.dumps(chat(("user", "x"))) + '\n{"needle": \n' + json.dumps(chat(("user", "needle"))) + '\n{"a": "needle'
    )
    (tmp_path / "b.json").write_text("needle")
    found = list(CorpusSearch([tmp_path, tmp_path / "gone"], Query("needle")).found())
    problems = [str(item.where) for item in found if isinstance(item, Problem)]
    assert problems == [f"{path}:2", f"{path}:4", f"{tmp_path / 'b.json'}:1", str(tmp_path / "gone")]
    assert [run.line for run in found if isinstance(run, RunMatches)] == [3]


def test_a_search_that_is_cancelled_ends_in_the_middle_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "BLOCK", 1000)
    path = write(tmp_path / "a.jsonl", *[chat(("user", "needle")) for _ in range(1000)])
    stop = False
    search = CorpusSearch([path], Query("needle"), cancelled=lambda: stop)
    count = 0
    for _ in search.found():
        count += 1
        stop = count == 3
    assert count < 20
    assert 0 < search.bytes_done < path.stat().st_size


def test_the_list_has_the_run_that_was_found(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", chat(("user", "x")), chat(("user", "needle"), id="second"))
    corpus = open_corpus(path)
    (found,) = runs([path], Query("needle"))
    assert corpus.at(found.place, found.id).id == "second"
    with pytest.raises(UnreadableError, match="not in the list"):
        corpus.at((path, None, 7), found.id)


def test_progress_counts_the_bytes_of_the_files(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", chat(("user", "needle")), chat(("user", "other")))
    write(tmp_path / "b.json", chat(("user", "other")))
    search = CorpusSearch([tmp_path], Query("needle"))
    assert len(list(search.found())) == 1
    assert search.bytes_done == sum(path.stat().st_size for path in tmp_path.iterdir())
    assert (search.files_done, search.runs, search.matches, search.messages) == (2, 1, 1, 1)


def test_pieces_without_restrictions_are_what_a_highlight_is_looked_for_in() -> None:
    corpus = open_corpus(*SAMPLES)
    for info in corpus:
        for transcript in corpus.load(info).transcripts:
            for message in transcript.messages:
                assert "\n".join(piece.text for piece in pieces_of(message, Query("x"))) == without_colours(
                    text_of(message)
                )


@pytest.mark.parametrize("pattern", ["agent", "a.b", r"\bfile\b", "[a-f]+t", "ab|cd", "(?i:X)y", "K", "ſ", "^I ", "x*"])
@pytest.mark.parametrize("flags", [re.MULTILINE, re.MULTILINE | re.IGNORECASE])
def test_spans_and_counts_are_those_of_the_pattern(pattern: str, flags: int) -> None:
    compiled = re.compile(pattern, flags)
    for text in ("An AGENT, a+b; A.B", "FILE file\nI am X\nk K \u212a", "S\u017f \u0130 i\u0131I", "xxY ABCD cdab", ""):
        spans = [match.span() for match in compiled.finditer(text) if match.group()]
        assert list(finder_of(compiled).spans(text)) == spans
        assert finder_of(compiled).count(text) == len(spans)


@settings(max_examples=100)
@given(
    first=st.sampled_from([r"\d", r"\s", "[0-9]", "[0-9.,]", "[ _:]"]),
    times=st.sampled_from(["+", "{1}", "{2}", "{3}", "{2,3}", "{2}?", "+?", "++", "{0}", "*", "{2}{2}"]),
    rest=st.sampled_from(["", "a", r"\s+\w+", "|b", r"(\d)\1", r"\b", "$", "x{2}", r"[0-9]\s", "]"]),
    text=st.text(alphabet="0123\n .,_:abXx\u0663\u00a0", max_size=40),
    flags=st.sampled_from([re.MULTILINE, re.MULTILINE | re.IGNORECASE]),
)
def test_a_repeated_first_character_is_counted_as_the_pattern_has_it(
    first: str, times: str, rest: str, text: str, flags: int
) -> None:
    try:
        compiled = re.compile(first + times + rest, flags)
    except re.error:  # multiple repeat
        return
    assert finder_of(compiled).count(text) == sum(1 for match in compiled.finditer(text) if match.group())


PHRASE = "ababab ababac and k"


@pytest.mark.parametrize("wanted", ["needle", "Needle", "a b|xyz", "café", "mmm", "be", "✅ ok", PHRASE, "bab abab"])
def test_a_word_with_colours_in_it_is_never_passed_over(wanted: str) -> None:
    chosen = random.Random(wanted)
    codes = [r"\u001b[0m", r"\u001B[1;31m", "\x1b[K", r"\u001b(B", r"\u001b[?25h", r"\u001b[9", r"\u001b"]
    bytes_may_match = prefilter_of(Query(wanted).pattern).may_match
    passed = 0
    for _ in range(2000):
        word = chosen.choice(
            [*wanted.split("|"), "needle", "NeEdle", "xyz", "cafe", "✅", "be mmm", PHRASE, PHRASE.upper(), "ababab"]
        )
        word = "".join(
            "".join(chosen.choices(codes, k=chosen.choice((0, 0, 0, 1, 2)))) + char
            for char in word * chosen.choice((1, 2))
        )
        logged = json.dumps(chat(("user", "x")), ensure_ascii=False).replace('"x"', f'"xx{word}yy"')
        try:
            said = without_colours(json.loads(logged, strict=False)["messages"][0]["content"])
        except ValueError:  # half an escape
            continue
        if Query(wanted).pattern.search(said):
            assert bytes_may_match(logged.encode()), logged
        else:
            passed += not bytes_may_match(logged.encode())
    assert passed > 100 or not prefilter_of(Query(wanted).pattern).clauses
    for hostile in (r"\u001b[0mn", "nmab" + r"\u001b[0m", "ababab a" + r"\u001b[0m" * 9, "mm" + r"\u001b[m" * 2_000):
        many = hostile.encode() * (200_000 // len(hostile))
        start = time.process_time()
        bytes_may_match(many)
        assert time.process_time() - start < 5


def test_fewer_hits_are_kept_of_the_runs_after_the_first_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *(chat(*[("user", "needle")] * 3) for _ in range(MANY + 5)))
    found = runs([path], Query("needle"), keep=9, keep_of_many=1)
    assert [len(run.hits) for run in found] == [3] * MANY + [1] * 5
    assert {run.matches for run in found} == {3}
