"""The scan in the background: every record is listed before it is read, and what is known in the end is the plain scan."""

from __future__ import annotations

import json
import random
import threading
from itertools import chain, repeat
from pathlib import Path

import pytest

from trajview import open_corpus
from trajview.corpus import background
from trajview.corpus.cache import SummaryCache
from trajview.corpus.corpus import Corpus
from trajview.corpus.info import RunInfo, Updated
from trajview.corpus.listing import listed, peeked_id
from trajview.corpus.walk import SourceFile
from trajview.errors import Problem, UnreadableError

from .logs import chat, write_lines
from .refusing import refuse


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small files are listed first, as large ones are."""
    monkeypatch.setattr(background, "AT_ONCE", 0)


class Rows:
    """What a subscriber has in the end, as the browser keeps it."""

    def __init__(self, corpus: Corpus) -> None:
        self.rows: list[RunInfo | Problem] = []
        self.were_listed: list[RunInfo] = []
        self.ends = 0
        corpus.subscribe(self.take)

    def take(self, batch: list[RunInfo | Problem | Updated], finished: bool) -> None:
        for item in batch:
            if isinstance(item, Updated):
                before = self.rows[item.row]
                if isinstance(before, RunInfo) and isinstance(item.item, RunInfo):
                    assert before.place == item.item.place
                self.rows[item.row] = item.item
            else:
                self.rows.append(item)
                if isinstance(item, RunInfo) and not item.summarised:
                    self.were_listed.append(item)
        self.ends += finished

    @property
    def runs(self) -> list[RunInfo]:
        return [row for row in self.rows if isinstance(row, RunInfo)]


def scanned(*paths: Path) -> tuple[Corpus, Rows]:
    corpus = Corpus(paths)
    rows = Rows(corpus)
    corpus.start()
    assert corpus.wait(30)
    return corpus, rows


def only_listed(path: Path, runs: int) -> tuple[Corpus, Rows, threading.Event]:
    """A corpus that has its list, and sums nothing up before the event is set."""
    corpus, all_listed, go = Corpus([path]), threading.Event(), threading.Event()
    rows = Rows(corpus)

    def hold(_: object, finished: bool) -> None:
        if len(rows.rows) == runs and not all_listed.is_set():
            all_listed.set()
            assert go.wait(30)

    corpus.subscribe(hold)
    corpus.start()
    assert all_listed.wait(30)
    return corpus, rows, go


def assert_same_as_the_plain_scan(*paths: Path) -> Rows:
    corpus, rows = scanned(*paths)
    plain = open_corpus(*paths)
    late = Rows(corpus)
    assert rows.rows == late.rows
    assert not late.were_listed
    order = {info.place: at for at, info in enumerate(plain.infos)}
    assert sorted(rows.runs, key=lambda info: order[info.place]) == plain.infos
    assert sorted(corpus.infos, key=lambda info: order[info.place]) == plain.infos
    assert sorted(map(str, corpus.problems)) == sorted(map(str, plain.problems))
    assert sorted(str(row) for row in rows.rows if isinstance(row, Problem)) == sorted(map(str, plain.problems))
    assert (corpus.skipped, corpus.files_done, corpus.bytes_done) == (plain.skipped, plain.files_done, plain.bytes_done)
    assert rows.ends == 1
    for info in plain:
        assert corpus.find(info.key) == info
    return rows


def test_every_line_is_listed_with_its_id_and_summed_up_in_its_row(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat("a"), chat("b"), {"pk": "e", "x": 1}, chat("c")])
    rows = assert_same_as_the_plain_scan(path)
    assert [info.id for info in rows.were_listed] == ["a", "b", "e", "c"]
    assert [(info.format, info.messages) for info in rows.were_listed] == [("", 0)] * 4
    assert len(rows.rows) == 4


def test_bad_lines_become_problems_in_their_rows(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat(None), chat("b"), chat(None), chat("d")])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"id": "bad", \n' + lines[1] + b"no JSON\n" + b"\xff\n" + lines[2] + b'{"id": "torn"')
    rows = assert_same_as_the_plain_scan(path)
    assert [info.id for info in rows.were_listed] == ["x#0", "bad", "b", "x#3", "torn"]
    kinds = [row.id if isinstance(row, RunInfo) else row.where.line for row in rows.rows]
    assert kinds == ["x#0", 2, "b", "x#2", 7, 4, 5]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \t\n\n \r\n"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_lines_are_listed_where_they_are_however_the_file_is_laid_out(tmp_path: Path, end: bytes, bom: bytes) -> None:
    path = tmp_path / "x.jsonl"
    records = [json.dumps(chat(f"r{i}", "é" * i)).encode() for i in range(20)]
    path.write_bytes(bom + end.join(b" " * (i % 3) + record for i, record in enumerate(records)))
    rows = assert_same_as_the_plain_scan(path)
    data = path.read_bytes()
    assert [data[info.offset : info.offset + info.length] for info in rows.were_listed] == records


def test_lines_longer_than_the_buffer_and_their_edges_are_found(tmp_path: Path) -> None:
    chance = random.Random(7)
    path = tmp_path / "x.jsonl"
    sizes = [10, 1 << 20, (1 << 20) - 40, 5, 3 << 20, *(chance.randrange(1, 700_000) for _ in range(12))]
    pad = [b" " * chance.choice([0, 0, 1, 5000]) for _ in sizes]
    with path.open("wb") as file:
        for i, size in enumerate(sizes):
            file.write(pad[i] + json.dumps(chat(f"r{i}", "x" * size)).encode() + pad[-i - 1] + b"\r\n")
            file.write(b" " * (i % 2 * 9000) + b"\n" * (i % 3))
    rows = assert_same_as_the_plain_scan(path)
    assert [(info.place, info.length, info.line) for info in rows.were_listed] == [
        (info.place, info.length, info.line) for info in rows.runs
    ]


def test_a_folder_of_all_kinds_of_files_ends_as_the_plain_scan_does(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [chat("same"), chat("x"), chat(None)])
    (tmp_path / "b.json").write_text(json.dumps(chat("same", "other"), indent=1))
    (tmp_path / "c.json").write_text(json.dumps([chat("c1"), chat("same", "third")]))
    (tmp_path / "d.json").write_text("{]")
    (tmp_path / "e.json").write_text(json.dumps(chat("e1")) + "\n" + json.dumps(chat("e2")))
    (tmp_path / "f.yaml").write_text("id: f\nmessages: [{role: user, content: hi}]\n")
    write_lines(tmp_path / "g.jsonl", [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}])
    (tmp_path / "h.jsonl").write_text("")
    (tmp_path / "i.jsonl").write_bytes(json.dumps(chat("i")).encode("utf-16"))
    (tmp_path / "j.json").write_text('{"messages": [], "id": "j"')
    (tmp_path / "k.jsonl").write_bytes(b'{"id": "k", "messages": [{"role": "user", "content": "\xff"}]}\n' * 2)
    write_lines(tmp_path / "l.jsonl", [chat("same", "fourth"), chat("same")])
    assert_same_as_the_plain_scan(tmp_path)
    assert_same_as_the_plain_scan(tmp_path / "l.jsonl", tmp_path, tmp_path / "none.json")


def test_a_run_opens_before_it_is_summed_up_and_its_key_is_the_final_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat("a"), chat("b", "two"), chat("a", "again"), chat("c")])
    corpus, rows, go = only_listed(path, 4)
    first, second, third, last = rows.runs
    early = corpus.resolve(second)
    assert (early.key, early.format, early.messages, early.summarised) == ("b", "openai", 2, True)
    assert corpus.load(second).transcripts[0].messages[0].text == "two"
    assert corpus.raw(last) == json.dumps(chat("c"))
    with pytest.raises(UnreadableError, match="not known yet"):
        corpus.resolve(third, 0.05)  # its id is the first one's too
    assert corpus.find("b") is None
    go.set()
    assert corpus.resolve(third).key.startswith("a@")
    assert corpus.wait(10)
    assert [corpus.resolve(info) for info in (first, second, third, last)] == rows.runs == corpus.infos
    assert early == rows.runs[1]


def test_a_fault_in_a_format_opens_early_as_it_will_be_listed_and_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, "summarise", "b", KeyError("oops"))
    path = write_lines(tmp_path / "x.jsonl", [chat("a"), chat("b", "two"), chat("c")])
    corpus, rows, go = only_listed(path, 3)
    early = corpus.load(rows.runs[1])
    assert early.source_format == "raw"
    assert "two" in early.transcripts[0].messages[0].text
    assert not corpus.problems
    go.set()
    assert corpus.wait(10)
    assert [info.format for info in corpus.infos] == ["openai", "raw", "openai"]
    assert ["KeyError" in problem.reason and problem.where.line == 2 for problem in corpus.problems] == [True]


def test_where_a_record_does_not_say_its_id_at_its_start_the_key_waits_for_the_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = {"messages": chat("b")["messages"], "id": "b"}
    path = write_lines(tmp_path / "x.jsonl", [late, chat("b", "other")])
    corpus, rows, go = only_listed(path, 2)
    threading.Timer(0.05, go.set).start()
    assert corpus.resolve(rows.runs[1]).key.startswith("b@")
    assert corpus.wait(10)


def test_a_listed_record_that_is_no_run_says_so_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(chat("a")) + '\n{"id": "bad"\n' + json.dumps(chat("c")) + "\n")
    corpus, rows = scanned(path)
    with pytest.raises(UnreadableError, match="no run"):
        corpus.resolve(rows.were_listed[1])
    assert corpus.resolve(rows.were_listed[2]).id == "c"


def test_a_file_that_shrinks_between_the_passes_leaves_problems_and_no_wrong_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat(f"r{i}") for i in range(9)])
    corpus = Corpus([path])
    shrunk = threading.Event()

    def shrink(_: object, finished: bool) -> None:
        if len(corpus) == 9 and not shrunk.is_set():
            shrunk.set()
            write_lines(path, [chat("new"), chat("r1")])

    corpus.subscribe(shrink)
    corpus.start()
    assert corpus.wait(30)
    assert shrunk.is_set()
    assert [info.id for info in corpus] == ["new", "r1"]
    assert [corpus.load(info).id for info in corpus] == ["new", "r1"]
    assert all(info.summarised for info in corpus)
    assert corpus.problems


def test_what_is_found_wrong_with_a_run_that_is_opened_meanwhile_moves_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat(f"r{n}", "x" * 50) for n in range(300)])
    deep = json.dumps(chat("bad", "é" * 5000 + "?"), ensure_ascii=False).encode()
    path.write_bytes(deep.replace(b"?", b"\xff") + b"\n" + path.read_bytes())
    corpus, rows, go = only_listed(path, 301)
    first = corpus.infos[0]
    problem = corpus.check_bytes(first)
    assert problem is not None
    assert corpus.check_bytes(first) is None
    go.set()
    assert corpus.wait(10)
    assert rows.runs == corpus.infos
    assert all(info.summarised for info in rows.runs)
    assert [row for row in rows.rows if isinstance(row, Problem)] == corpus.problems == [problem]


def test_a_scan_that_is_cancelled_while_listing_ends(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "x.jsonl", [chat(str(i)) for i in range(5000)])
    corpus = Corpus([path])
    corpus.subscribe(lambda *_: corpus.cancel())
    corpus.start()
    assert corpus.wait(10)
    assert 0 < len(corpus) < 5000


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b'{"id": "a"}', "a"),
        (b'{ "pk" :\n"\xc3\xa9x", ', "éx"),
        (b'{"id": "a\\n"}', None),
        (b'{"id": " "}', None),
        (b'{"id": 7}', None),
        (b'{"name": "a"}', None),
        (b'{"id": "\xff"}', None),
        (b'{"id": "cut', None),
        (b"", None),
    ],
)
def test_an_id_is_taken_from_the_first_bytes_only_where_it_is_sure(head: bytes, found: str | None) -> None:
    assert peeked_id(head) == found


def test_files_that_only_reading_can_tell_are_not_listed(tmp_path: Path) -> None:
    for name, data in {
        "a.yaml": b"{}", "b.json": b"[{}]", "c.jsonl": b'{"role": "user", "content": "x"}\n{}\n', "d.jsonl": b"{}",
        "e.jsonl": b'{"a":\n1}', "f.eval": b"PK\x03\x04", "g.jsonl": b"[1]\n[2]\n", "h.json": b"", "i.json": b"\xff\xfe{\0",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(data)
        source = SourceFile(tmp_path / name, name, named=True)
        assert listed(source, "x") is None, name


def test_runs_of_the_same_models_share_them(tmp_path: Path) -> None:
    lines = [{"id": f"r{n}", "messages": [{"role": "user", "content": "x"}], "model": "m"} for n in range(30)]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    corpus = Corpus([path])
    corpus.start()
    assert corpus.wait(10)
    assert {info.models for info in corpus} == {("m",)}
    assert len({id(info.models) for info in corpus}) == 1
    assert [corpus.find(f"r{n}") for n in range(30)] == list(corpus)
    assert corpus.neighbour(corpus[3], 2) == corpus[5]


def test_a_patient_scan_finds_the_first_runs_and_goes_on_when_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 0)
    monkeypatch.setattr(background, "PATIENCE", 60)
    line = json.dumps({"id": "r", "messages": [{"role": "user", "content": "x"}]}) + "\n"
    path = tmp_path / "a.jsonl"
    path.write_text(line * 500)
    corpus = Corpus([path])
    corpus.start(patiently=True)
    assert not corpus.wait(0.3)
    assert 0 < len(corpus) < 500
    corpus.go_on()
    assert corpus.wait(10)
    assert len(corpus) == 500
    assert all(info.summarised for info in corpus)


def test_the_first_batch_is_full_however_long_the_folder_was_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        (tmp_path / f"{number}.json").write_text(json.dumps({"messages": [{"role": "user", "content": "x"}]}))
    times = chain([0.0], repeat(1.0))  # a second goes by while the folder is looked through
    monkeypatch.setattr(background, "monotonic", lambda: next(times))
    monkeypatch.setattr(background, "AT_ONCE", 1 << 20)
    batches: list[int] = []
    corpus = Corpus([tmp_path])
    corpus.subscribe(lambda batch, _: batches.append(len(batch)))
    corpus.start()
    assert corpus.wait(10)
    assert batches[:2] == [40, 20]


def test_a_patient_scan_of_little_is_done_at_once_and_a_cancelled_one_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "PATIENCE", 60)
    monkeypatch.setattr(background, "AT_ONCE", 1000)
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "r", "messages": [{"role": "user", "content": "x"}]}) + "\n")
    corpus = Corpus([path])
    corpus.start(patiently=True)
    assert corpus.wait(10)
    assert len(corpus) == 1
    monkeypatch.setattr(background, "AT_ONCE", 0)
    corpus = Corpus([path])
    corpus.start(patiently=True)
    assert not corpus.wait(0.2)
    corpus.cancel()
    assert corpus.wait(10)


def write_screenful(folder: Path, count: int, **at: bytes) -> None:
    """So many files of one run each, but for those whose content is given by their number (`_7=b"..."`)."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        data = json.dumps(chat(f"r{number % 50}", str(number))).encode()
        (folder / f"{number}.json").write_bytes(at.get(f"_{number}", data))


def scanned_patiently(folder: Path, cache: Path | None = None) -> tuple[Rows, list[RunInfo | Problem], list[int]]:
    """The rows of a patient scan, those that it waited with, and how large its batches were after that."""
    corpus = Corpus([folder], None if cache is None else SummaryCache(cache))
    rows, has_rows, batches = Rows(corpus), threading.Event(), []
    corpus.subscribe(lambda *_: has_rows.set())
    corpus.start(patiently=True)
    assert has_rows.wait(30)
    first = list(rows.rows)
    corpus.subscribe(lambda batch, _: batches.append(len(batch)))
    corpus.go_on()
    assert corpus.wait(30)
    assert rows.rows == list(open_corpus(folder))
    return rows, first, batches


def test_of_many_files_a_screenful_is_listed_and_read_first_once_it_is_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 1 << 20)
    monkeypatch.setattr(background, "PATIENCE", 60)
    write_screenful(tmp_path / "many", 130)
    rows, first, batches = scanned_patiently(tmp_path / "many")
    assert [(row.id, row.summarised) for row in first] == [(f"r{n}", False) for n in range(40)]
    assert rows.were_listed == first
    assert batches[:2] == [40, 40], "what was on the screen, and then that summed up"


@pytest.mark.parametrize(
    "others",
    [
        *({f"_{number}": json.dumps([chat("x"), chat("r3"), chat("y")]).encode()} for number in (0, 7, 39, 40)),
        {"_5": json.dumps(chat("x")).encode() * 2, "_8": b'\xef\xbb\xbf\n {"messages": []}\n\n'},
        {"_3": b'{"messages": [], "id": "j"', "_5": b'{"id": "r5"}', "_9": b'{"id": "\xff"}', "_10": b""},
    ],
)
def test_files_of_a_screenful_that_are_no_single_run_keep_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: dict[str, bytes]
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 1 << 20)
    write_screenful(tmp_path, 90, **others)
    corpus, plain = Corpus([tmp_path]), open_corpus(tmp_path)
    rows = Rows(corpus)
    monkeypatch.setattr(background, "PATIENCE", 0)
    corpus.start(patiently=True)
    assert corpus.wait(30)
    assert rows.runs == list(corpus) == list(plain)
    assert sorted(map(str, corpus.problems)) == sorted(map(str, plain.problems))


def test_a_screenful_larger_than_what_is_read_at_once_is_read_as_far_and_the_rest_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "PATIENCE", 60)
    monkeypatch.setattr(background, "AT_ONCE", 1000)  # some ten files
    write_screenful(tmp_path / "many", 100)
    rows, first, _ = scanned_patiently(tmp_path / "many")
    assert len(first) == 40
    assert len(rows.were_listed) == 100


def test_of_files_that_the_cache_knows_the_first_screenful_is_summed_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 1 << 20)
    monkeypatch.setattr("trajview.corpus.cache.JUST_NOW", 0)
    write_screenful(tmp_path / "many", 60)
    cache = tmp_path / "cache.sqlite"
    corpus = Corpus([tmp_path / "many"], SummaryCache(cache))
    corpus.scan()
    (tmp_path / "many" / "20.json").write_text(json.dumps(chat("other")))
    rows, first, _ = scanned_patiently(tmp_path / "many", cache)
    assert [row.summarised for row in first] == [number < 20 for number in range(40)]
    assert [row.id for row in rows.were_listed] == ["other", *(f"r{n}" for n in range(21, 40))]


@pytest.mark.parametrize("count", [3, 60])
def test_who_starts_a_scan_patiently_has_the_first_runs_at_once_where_they_are_quickly_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 1 << 20)
    monkeypatch.setattr("trajview.corpus.corpus.NO_TIME", 60)
    monkeypatch.setattr(background, "PATIENCE", 60)
    write_screenful(tmp_path, count)
    corpus = Corpus([tmp_path])
    corpus.start(patiently=True)
    assert len(corpus) == min(count, 40)
    corpus.cancel()
    assert corpus.wait(30)


def test_who_starts_a_scan_patiently_does_not_wait_for_a_slow_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, may_end = threading.Event(), threading.Event()
    monkeypatch.setattr("trajview.corpus.scan.walk", lambda _: iter([began.set(), may_end.wait(60)][:0]))
    corpus = Corpus([tmp_path])
    corpus.start(patiently=True)
    assert began.wait(30)
    assert not corpus.finished
    may_end.set()
    assert corpus.wait(30)


def test_a_file_that_is_slow_to_read_does_not_keep_the_others_from_being_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AT_ONCE", 1000)
    (tmp_path / "a.yaml").write_text("messages:\n- {role: user, content: slow}\n")
    write_lines(tmp_path / "b.jsonl", [chat("b")])
    corpus, rows, go = only_listed(tmp_path, 1)
    assert [info.id for info in rows.were_listed] == ["b"]
    go.set()
    assert corpus.wait(30)
    assert [info.id for info in rows.runs] == ["b", "a"]
