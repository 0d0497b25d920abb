"""Token counts: tiktoken's own, offline, for any text and at any size."""

from __future__ import annotations

import threading
import time
from binascii import a2b_base64
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken import Encoding

from tests.models.strategies import texts
from tests.modules import loaded_anew
from trajview.errors import UnreadableError
from trajview.models import tokens
from trajview.models.tokens import count_tokens, count_tokens_up_to, cut_to_tokens, encoding, last_tokens


def test_the_encoding_is_tiktokens_cl100k_base() -> None:
    made = encoding()
    assert made.name == "cl100k_base"
    assert made.n_vocab == 100277
    # Token ids as OpenAI's own documentation of cl100k_base prints them.
    assert made.encode_ordinary("tiktoken is great!") == [83, 1609, 5963, 374, 2294, 0]
    assert made.encode("<|endoftext|>", allowed_special="all") == [100257]
    assert max(map(len, made.token_byte_values())) == tokens.MAX_TOKEN_BYTES


def test_the_encoding_is_built_once_whichever_thread_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def slow_build(name: str, **given: Any) -> Encoding:
        built.append(threading.get_ident())
        time.sleep(0.05)
        return Encoding(name, **given)

    monkeypatch.setattr("tiktoken.Encoding", slow_build)
    module = loaded_anew("trajview.models.tokens")
    threads = [threading.Thread(target=module.encoding) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1


def test_a_damaged_vocabulary_is_refused() -> None:
    module = loaded_anew("trajview.models.tokens")
    module.SHA256 = "0" * 64
    with pytest.raises(UnreadableError, match="damaged"):
        module.encoding()


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("hello world", 2), ("<|endoftext|>", 7), ("\ud800", 1), (" " * 128, 1), ("日本語", 4)],
)
def test_count_tokens(text: str, count: int) -> None:
    assert count_tokens(text) == count


@pytest.fixture(scope="module")
def published() -> Encoding:
    """cl100k_base with the pattern that tiktoken publishes, word for word."""
    pattern = (
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]"""
        r"""|\s+(?!\S)|\s"""
    )
    lines = files("trajview").joinpath("data", "cl100k_base.tiktoken").read_bytes().splitlines()
    ranks = {a2b_base64(token): int(rank) for token, rank in (line.split() for line in lines)}
    return Encoding("published", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


@settings(max_examples=200)
@given(st.text(alphabet=" \n\r\t\x0b\u3000\x85\u2028\x1cab1!中\u0301.😀'sLLvRedMtſ½٣İ", max_size=80) | texts)
def test_the_pattern_splits_where_the_published_one_does(published: Encoding, text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    assert encoding().encode_ordinary(text) == published.encode_ordinary(text)


def test_a_long_text_that_comes_again_has_the_same_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_REMEMBERED", 3)
    said = [f"{number} words and lines\n" * (10 + number) for number in range(8)]
    counts = [len(encoding().encode_ordinary(text)) for text in said]
    assert [count_tokens(text) for text in [*said, *reversed(said)]] == [*counts, *reversed(counts)]


@given(texts)
def test_counts_are_those_of_tiktoken(text: str) -> None:
    assert count_tokens(text) == len(encoding().encode(text, disallowed_special=()))


@given(texts, st.integers(1, 30))
def test_a_count_up_to_a_limit_agrees_where_it_matters(text: str, limit: int) -> None:
    count = count_tokens(text)
    assert count_tokens_up_to(text, limit) == count or min(count_tokens_up_to(text, limit), count) > limit


blank_and_not = st.text(alphabet=" \n\r\t\u3000\x85\u2028\x1cab1!中\u0301.😀", max_size=120)


@settings(max_examples=120)
@given(blank_and_not)
def test_long_white_space_is_cut_only_where_the_pattern_splits(text: str) -> None:
    whole = encoding().encode_ordinary(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "LONG_RUN", 5)
        assert cut_to_tokens(text, len(whole)) == text
        assert count_tokens_up_to(text, len(whole)) == len(whole)


@pytest.mark.parametrize("run", [" ", "\t\u3000", " \n", "\r\n"])
def test_white_space_that_overflows_tiktokens_stack_is_counted(run: str) -> None:
    text = "start" + run * 1_000_000 + "end"
    began = time.process_time()
    assert 2 < count_tokens(text) <= len(text.encode())
    assert time.process_time() - began < 20


@pytest.mark.parametrize("letter", ["a", "中", "\u0301", "!", "😀"])
def test_a_word_of_a_million_characters_is_counted_in_reasonable_time(letter: str) -> None:
    began = time.process_time()
    assert count_tokens(letter * 1_000_000) > 100_000
    assert time.process_time() - began < 20


@given(texts, st.integers(-1, 50))
def test_cuts_keep_whole_characters_and_most_of_the_tokens(text: str, limit: int) -> None:
    head, tail = cut_to_tokens(text, limit), last_tokens(text, limit)
    assert text.startswith(head)
    assert text.endswith(tail)
    if limit <= 0:
        assert head == tail == ""
    count = count_tokens(text)
    if not any("\ud800" <= char <= "\udfff" for char in text):
        if count <= limit:
            assert head == tail == text
        # At most the halves of one character, three bytes of it a token each, are dropped.
        assert count_tokens(head) >= min(limit, count) // 2 - 3


def test_a_cut_of_a_long_text_encodes_little_of_it() -> None:
    text = "All work and no play makes Jack a dull boy. " * 200_000
    began = time.process_time()
    assert cut_to_tokens(text, 11) == text[:44].rstrip()
    assert last_tokens(text, 12).endswith("dull boy. ")
    assert time.process_time() - began < 0.1
