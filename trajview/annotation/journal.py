"""The history of one annotator's work: an append-only file, a line per event, durable line by line.

A line is a JSON object: `time` (ISO 8601, UTC), `event` (draft, submit, discard; others may follow), `annotator`,
`episode`, `rubric`, and for these three `values` (a list with an object per agent, dimension to typed text),
`reasoning`, `base` (the version of the record that the work started from). A torn last line is expected after a crash
and is passed over; the next event starts on a line of its own.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trajview.errors import Problem, Where

from .atomic import make_folder, refusal, sync_folder, write_all
from .draft import Draft

__all__ = ["Journal", "file_name"]

_LAST_WORDS = frozenset({"submit", "discard"})


def file_name(annotator: str) -> str:
    """The annotator's name, safe as a file name: two names never share a file, even where case does not count."""
    if re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,60}", annotator) and not annotator.endswith("."):
        return annotator
    readable = re.sub(r"[^A-Za-z0-9._-]+", "_", annotator)[:40].strip("._") or "annotator"
    return f"{readable}-{hashlib.sha256(annotator.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


class Journal:
    """One annotator's journal in a store. Safe to use from several threads; nothing is made before the first event."""

    def __init__(self, root: Path, annotator: str) -> None:
        self.annotator = annotator
        self.path = root / "journal" / f"{file_name(annotator)}.jsonl"
        self.problems: list[Problem] = []
        self._lock = threading.RLock()
        self._offset = 0
        self._line = 0
        self._pending: dict[tuple[str, str], Draft] = {}

    def append(self, event: str, draft: Draft) -> None:
        """Write an event and make it durable. Raises AnnotationError, and the draft is then not kept."""
        entry = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "event": event,
            "annotator": self.annotator,
            "episode": draft.episode,
            "rubric": draft.rubric,
            "values": [{name: text for name, text in typed.items() if text} for typed in draft.values],
            "reasoning": draft.reasoning,
            "base": draft.base,
        }
        # ASCII, so that lone surrogates and odd line separators survive and a line is a line.
        line = json.dumps(entry, ensure_ascii=True, separators=(", ", ": ")).encode("ascii") + b"\n"
        with self._lock:
            try:
                self._write(line)
            except OSError as error:
                raise refusal(error, self.path, "The draft was not kept") from error

    def _write(self, line: bytes) -> None:
        if not self.path.parent.is_dir():
            make_folder(self.path.parent)
        made = not self.path.exists()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            # Two programs of one annotator take turns; where locks do not exist, O_APPEND still keeps lines whole.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                line = b"\n" + line
            write_all(descriptor, line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if made:
            sync_folder(self.path.parent)

    def latest_draft(self, episode: str, rubric: str) -> Draft | None:
        """The work on a run that was neither submitted nor discarded since. Raises AnnotationError if unreadable."""
        with self._lock:
            self._read_on()
            return self._pending.get((episode, rubric))

    def drafts(self) -> list[Draft]:
        """All such work, oldest first. Raises AnnotationError if unreadable."""
        with self._lock:
            self._read_on()
            return list(self._pending.values())

    def _read_on(self) -> None:
        """Take in what was appended since the last look, by this program or another."""
        try:
            size = self.path.stat().st_size
            if size < self._offset:  # Replaced or cut: what was known no longer counts.
                self._offset, self._line = 0, 0
                self._pending.clear()
                self.problems.clear()
            if size == self._offset:
                return
            with self.path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            self._pending.clear()
            self._offset, self._line = 0, 0
            return
        except OSError as error:
            raise refusal(error, self.path, "The drafts could not be read") from error
        whole, newline, torn = data.rpartition(b"\n")
        if newline:
            for line in whole.split(b"\n"):
                self._line += 1
                if line.strip() and not self._take(line):
                    self.problems.append(
                        Problem(
                            "This line of the journal is torn or no event.",
                            "it was passed over; the events before and after it are read",
                            Where(self.path, line=self._line),
                        )
                    )
            self._offset += len(whole) + 1
        if torn:
            self._take(torn)  # Whole but for its newline, or torn; it is looked at again when more is there.

    def _take(self, line: bytes) -> bool:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            return False
        if not isinstance(entry, dict):
            return False
        event, episode, rubric = entry.get("event"), entry.get("episode"), entry.get("rubric")
        if not (isinstance(event, str) and isinstance(episode, str) and isinstance(rubric, str)):
            return False
        if event in _LAST_WORDS:
            self._pending.pop((episode, rubric), None)
        elif event == "draft":
            self._pending.pop((episode, rubric), None)  # So that the newest comes last.
            self._pending[episode, rubric] = _draft(entry, episode, rubric)
        return True


def _draft(entry: dict[str, Any], episode: str, rubric: str) -> Draft:
    """A draft from its line; whatever has a wrong type counts as not typed."""
    values, reasoning, base = entry.get("values"), entry.get("reasoning"), entry.get("base")
    return Draft(
        episode,
        rubric,
        tuple(_texts(typed) for typed in values) if isinstance(values, list) else (),
        reasoning if isinstance(reasoning, str) else "",
        base if isinstance(base, str) else None,
        _time(entry.get("time")),
    )


def _texts(typed: object) -> dict[str, str]:
    return {k: v for k, v in typed.items() if isinstance(v, str)} if isinstance(typed, dict) else {}


def _time(text: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return time if time is None or time.tzinfo else time.replace(tzinfo=UTC)
