"""The history of one annotator's work: an append-only file, a line per event, durable line by line.

What a line says is in `events`, what all of them come to in `progress`. A torn last line is expected after a crash and
is passed over; the next event starts on a line of its own. Two programs of the same annotator take turns by a lock on
the file, and each reads on what the other wrote.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import stat
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from trajview.atomic import make_folder, refusal, sync_folder, write_all
from trajview.errors import AnnotationError, Problem, Where

from .draft import Draft
from .events import Entry, body_of, draft_fields, draft_of, encode, entry_of
from .progress import Ledger

__all__ = ["Journal", "file_name"]

_BLOCK = 8 << 20
"""Bytes that are read at a time."""

_TAIL = 256
"""Bytes before the place read to that must be unchanged, else the file is another one."""


def file_name(annotator: str) -> str:
    """Turn an annotator's name into a safe file name: two names never share a file, even where case does not count."""
    if re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,60}", annotator) and not annotator.endswith("."):
        return annotator
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", annotator)[:40].strip("._") or "annotator"
    return f"{readable}-{hashlib.sha256(annotator.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


class Journal:
    """One annotator's journal in a store. Safe to use from several threads; nothing is made before the first event."""

    PATIENCE = 5.0
    """Seconds to wait for another program of the same annotator that is in the middle of a write."""

    def __init__(self, root: Path, annotator: str, path: Path | None = None) -> None:
        self.annotator = annotator
        self.path = path or root / "journal" / f"{file_name(annotator)}.jsonl"
        self.problems: list[Problem] = []
        self._lock = threading.RLock()
        self._held: int | None = None
        self._is_alone = False
        self._program = secrets.token_hex(4)
        self._seen: dict[tuple[str, str], str | None] = {}
        """The draft of each run that this program read or wrote last."""
        self._overtaken: dict[tuple[str, str], Entry] = {}
        self._forget()

    # Writing

    def append(self, event: str, draft: Draft, **more: Any) -> str:
        """Write an event with a draft, make it durable, and return its id.

        Raises AnnotationError, and the draft is then not kept.
        """
        key, what = (draft.episode, draft.rubric), "The draft was not kept"
        with self.locked(what):
            if key in self._seen:
                with suppress(AnnotationError):  # A draft is written even where the journal cannot be read.
                    other = self.ledger.drafts.get(key)
                    if other is not None and other.id != self._seen[key]:
                        self._overtaken[key] = other
            id = self.add(event, *key, {**draft_fields(draft), "program": self._program, **more}, what)
            self._seen[key] = id if event == "draft" else None
        return id

    def overtaken(self, episode: str, rubric: str) -> Draft | None:
        """The draft of another program for the same run that a draft from here has replaced unseen; each is given once.

        It is in the journal, and taking back what was typed here brings it back. Raises AnnotationError if unreadable.
        """
        with self._lock:
            entry = self._overtaken.pop((episode, rubric), None)
            return self.draft(entry) if entry else None

    def write(self, event: str, episode: str, rubric: str = "", **data: Any) -> str:
        """Write an event without a draft, make it durable, and return its id. Raises AnnotationError."""
        return self.add(event, episode, rubric, data, "This was not kept")

    def add(self, event: str, episode: str, rubric: str, data: Mapping[str, Any], what: str) -> str:
        """Write an event, make it durable, and return its id; `what` begins the sentence of a refusal."""
        id, line = encode(event, self.annotator, episode, rubric, data)
        with self.locked(what):
            try:
                if self._held is not None:
                    self._write(self._held, line)
                else:  # It could not be opened; say why.
                    descriptor = self._open()
                    try:
                        self._write(descriptor, line)
                    finally:
                        os.close(descriptor)
            except OSError as error:
                raise refusal(error, self.path, what) from error
        return id

    def _open(self) -> int:
        if not self.path.parent.is_dir():
            make_folder(self.path.parent)
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)

    def _write(self, descriptor: int, line: bytes) -> None:
        size = os.fstat(descriptor).st_size
        try:
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            write_all(descriptor, line)
            os.fsync(descriptor)
            if not size:
                sync_folder(self.path.parent)
        except OSError:
            # An event that was reported as refused must not come into force later. Only our own bytes are removed, and only
            # while nobody else can write.
            with suppress(OSError):
                if not self._is_alone:
                    raise
                now = os.fstat(descriptor).st_size
                if size < now <= size + len(line) and line.startswith(os.pread(descriptor, now - size, size)):
                    os.ftruncate(descriptor, size)
            raise

    @contextmanager
    def locked(self, what: str = "This was not kept") -> Iterator[None]:
        """Keep other programs of the same annotator from writing while several steps belong together.

        May be nested. Where the journal cannot be opened, or its file system has no locks, it goes on without one.
        Raises AnnotationError, begun by `what`, where another program does not let go.
        """
        with self._lock:
            if self._held is not None:
                yield
                return
            with suppress(OSError):
                self._held = self._lock_file(what)
            try:
                yield
            finally:
                descriptor, self._held, self._is_alone = self._held, None, False
                if descriptor is not None:
                    with suppress(OSError):
                        os.close(descriptor)

    def _lock_file(self, what: str) -> int:
        deadline = time.monotonic() + self.PATIENCE
        while True:
            with ExitStack() as unless_kept:  # Whatever ends it, ctrl+c too, leaves nothing open.
                descriptor = self._open()
                unless_kept.callback(os.close, descriptor)
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    kept = self._is_alone = os.path.samestat(self.path.stat(), os.fstat(descriptor))
                # Another program writes, or the file was moved away meanwhile.
                except (BlockingIOError, FileNotFoundError):
                    kept = False
                except OSError:  # No locks here: O_APPEND still keeps lines whole.
                    kept = True
                if kept:
                    unless_kept.pop_all()
                    return descriptor
            if time.monotonic() > deadline:
                raise AnnotationError(
                    f"{what}: another program is writing as {self.annotator} and does not let go.",
                    hint="close or wake up the other one, then try again",
                    where=Where(self.path),
                )
            time.sleep(0.01)

    # Reading

    @property
    def ledger(self) -> Ledger:
        """The state after all events so far, those of other programs included. Raises AnnotationError if unreadable."""
        with self._lock:
            self._read_on()
            return self._ledger

    def body(self, entry: Entry) -> dict[str, Any]:
        """All keys of an event's line, empty where it is no longer there. Raises AnnotationError if unreadable."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
            try:
                return body_of(os.pread(descriptor, entry.length, entry.offset))
            finally:
                os.close(descriptor)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise refusal(error, self.path, "The history could not be read") from error

    def draft(self, entry: Entry) -> Draft:
        """The draft in an event. Raises AnnotationError if unreadable."""
        return draft_of(self.body(entry), entry.episode, entry.rubric)

    def latest_draft(self, episode: str, rubric: str) -> Draft | None:
        """The draft of a run that was neither submitted nor discarded since. Raises AnnotationError if unreadable."""
        with self._lock:
            entry = self.ledger.drafts.get((episode, rubric))
            self._seen[episode, rubric] = entry.id if entry else None
            return self.draft(entry) if entry else None

    def drafts(self) -> list[Draft]:
        """All drafts that were neither submitted nor discarded, oldest first. Raises AnnotationError if unreadable."""
        with self._lock:
            return [self.draft(entry) for entry in self.ledger.drafts.values()]

    def _forget(self) -> None:
        self._ledger = Ledger()
        self._offset = self._line = 0
        self._identity: tuple[int, int] | None = None
        self._tail = self._unended = b""
        self.problems.clear()

    def _read_on(self) -> None:
        """Read the events that were appended since the last look, by this program or another."""
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise AnnotationError(
                    "The drafts could not be read: their journal is not a file.", where=Where(self.path)
                )
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                identity = (status.st_dev, status.st_ino)
                tail = os.pread(file.fileno(), len(self._tail), self._offset - len(self._tail))
                unended = os.pread(file.fileno(), len(self._unended), self._offset)
                if (identity, tail, unended) != (self._identity, self._tail, self._unended):
                    self._forget()  # The file was replaced or cut: the events read so far no longer count.
                    self._identity = identity
                file.seek(self._offset)
                rest = b""
                while block := file.read(_BLOCK):
                    rest = self._lines(rest + block)
        except (FileNotFoundError, NotADirectoryError):
            self._forget()
            return
        except OSError as error:
            raise refusal(error, self.path, "The drafts could not be read") from error
        self._unended = rest
        if rest:  # Whole but for its newline, or torn: it is looked at again when more is there.
            self._take(rest, self._offset)

    def _lines(self, data: bytes) -> bytes:
        """Take in the whole lines of some data read from `_offset` on, and return the rest behind them."""
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._line += 1
            line = data[start:end]
            if line.strip() and not self._take(line, self._offset + start):
                self.problems.append(
                    Problem(
                        "This line of the journal is torn or no event.",
                        "it was passed over; the events before and after it are read",
                        Where(self.path, line=self._line),
                    )
                )
            start = end + 1
        self._offset += start
        self._tail = (self._tail + data[max(0, start - _TAIL) : start])[-_TAIL:]
        return data[start:]

    def _take(self, line: bytes, offset: int) -> bool:
        entry = entry_of(line, offset, len(self._ledger.entries) + 1)
        if entry is None:
            return False
        self._ledger.take(entry)
        return True
