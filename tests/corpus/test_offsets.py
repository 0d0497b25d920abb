"""Properties: the raw text of a run is, byte for byte, the record in its file, however the file is laid out."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trajview import open_corpus
from trajview.corpus.corpus import Corpus

SPACE = st.text(" \t\r\n", max_size=4)
WORDS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ['"', "\\", "]}", "[{", "\u2028", "😀\ud83d", ","]
)
LAYOUT = st.sampled_from([{}, {"ensure_ascii": False}, {"separators": (",", ":")}, {"separators": (" , ", " : ")}])


@st.composite
def records(draw: st.DrawFn) -> str:
    """The text of a record on one line; some hold NaN, which only Python's reader takes."""
    content: Any = {
        "messages": [{"role": "user", "content": draw(WORDS)} for _ in range(draw(st.integers(0, 3)))],
        "more": draw(st.none() | st.just(float("nan")) | WORDS | st.lists(st.integers(), max_size=3)),
    }
    text = json.dumps(content, **draw(LAYOUT))
    return text.encode("utf-8", errors="replace").decode()


def raw_texts(name: str, content: str, bom: bool) -> tuple[list[str], int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes((b"\xef\xbb\xbf" if bom else b"") + content.encode())
        corpus = open_corpus(path)
        data = path.read_bytes()
        for info in corpus:
            assert data[info.offset : info.offset + info.length].decode() == corpus.raw(info)
            assert data.count(b"\n", 0, info.offset) + 1 == info.line
        return [corpus.raw(info) for info in corpus], sum(not problem.opens for problem in corpus.problems)


@given(
    lines=st.lists(
        st.tuples(records(), st.sampled_from(["\n", "\r\n", "\n\n", " \r\n\t\r\n"])), min_size=2, max_size=8
    ),
    indent=st.text(" \t", max_size=2),
    torn=st.booleans(),
    bom=st.booleans(),
)
def test_the_raw_text_of_a_line_is_that_line(lines: list[tuple[str, str]], indent: str, torn: bool, bom: bool) -> None:
    content = "".join(indent + record + end for record, end in lines)
    if torn:
        content += lines[0][0][:-1]
    assert raw_texts("a.jsonl", content, bom) == ([record for record, _ in lines], int(torn))


@given(
    elements=st.lists(st.tuples(SPACE, records(), SPACE), min_size=1, max_size=6),
    around=st.tuples(SPACE, SPACE),
    bom=st.booleans(),
    name=st.sampled_from(["a.json", "a.jsonl"]),
)
def test_the_raw_text_of_an_element_is_that_element(
    elements: list[tuple[str, str, str]], around: tuple[str, str], bom: bool, name: str
) -> None:
    inner = ",".join(before + record + after for before, record, after in elements)
    content = f"{around[0]}[{inner}]{around[1]}"
    assert raw_texts(name, content, bom) == ([record for _, record, _ in elements], 0)


@given(
    elements=st.lists(st.tuples(records(), st.none() | st.integers(0, 3)), min_size=1, max_size=4),
    indent=st.none() | st.integers(0, 2),
    tear=st.booleans(),
)
def test_elements_of_several_lines_begin_on_the_line_that_is_said(
    elements: list[tuple[str, int | None]], indent: int | None, tear: bool
) -> None:
    texts = [json.dumps(json.loads(text), indent=each) for text, each in elements]
    joint = "," if indent is None else f",\n{' ' * indent}"
    content = f"[{joint.join(texts)}\n{'' if tear else ']'}"  # torn, it is split by its brackets
    found, problems = raw_texts("a.json", content, bom=False)
    assert found == texts
    assert problems == tear


@given(elements=st.lists(records(), min_size=1, max_size=4), data=st.data())
def test_an_array_torn_anywhere_still_gives_the_records_before_the_tear(
    elements: list[str], data: st.DataObject
) -> None:
    content = "[\n" + ",\n".join(elements) + "\n]"
    cut = data.draw(st.integers(1, len(content) - 1))
    whole = [element for index, element in enumerate(elements) if len("[\n" + ",\n".join(elements[: index + 1])) <= cut]
    found, problems = raw_texts("a.json", content[:cut], bom=False)
    # A tear after a record that stands alone on its line leaves a file that is no different from one whole record.
    assert found == whole
    assert problems == 1


@settings(max_examples=80)
@given(
    content=st.binary(max_size=60) | st.text('[]{}",:\\ \nan1', max_size=40).map(str.encode),
    suffix=st.sampled_from(["json", "jsonl", "yaml"]),
)
def test_no_bytes_whatever_end_in_an_exception(content: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{suffix}"
        path.write_bytes(content)
        corpus = open_corpus(path)
        assert len(corpus) or corpus.problems
        for info in corpus:
            corpus.load(info)
            corpus.raw(info)


@pytest.mark.parametrize("patiently", [False, True])
def test_a_line_of_many_megabytes_opens_as_it_is_in_the_file_and_so_do_those_around_it(
    tmp_path: Path, patiently: bool
) -> None:
    """The sizes of buffers are the real ones here, which other tests make small."""
    long = '{"id": "long", "messages": [{"role": "user", "content": "' + "0123456789é\\n" * 2_000_000 + '"}]}'
    texts = ['{"id": "a", "messages": []}', long, '{"id": "b", "messages": []}']
    records = [text.encode() for text in texts]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b" \r\n\r\n".join(records) + b'\r\n{"id": "torn')
    assert len(records[1]) > 25_000_000  # several times what is read or decoded in one go
    corpus = Corpus([path])
    if patiently:
        corpus.start(patiently=True)
        corpus.go_on()
        assert corpus.wait(60)
    else:
        corpus.scan()
    assert [(info.id, info.line) for info in corpus] == [("a", 1), ("long", 3), ("b", 5)]
    assert [info.offset for info in corpus] == [3, 35, 40 + len(records[1])]
    assert all(corpus.raw_bytes(info) == record for info, record in zip(corpus, records, strict=True))
    assert [problem.where.line for problem in corpus.problems] == [6]
    assert len(corpus.load(corpus[1]).transcripts[0].messages[0].text) == 24_000_000
