"""Files that a conversion writes run by run: JSON Lines, which goes on where it was stopped, and Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final

import msgspec

from trajview.corpus.unpack import zstd_module
from trajview.corpus.walk import PYARROW_HINT
from trajview.errors import Where

from .new_file import AlreadyThere, NotWritten, give_name, new_file

__all__ = ["ENDINGS", "Lines", "Rows"]

ENDINGS: Final = (".jsonl", ".jsonl.zst", ".parquet")
_BLOCK: Final = 1 << 20
"""Bytes of text that are written together: what a stop costs."""
_GROUP: Final = 8 << 20
"""Bytes of text in a row group."""


class Lines:
    """A file of JSON Lines, maybe compressed. It is called `….partial` until it is complete, with a list of its runs beside it.

    Used as a context, the file has its name when that is left without an error. The list begins with what is converted; then
    each line has the length of the file up to some point, and the runs that came to it before that.
    """

    def __init__(self, path: Path, source: Any, *, replace: bool) -> None:
        """`source` says what is converted, in JSON: only the same conversion goes on with an unfinished file."""
        self._path, self._replace = path, replace
        self._partial = path.with_name(f"{path.name}.partial")
        self._list = path.with_name(f"{path.name}.partial.runs")
        self._compressor = zstd_module().ZstdCompressor() if path.name.endswith(".zst") else None
        self._head = f"{json.dumps(source)}\n".encode()
        self._waiting: list[bytes] = []
        self._runs: list[str] = []
        self._size = 0
        self._files = ExitStack()
        self.is_begun = False
        """Whether an earlier conversion has begun the file."""

    def __enter__(self) -> Lines:
        """Raises AlreadyThere and NotWritten."""
        if not self._replace and os.path.lexists(self._path):
            raise AlreadyThere(self._path, "take another name, or --force")
        try:
            self.is_begun = self._partial.exists() and self._list.exists()
            length, listed = self._known() if self.is_begun else (0, 0)
            self._file = self._opened(self._partial, length)
            self._listing = self._opened(self._list, listed)
            if not listed:
                self._listing.write(self._head)
                self._listing.flush()
            self._earlier = self._blocks_before(self._listing.tell())
        except OSError as error:
            self._files.close()
            raise NotWritten(f"it cannot be written: {error.strerror or error}", where=Where(self._path)) from error
        return self

    def _opened(self, path: Path, length: int) -> BinaryIO:
        """Open a file behind its first `length` bytes, and drop the rest."""
        file = self._files.enter_context(path.open("r+b" if length else "wb"))
        file.truncate(length)
        file.seek(length)
        return file

    def _known(self) -> tuple[int, int]:
        """The lengths of the unfinished file and of its list, as far as both are whole. Raises NotWritten."""
        size, length = self._partial.stat().st_size, 0
        with self._list.open("rb") as file:
            if file.readline() != self._head:
                raise NotWritten(
                    "another conversion was begun here and not finished",
                    hint="go on with it by the same paths and options, or delete this file to begin anew",
                    where=Where(self._partial),
                )
            listed = file.tell()
            while (block := _block(file.readline())) is not None and block[0] <= size:
                length, listed = block[0], file.tell()
        return length, listed

    def _blocks_before(self, end: int) -> Iterator[str]:
        """The runs in the list before some place, in order."""
        with self._list.open("rb") as file:
            file.readline()
            while file.tell() < end and (block := _block(file.readline())) is not None:
                yield from block[1]

    def has(self, run: str) -> bool:
        """Whether the next run is in the file already. Raises NotWritten where another one stands in its place."""
        expected = next(self._earlier, None)
        if expected is not None and expected != run:
            raise self._changed(f"{run} stands where {expected} was")
        return expected is not None

    def _changed(self, how: str) -> NotWritten:
        return NotWritten(
            f"the logs have changed since it was begun: {how}",
            hint="delete this file to begin anew",
            where=Where(self._partial),
        )

    def write(self, run: str, text: str) -> None:
        """Write the lines of a run; none where it could not be read."""
        data = text.encode()
        self._waiting.append(data)
        self._runs.append(run)
        self._size += len(data)
        if self._size >= _BLOCK:
            self._flush()

    def _flush(self) -> None:
        """Write what waits, then what runs that was: none is listed before it is in the file."""
        if not self._runs:
            return
        data = b"".join(self._waiting)
        self._file.write(self._compressor.compress(data, self._compressor.FLUSH_FRAME) if self._compressor else data)
        self._file.flush()
        self._listing.write(f"{json.dumps([self._file.tell(), self._runs])}\n".encode())
        self._listing.flush()
        self._waiting, self._runs, self._size = [], [], 0

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with self._files:
            self._flush()
            os.fsync(self._file.fileno())
            size = self._file.tell()
        if error is None:
            if (missing := next(self._earlier, None)) is not None:
                raise self._changed(f"{missing} is not there any more")
            give_name(self._partial, self._path, replace=self._replace)
        if error is None or not size:
            self._delete()

    def _delete(self) -> None:
        self._partial.unlink(missing_ok=True)
        self._list.unlink(missing_ok=True)


def _block(line: bytes) -> tuple[int, list[str]] | None:
    """The length and the runs on a line of the list; None where it is torn, or the list ends."""
    try:
        return msgspec.json.decode(line, type=tuple[int, list[str]]) if line.endswith(b"\n") else None
    except ValueError:
        return None


class Rows:
    """A Parquet file with a row for each line: its `id`, and OpenAI's `messages`, or all of it as JSON, `record`.

    Used as a context, the file is there when that is left without an error. None can go on with it: what it holds stands at its end.
    """

    is_begun = False

    def __init__(self, path: Path, *, messages: bool, replace: bool) -> None:
        """`messages`: the lines are OpenAI's. Raises NotWritten where pyarrow is missing."""
        try:
            self._arrow, self._parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ModuleNotFoundError as error:
            raise NotWritten("Parquet takes pyarrow, which is not installed", hint=PYARROW_HINT) from error
        self._path, self._replace = path, replace
        self._messages = messages
        self._files = ExitStack()
        self._rows: list[dict[str, Any]] = []
        self._size = 0
        self.with_parts = 0
        """Runs in which the content of a message is no text; it is written as JSON."""

    def __enter__(self) -> Rows:
        """Raises AlreadyThere and NotWritten."""
        file = self._files.enter_context(new_file(self._path, replace=self._replace))
        text, struct, listed = self._arrow.string(), self._arrow.struct, self._arrow.list_
        call = struct({"id": text, "type": text, "function": struct({"name": text, "arguments": text})})
        message = struct(
            dict.fromkeys(("role", "name", "content", "reasoning_content"), text)
            | {"tool_calls": listed(call), "tool_call_id": text}
        )
        held = ("messages", listed(message)) if self._messages else ("record", text)
        self._schema = self._arrow.schema([("id", text), held])
        writer = self._parquet.ParquetWriter(file, self._schema, compression="zstd", use_dictionary=False)
        self._writer = self._files.enter_context(writer)
        return self

    def has(self, run: str) -> bool:  # noqa: ARG002 - as `Lines` is asked
        """Whether the next run is in the file already: it never is."""
        return False

    def write(self, run: str, text: str) -> None:  # noqa: ARG002 - as `Lines` is told
        """Write the lines of a run; none where it could not be read."""
        lines = text.split("\n")[:-1]
        if self._messages:
            chats = [msgspec.json.decode(line) for line in lines]
            self.with_parts += sum([_flatten(message) for chat in chats for message in chat["messages"]]) > 0
            self._rows += chats
        else:
            self._rows += [{"id": msgspec.json.decode(line, type=_WithId).id, "record": line} for line in lines]
        self._size += len(text)
        if self._size >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows, self._size = [], 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._flush()
        self._files.__exit__(kind, error, trace)


class _WithId(msgspec.Struct):
    id: str = ""


def _flatten(message: dict[str, Any]) -> bool:
    """Make the content of a message a text; returns whether that took JSON."""
    content = message.get("content")
    if content is None or isinstance(content, str):
        return False
    message["content"] = msgspec.json.encode(content).decode()
    return True
