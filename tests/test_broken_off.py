"""Work that ctrl+c breaks off leaves nothing open and nothing behind."""

from __future__ import annotations

import fcntl
import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from trajview.annotation.journal import Journal
from trajview.atomic import write_atomically
from trajview.corpus.files import open_source

_OPEN = Path("/proc/self/fd")

pytestmark = pytest.mark.skipif(not _OPEN.exists(), reason="there is no list of open files")


@contextmanager
def breaking_off() -> Iterator[None]:
    """What is in here is broken off, and as many files are open as before; nothing was closed for being forgotten."""
    before = os.listdir(_OPEN)
    with pytest.raises(KeyboardInterrupt) as caught:
        yield
    assert caught.tb is not None  # which knows all that was open where it was raised
    assert os.listdir(_OPEN) == before


def broken_off(*_: object, **__: object) -> int:
    raise KeyboardInterrupt


@pytest.mark.parametrize("call", ["write", "fsync", "fchmod", "rename"])
def test_a_file_that_is_written_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    path = tmp_path / "record.json"
    write_atomically(path, b"old", 0o600)
    with monkeypatch.context() as patch:
        patch.setattr(*((Path, "replace") if call == "rename" else (os, call)), broken_off)
        with breaking_off():
            write_atomically(path, b"new", 0o600)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["record.json"]
    write_atomically(path, b"new", 0o600)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["record.json"]


@pytest.mark.parametrize(("module", "call"), [(fcntl, "flock"), (os.path, "samestat")])
def test_a_journal_is_free_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, call: str
) -> None:
    journal = Journal(tmp_path, "alice")
    journal.write("flag", "e1")
    with monkeypatch.context() as patch:
        patch.setattr(module, call, broken_off)
        with breaking_off():
            journal.write("flag", "e2")
    Journal(tmp_path, "alice").write("flag", "e3")
    assert set(Journal(tmp_path, "alice").ledger.newest) == {"e1", "e3"}


PACKED: list[Callable[[bytes], bytes]] = [gzip.compress, lambda text: text.decode().encode("utf-16")]


@pytest.mark.parametrize("packed", PACKED, ids=["gzip", "utf-16"])
def test_a_log_that_is_unpacked_opens_anew(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(packed(b'{"messages": []}\n' * 100_000))
    with breaking_off():
        open_source(path, broken_off)
    with open_source(path) as file:
        assert file.readline() == b'{"messages": []}\n'


@pytest.mark.parametrize("until", [None, 5])
def test_a_plain_log_is_closed_by_who_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: int | None
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"messages": []}\n')
    with open_source(path, until=until) as file:
        assert file.read() == b'{"messages": []}\n'[:until]
    with monkeypatch.context() as patch:
        patch.setattr("trajview.corpus.files.is_plain", broken_off)
        with breaking_off():
            open_source(path, until=until)
