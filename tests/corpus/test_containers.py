"""What counts as a record, where its bytes are, and what is said about the rest."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from trajview import open_corpus
from trajview.corpus.corpus import Corpus
from trajview.corpus.unpack import wide_encoding
from trajview.errors import UnreadableError

from .logs import ids

USER = {"role": "user", "content": "Is the door locked?"}
ASSISTANT = {"role": "assistant", "content": "It is."}


def chat(run_id: str, **more: Any) -> dict[str, Any]:
    return {"id": run_id, "messages": [USER, ASSISTANT], **more}


def corpus_of(tmp_path: Path, name: str, content: bytes | str) -> Corpus:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_corpus(path)


def test_a_json_object_is_one_record(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", json.dumps(chat("a"), indent=2))
    assert [(info.id, info.container, info.messages, info.alone) for info in corpus] == [("a", "json", 2, True)]
    assert not corpus.problems


def test_a_json_array_has_a_record_for_each_element_with_its_line(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", json.dumps([chat("a"), chat("b")], indent=1))
    text = (tmp_path / "a.json").read_text()
    assert ids(corpus) == ["a", "b"]
    assert [info.line for info in corpus] == [2, text[: text.index('"b"')].count("\n")]
    assert {info.container for info in corpus} == {"json array"}
    assert json.loads(corpus.raw(corpus[1])) == chat("b")


@pytest.mark.parametrize("indent", [None, 2])
def test_a_bare_list_of_messages_is_one_record(tmp_path: Path, indent: int | None) -> None:
    corpus = corpus_of(tmp_path, "a.json", json.dumps([USER, ASSISTANT, USER], indent=indent))
    assert [(info.id, info.container, info.messages) for info in corpus] == [("a", "json", 3)]


def test_an_array_of_message_lists_has_a_record_for_each_list(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", json.dumps([[USER, ASSISTANT], [USER]]))
    assert [(info.id, info.messages) for info in corpus] == [("a#0", 2), ("a#1", 1)]


def test_a_message_per_line_makes_one_record_of_all_lines(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", f"{json.dumps(USER)}\n\n{json.dumps(ASSISTANT)}\r\n{json.dumps(USER)}")
    assert [(info.id, info.container, info.messages) for info in corpus] == [("a", "jsonl messages", 3)]
    assert [message.text for message in corpus.load(corpus[0]).transcripts[0].messages][:2] == [
        "Is the door locked?",
        "It is.",
    ]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson"])
def test_lines_of_json_are_told_by_content_and_not_by_name(tmp_path: Path, name: str) -> None:
    corpus = corpus_of(tmp_path, name, "\n".join(json.dumps(chat(i)) for i in "abc"))
    assert ids(corpus) == ["a", "b", "c"]
    assert [info.line for info in corpus] == [1, 2, 3]


def test_pretty_printed_json_with_the_name_of_jsonl_is_one_record(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", json.dumps(chat("a"), indent=2))
    assert [(info.id, info.container) for info in corpus] == [("a", "json")]
    assert not corpus.problems


def test_an_array_broken_over_lines_with_the_name_of_jsonl_is_an_array(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", f"[\n{json.dumps(chat('a'))},\n{json.dumps(chat('b'))}\n]\n")
    assert [(info.id, info.container) for info in corpus] == [("a", "json array"), ("b", "json array")]


def test_a_bom_crlf_and_blank_lines_are_no_trouble(tmp_path: Path) -> None:
    content = (
        b"\xef\xbb\xbf\r\n" + json.dumps(chat("a")).encode() + b"\r\n\r\n  " + json.dumps(chat("b")).encode() + b"\r\n"
    )
    corpus = corpus_of(tmp_path, "a.jsonl", content)
    assert [(info.id, info.line) for info in corpus] == [("a", 2), ("b", 4)]
    assert corpus.raw(corpus[1]) == json.dumps(chat("b"))
    assert not corpus.problems


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_other_unicode_encodings_with_a_byte_order_mark_open(tmp_path: Path, encoding: str) -> None:
    record = chat("ä", note="日本")
    corpus = corpus_of(tmp_path, "a.json", json.dumps([record, record], ensure_ascii=False).encode(encoding))
    assert ids(corpus) == ["ä", "ä"]
    assert corpus.raw(corpus[1]) == json.dumps(record, ensure_ascii=False)
    assert not corpus.problems


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_other_unicode_encodings_without_a_byte_order_mark_open(tmp_path: Path, encoding: str) -> None:
    record = json.dumps(chat("ä", note="日本🙂"), ensure_ascii=False)
    for name, text in (("a.jsonl", f"{record}\r\n{record}\r\n"), ("a.json", f"[{record}, {record}]"), ("b.json", "[]")):
        corpus = corpus_of(tmp_path, name, text.encode(encoding))
        assert ids(corpus) == ["ä", "ä"][: len(text) - 2]
        assert [corpus.raw(info) for info in corpus] == [record, record][: len(text) - 2]
        assert [problem.reason for problem in corpus.problems] == ["the file holds no records"] * (name == "b.json")
    # Written in the middle of the last character, which is a line end.
    cut = corpus_of(tmp_path, "c.jsonl", f"{record}\n".encode(encoding)[:-1])
    assert ids(cut) == ["ä"]
    assert not cut.problems


@pytest.mark.parametrize(
    "head", [b"{\0", b"\0\0\0{", b"\x01\0\x02\0", "é{".encode("utf-16-le"), b"{\0a", b"{\0\0\0{\0\0"]
)
def test_zeros_at_the_start_of_a_file_are_another_encoding_only_where_that_is_sure(head: bytes) -> None:
    assert wide_encoding(head) is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (bytes(300), "this is no text: there are zero bytes in it"),
        ("日本: {}".encode("utf-16-le"), "this is no text: there are zero bytes in it"),
        (b"%PDF-1.7\n%\xff\n", "this is a PDF file, and no JSON"),
        (b"a.json".ljust(257, b"\0") + b"ustar\x0000" + bytes(200) + b"\n{}\n", "this is a tar archive, and no JSON"),
    ],
)
@pytest.mark.parametrize("name", ["a.json", "a.log"])
def test_a_file_that_is_no_text_is_one_sentence(tmp_path: Path, data: bytes, said: str, name: str) -> None:
    corpus = corpus_of(tmp_path, name, data)
    assert [problem.reason for problem in corpus.problems] == [said]
    assert not corpus.infos


def test_a_log_that_speaks_of_tar_is_no_archive(tmp_path: Path) -> None:
    data = (json.dumps(chat("a"))[:-1] + ', "note": "').ljust(257, ".") + 'ustar"}'
    assert data.startswith("ustar", 257)
    assert ids(corpus_of(tmp_path, "a.json", data)) == ["a"]


def test_zeros_among_lines_cost_those_lines_only(tmp_path: Path) -> None:
    line = json.dumps(chat("a")).encode() + b"\n"
    corpus = corpus_of(tmp_path, "a.jsonl", line + bytes(500) + line + line + bytes(9))
    assert ids(corpus) == ["a", "a"]
    assert [(problem.where.line, "zero bytes" in problem.reason) for problem in corpus.problems] == [
        (2, True),
        (4, True),
    ]


def test_files_with_byte_order_marks_that_were_joined_open_whole(tmp_path: Path) -> None:
    part = b"\xef\xbb\xbf" + json.dumps(chat("a")).encode() + b"\r\n"
    corpus = corpus_of(tmp_path, "a.jsonl", part * 3)
    assert [(info.id, info.line) for info in corpus] == [("a", 1), ("a", 2), ("a", 3)]
    assert [corpus.raw(info) for info in corpus] == [json.dumps(chat("a"))] * 3
    assert not corpus.problems
    message = b'\xef\xbb\xbf{"role": "user", "content": "hi"}\n'
    session = corpus_of(tmp_path, "b.jsonl", message * 3)
    assert [message.text for message in session.load(session[0]).transcripts[0].messages] == ["hi"] * 3
    assert not session.problems


def test_lines_that_end_as_on_an_old_macintosh_open(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", b"\r".join(json.dumps(chat(each)).encode() for each in "abc"))
    assert ids(corpus) == ["a", "b", "c"]
    assert corpus.raw(corpus[1]) == json.dumps(chat("b"))
    assert not corpus.problems


def test_bytes_that_are_not_utf8_are_replaced_and_reported_once(tmp_path: Path) -> None:
    line = '{"id": "caf\xe9", "messages": [{"role": "user", "content": "\xfc"}]}'.encode("latin-1")
    corpus = corpus_of(tmp_path, "a.jsonl", line + b"\n" + line)
    assert [info.id for info in corpus] == ["caf\ufffd", "caf\ufffd"]
    assert [(problem.where.line, "UTF-8" in problem.reason) for problem in corpus.problems] == [(1, True)]
    assert corpus.load(corpus[0]).transcripts[0].messages[0].text == "\ufffd"


def test_a_single_byte_that_is_no_utf8_deep_in_a_long_record_is_found_where_that_is_asked_for(tmp_path: Path) -> None:
    said = "日本語のテキスト。" * 1000
    lines = [
        json.dumps({"id": f"r{i}", "messages": [{"role": "user", "content": said}]}, ensure_ascii=False).encode()
        for i in range(4)
    ]
    lines[3] = lines[3].replace("。".encode() + b'"', b'\xe3\x80"')
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    corpus = Corpus([tmp_path / "a.jsonl"], thorough=True)
    corpus.scan()
    assert [problem.where.line for problem in corpus.problems] == [4]
    quick = Corpus([tmp_path / "a.jsonl"])
    quick.scan()
    assert quick.infos == corpus.infos
    assert quick.load(quick[3]).transcripts[0].messages[0].text.endswith("\ufffd")


def test_nan_lone_surrogates_control_characters_and_long_numbers_open(tmp_path: Path) -> None:
    text = '{"id": "a", "x": [NaN, -Infinity, 1e999, %s], "messages": [{"role": "user", "content": "\\ud83d \x01\t"}]}'
    corpus = corpus_of(tmp_path, "a.json", text % ("9" * 5000))
    assert not corpus.problems
    assert corpus.load(corpus[0]).transcripts[0].messages[0].text == "\ufffd \x01\t"
    assert "\\ud83d" in corpus.raw(corpus[0])


def test_nan_in_an_array_keeps_the_records_apart(tmp_path: Path) -> None:
    first = '{"id": "a", "reward": NaN, "messages": [{"role": "user", "content": "]}"}]}'
    corpus = corpus_of(tmp_path, "a.json", f"[{first},\n{json.dumps(chat('b'))}]")
    assert [(info.id, info.container, info.line) for info in corpus] == [("a", "json array", 1), ("b", "json array", 2)]
    assert corpus.raw(corpus[0]) == first
    assert not corpus.problems


def test_a_torn_last_line_is_reported_and_the_rest_opens(tmp_path: Path) -> None:
    torn = json.dumps(chat("c"))[:-9]
    corpus = corpus_of(tmp_path, "a.jsonl", f"{json.dumps(chat('a'))}\n{json.dumps(chat('b'))}\n{torn}")
    assert ids(corpus) == ["a", "b"]
    [problem] = corpus.problems
    assert problem.where.line == 3
    assert "torn" in problem.reason
    assert "line 3, column" in problem.reason
    assert problem.hint


def test_a_bad_line_in_the_middle_is_one_problem_with_its_column(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", f"{json.dumps(chat('a'))}\n{{'id': 1}}\n{json.dumps(chat('b'))}\n")
    assert ids(corpus) == ["a", "b"]
    [problem] = corpus.problems
    assert problem.where.line == 2
    assert "(line 2, column 2)" in problem.reason


def test_a_torn_first_line_is_reported_and_the_rest_opens(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", f'{{"id": "x", "mess\n{json.dumps(chat("b"))}\n{json.dumps(chat("c"))}\n')
    assert ids(corpus) == ["b", "c"]
    assert [problem.where.line for problem in corpus.problems] == [1]


def test_the_records_before_the_tear_of_an_array_open(tmp_path: Path) -> None:
    text = json.dumps([chat("a"), chat("b"), chat("c")], indent=1)
    corpus = corpus_of(tmp_path, "a.json", text[: text.index('"c"') + 1])
    assert ids(corpus) == ["a", "b"]
    [problem] = corpus.problems
    assert "torn" in problem.reason
    assert json.loads(corpus.raw(corpus[1])) == chat("b")


def test_a_broken_element_of_an_array_is_one_problem(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", f'[{json.dumps(chat("a"))},\n {{"id": , }},\n{json.dumps(chat("c"))}]')
    assert ids(corpus) == ["a", "c"]
    assert [(problem.where.line, "column 8" in problem.reason) for problem in corpus.problems] == [(2, True)]


def test_a_comma_that_is_missing_between_records_is_one_problem(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", f"[{json.dumps(chat('a'))}\n{json.dumps(chat('b'))}]")
    assert ids(corpus) == ["a", "b"]
    assert ["comma" in problem.reason for problem in corpus.problems] == [True]


def test_pretty_printed_records_one_after_another_all_open(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", f"{json.dumps(chat('a'), indent=1)}\n{json.dumps(chat('b'), indent=1)}\n")
    assert ids(corpus) == ["a", "b"]
    assert json.loads(corpus.raw(corpus[1])) == chat("b")


def test_a_torn_object_is_one_problem(tmp_path: Path) -> None:
    text = json.dumps(chat("a"), indent=1)
    corpus = corpus_of(tmp_path, "a.json", text[:-6])
    assert not len(corpus)
    [problem] = corpus.problems
    assert "torn" in problem.reason
    assert problem.where.path == tmp_path / "a.json"


@pytest.mark.parametrize("content", ["", " \n\n", "\ufeff", "[]", "[ ]\n"])
def test_an_empty_file_that_is_named_is_said_to_be_empty(tmp_path: Path, content: str) -> None:
    corpus = corpus_of(tmp_path, "a.json", content)
    assert not len(corpus)
    assert ["no records" in problem.reason for problem in corpus.problems] == [True]


def test_an_empty_file_in_a_folder_is_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("")
    corpus = open_corpus(tmp_path)
    assert (len(corpus), corpus.problems, corpus.skipped) == (0, [], 1)


@pytest.mark.parametrize("content", ["12", '"text"', "null", "[1, 2, 3]", '{"any": "thing"}', "[[1], [2]]"])
def test_any_valid_json_opens_raw(tmp_path: Path, content: str) -> None:
    corpus = corpus_of(tmp_path, "a.json", content)
    assert len(corpus) >= 1
    assert {info.format for info in corpus} == {"raw"}
    assert not corpus.problems
    assert corpus.load(corpus[0]).transcripts[0].messages


@pytest.mark.parametrize(
    "content", [b"no json", b"\x00\x01\x02\xff", b"'", b"nul", b"[" * 100_000, b'{"a":' * 100_000, b"}"]
)
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_rubbish_is_one_problem_and_never_a_traceback(tmp_path: Path, content: bytes, name: str) -> None:
    corpus = corpus_of(tmp_path, name, content)
    assert not len(corpus)
    assert len(corpus.problems) == 1
    assert corpus.problems[0].reason


def test_many_bad_lines_do_not_flood_the_list(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", json.dumps(chat("a")) + "\n" + "bad\n" * 5000)
    assert len(corpus.problems) == 1001
    assert corpus.problems[-1].reason == "4,000 more lines cannot be read"


CONVERSATION = """\
enabled: true
rounds:
  - user_query: count the rows
    state: created
    post_list:
      - {message: count the rows, send_from: User, send_to: Planner, attachment_list: null}
      - {message: There are 7., send_from: Planner, send_to: User, attachment_list: []}
"""


def test_each_document_of_a_yaml_file_is_a_record(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.yaml", f"# two\n---\n{CONVERSATION}---\n{CONVERSATION}...\n")
    assert [(info.id, info.format, info.container, info.line) for info in corpus] == [
        ("a#0", "taskweaver", "yaml", 2),
        ("a#1", "taskweaver", "yaml", 10),
    ]
    assert corpus.raw(corpus[0]) == f"---\n{CONVERSATION}"


def test_a_broken_yaml_document_is_one_problem_and_the_others_open(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.yaml", f"{CONVERSATION}---\nrounds: [1, 2\n---\n{CONVERSATION}")
    assert len(corpus) == 2
    [problem] = corpus.problems
    assert problem.where.line in (9, 10)


def test_yaml_that_is_no_log_is_skipped_in_a_folder_and_opens_raw_by_name(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("- a\n- b\n")
    assert (len(open_corpus(tmp_path)), open_corpus(tmp_path).skipped) == (0, 1)
    assert [info.format for info in open_corpus(tmp_path / "config.yaml")] == ["raw"]


def test_dates_numbers_and_own_tags_of_yaml_become_what_json_could_hold(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.yaml", "when: 2024-01-02\n3: !mine {a: !!binary aGk=}\nnull: !!set {x}\n")
    assert corpus.value(corpus[0]) == {"when": "2024-01-02", "3": {"a": "aGk="}, "null": ["x"]}


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "- " * 100_000,
        "&a [*a]",
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"{c}: &{c} [{','.join([f'*{p}'] * 10)}]\n" for p, c in zip("abcdefghi", "bcdefghij", strict=True)),
        "a: [1, 2",
        "a: 'x",
        "? [1]\n: {b}: c",
        "\t- x",
        "!!int notanumber",
        "a: *nowhere",
    ],
)  # fmt: skip
def test_yaml_that_would_crash_or_fill_the_memory_is_one_problem(tmp_path: Path, content: str) -> None:
    corpus = corpus_of(tmp_path, "a.yaml", content)
    assert not len(corpus)
    assert len(corpus.problems) == 1


MERGES = "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 4)}]\n" for n in range(1, 31))


@pytest.mark.parametrize(
    ("content", "says", "line"),
    [
        (MERGES, "merges (<<) copy more than 100,000 keys", 17),
        (MERGES.replace("[", "{<<: [").replace("]", "]}"), "merges (<<) copy more than 100,000 keys", 17),
        (MERGES.replace("<<", "x"), "aliases, such as *a9, stand for more than 2,000,000 values", 21),
        ("a: &a {" + ",".join(f"k{n}: v" for n in range(1000)) + "}\nb:\n" + "- <<: *a\n" * 9000, "merges", 103),
    ],
)
def test_a_kilobyte_of_merges_or_aliases_is_one_problem_with_its_line_and_the_other_files_are_listed(
    tmp_path: Path, content: str, says: str, line: int
) -> None:
    (tmp_path / "b.yaml").write_text(CONVERSATION)
    (tmp_path / "a.yaml").write_text(content)
    corpus = open_corpus(tmp_path)
    [problem] = corpus.problems
    assert says in problem.reason
    assert problem.where.line == line
    assert [info.source for info in corpus] == ["b.yaml"]


def test_aliases_and_merges_as_programs_write_them_open(tmp_path: Path) -> None:
    tools = ",".join(f"{{name: t{n}, parameters: {{a: 1, b: 2}}}}" for n in range(50))
    steps = "".join(f"  - {{<<: *usual, role: user, content: 'step {n}', tools: *tools}}\n" for n in range(3000))
    corpus = corpus_of(tmp_path, "a.yaml", f"tools: &tools [{tools}]\nusual: &usual {{name: me}}\nmessages:\n{steps}")
    assert [info.messages for info in corpus] == [3000]
    assert corpus.value(corpus[0])["messages"][7]["name"] == "me"


def test_a_comment_that_is_a_line_of_signs_takes_no_time(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.yaml", f"{'#' * 5000}\n# x\n{CONVERSATION}")
    assert [info.format for info in corpus] == ["taskweaver"]


def test_escape_codes_in_yaml_do_not_stop_it(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.yaml", CONVERSATION.replace("There are 7.", '"\x1b[31mred"'))
    assert [info.format for info in corpus] == ["taskweaver"]


def test_the_samples_of_an_inspect_archive_are_records(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/10_epoch_1.json", json.dumps(chat("ten")))
        archive.writestr("samples/2_epoch_1.json", json.dumps(chat("two")))
        archive.writestr("samples/3_epoch_1.json", '{"torn')
    corpus = open_corpus(path)
    assert ids(corpus) == ["two", "ten"]
    assert corpus[0].source == f"{path}/samples/2_epoch_1.json"
    assert corpus.raw(corpus[1]) == json.dumps(chat("ten"))
    assert len(corpus.load(corpus[0]).transcripts[0].messages) == 2
    assert ["samples/3_epoch_1.json" in problem.reason for problem in corpus.problems] == [True]


def test_an_archive_that_python_cannot_unpack_is_a_problem_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("samples/1.json", json.dumps(chat("one")))
    data = bytearray(path.read_bytes())
    central = data.index(b"PK\x01\x02")
    data[8:10] = data[central + 10 : central + 12] = (99).to_bytes(2, "little")  # a method that no Python has
    path.write_bytes(data)
    [problem] = open_corpus(path).problems
    assert "compressed" in problem.reason
    assert problem.hint


def test_a_file_that_calls_itself_plain_and_would_have_us_wait_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Waiting(io.RawIOBase):  # as /proc/kmsg is, which only root may open
        def readable(self) -> bool:
            return True

        def readinto(self, _: object) -> None:
            return None

    real = os.fdopen

    def fdopen(number: int, *_: object, **__: object) -> io.BufferedReader:
        real(number).close()
        return io.BufferedReader(Waiting())

    (tmp_path / "a.jsonl").write_text("{}")
    with monkeypatch.context() as patch:
        patch.setattr("trajview.corpus.files.os.fdopen", fdopen)
        corpus = open_corpus(tmp_path / "a.jsonl")
    assert [problem.reason for problem in corpus.problems] == ["this is not a plain file"]


def test_a_torn_archive_and_a_compressed_file_are_problems(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(b"PK\x03\x04 torn")
    (tmp_path / "b.jsonl").write_bytes(b"\x1f\x8b\x08\0rest")
    corpus = open_corpus(tmp_path)
    assert ["archive" in corpus.problems[0].reason, "is torn" in corpus.problems[1].reason] == [True, True]


def test_a_source_is_never_written_to(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(chat("a")))
    os.chmod(path, 0o444)
    before = path.stat()
    corpus = open_corpus(path)
    corpus.load(corpus[0])
    after = path.stat()
    assert (before.st_mtime_ns, before.st_size, before.st_ino) == (after.st_mtime_ns, after.st_size, after.st_ino)


def test_a_file_that_was_changed_after_the_scan_is_refused(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.json", json.dumps([chat("a"), chat("b")]))
    corpus.load(corpus[0])
    (tmp_path / "a.json").write_text(json.dumps([chat("other"), chat("b")]))
    for call in (corpus.load, corpus.raw):
        with pytest.raises(UnreadableError, match="changed") as caught:
            call(corpus[0])
        assert caught.value.where.path == tmp_path / "a.json"
    (tmp_path / "a.json").unlink()
    with pytest.raises(UnreadableError, match="no such file"):
        corpus.load(corpus[1])


def test_a_log_that_has_only_grown_still_opens(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, "a.jsonl", json.dumps(chat("a")) + "\n")
    with (tmp_path / "a.jsonl").open("a") as file:
        file.write(json.dumps(chat("b")) + "\n")
    assert corpus.load(corpus[0]).id == "a"
    (tmp_path / "a.jsonl").write_text(json.dumps(chat("z")) + "\n" + json.dumps(chat("b")) + "\n" * 9)
    with pytest.raises(UnreadableError, match="changed"):
        corpus.load(corpus[0])


def test_a_large_array_of_records_is_as_many_runs_and_one_of_messages_is_one(tmp_path: Path) -> None:
    said = {"role": "user", "content": "word " * 60_000}
    for name, value, count in (
        ("records.json", [{"id": f"r{n}", "messages": [said]} for n in range(6)], 6),
        ("messages.json", [said] * 6, 1),
    ):
        path = tmp_path / name
        path.write_text(json.dumps(value))
        assert path.stat().st_size > 1 << 20
        corpus = open_corpus(path)
        assert not corpus.problems
        assert len(corpus) == count
        assert sum(info.messages for info in corpus) == 6
        assert corpus.load(corpus[-1]).transcripts[0].messages[-1].text == said["content"]
