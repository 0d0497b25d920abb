"""The records of a table, a row each: Parquet, Arrow (as Hugging Face's `datasets` keep it), and CSV with JSON in its cells.

A row is read as the JSON object of its cells, without the empty ones, so that formats, searches and the raw view need to know
nothing of tables. Little of a table is in memory at a time: some rows of one row group.
"""

from __future__ import annotations

import csv
import io
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Final, Literal

import msgspec

from trajview.errors import Problem, UnreadableError, Where
from trajview.formats import registry
from trajview.formats.base import Origin

from .bounds import check_unpacked
from .columns import COLUMNS, record_of_row
from .decode import BadRecord, decode_json
from .files import Stamp, open_source, stamp_of
from .info import RunInfo
from .memory import available, no_room
from .record import DECODED, TORN_HINT, Record, RecordLook, problem_of
from .walk import PYARROW_HINT, SourceFile

__all__ = ["TableKind", "listed_rows", "row_bytes", "table_records"]

TableKind = Literal["parquet", "arrow", "csv"]

_BATCH: Final = 8 << 20
"""Bytes of rows that are read in one go, and at most `_MOST_ROWS`."""
_MOST_ROWS: Final = 256
_MOST_IDS: Final = 4096
_BUFFER: Final = 1 << 20
_WIDE: Final = 4096
"""Bytes a row of a column without text from which on it is left out where runs are only summed up: images, token ids."""
_FEW: Final = 8
_CELL: Final = 64 << 20
"""Characters of a cell of CSV: where a quote has no end, the rest of the file is one."""
_ID_TYPES: Final = frozenset({"string", "large_string", "int32", "int64"})
_NUMBERS: Final = re.compile("reward|score", re.IGNORECASE)
"""Names of columns of CSV whose cells may be numbers."""
_CURSORS: Final = 4
"""Tables that stay open where a row of them was read."""

Row = dict[str, Any]
_Errors = tuple[type[Exception], ...]


def table_records(
    file: BinaryIO, source: SourceFile, kind: TableKind, look: RecordLook = DECODED
) -> Iterator[Record | Problem]:
    """Each row of a table as a record; `offset` is the number of the row from 0, `line` from 1, `data` its JSON.

    CSV that was not named, and whose first row is no log, has none. Raises UnreadableError.
    """
    path, size = source.path, source.path.stat().st_size
    table = _open(file, path, kind)
    alone, unpacked = table.rows == 1, 0
    for first, rows in table.batches(0, to_sum_up=look is not DECODED):
        if isinstance(rows, str):
            yield _torn_rows(path, first, rows)
            continue
        for at, row in enumerate(rows, first):
            data = _json_of(row, path, at)
            if isinstance(data, Problem):
                yield data
                continue
            unpacked += len(data)
            check_unpacked(unpacked, size, path, f"what follows row {at:,}")
            if at == 0 and kind == "csv" and not source.named and not _is_known(data):
                return
            try:
                value = look.value(data, at, alone)
                if value is None:
                    value = decode_json(data)[0]
            except MemoryError:
                yield no_room(path, at + 1)
            except BadRecord as error:
                yield problem_of(error, path, at + 1, "row")
            else:
                whole = None if table.leaves_out else data
                yield Record(value, kind, at, len(data), at, at + 1, alone, data=whole)


def row_bytes(path: Path, kind: str, row: int) -> bytes:
    """The JSON of one row, with all of its columns. Raises UnreadableError."""
    with ExitStack() as failed:
        cursor = _taken(path, kind, row)
        failed.callback(cursor.close)
        data = cursor.row(row)
        failed.pop_all()
    with _lock:
        _cursors[path] = cursor
        dropped = [_cursors.popitem(last=False)[1] for _ in range(len(_cursors) - _CURSORS)]
    for each in dropped:
        each.close()
    return data


def listed_rows(source: SourceFile, stem: str) -> Iterator[RunInfo] | None:
    """The rows of a Parquet file from its metadata and its ids, not summed up; None where the ids are in no column.

    Raises UnreadableError.
    """
    with ExitStack() as unused:
        file = unused.enter_context(open_source(source.path))
        table = _open(file, source.path, "parquet")
        assert isinstance(table, _Parquet)
        column = _id_column(table, source.path)
        if column is None:
            return None
        unused.pop_all()
    return _rows_of(table, column, file, source, stem)


def _rows_of(table: _Parquet, column: str, file: BinaryIO, source: SourceFile, stem: str) -> Iterator[RunInfo]:
    alone = table.rows == 1
    with file:
        for row, found in enumerate(table.ids(column)):
            run_id = found or (stem if alone else f"{stem}#{row}")
            yield RunInfo(
                run_id, run_id, source.path, source.source, "", "parquet", row, row + 1, row, 0, alone, summarised=False
            )


def _id_column(table: _Parquet, path: Path) -> str | None:
    """The column of the ids, empty where rows have none of their own; None where the ids are in no column.

    That is `id`, else the one whose first cell is the id that the first row has as a run.
    """
    if COLUMNS.id is None and table.has_ids("id"):
        return "id"
    for _, rows in table.first_row():
        if isinstance(rows, str):
            return None
        origin = Origin(path, 0, 1, table.rows == 1)
        try:
            record = record_of_row(rows[0])
            found = registry.best(record)[0].summarise(record, origin).id
        except Exception:  # noqa: BLE001 - the scan comes to it too, and reports it
            return None
        if found == origin.default_id:
            return ""
        return next((name for name, cell in rows[0].items() if str(cell) == found and table.has_ids(name)), None)
    return ""


def _is_known(data: bytes) -> bool:
    return registry.best(msgspec.json.decode(data))[1].confidence >= registry.LEAST


def _torn_rows(path: Path, first: int, reason: str) -> Problem:
    return Problem(f"the table cannot be read from row {first + 1:,} on: {reason}", TORN_HINT, Where(path, first + 1))


def _json_of(row: Row, path: Path, at: int) -> bytes | Problem:
    try:
        return msgspec.json.encode(record_of_row(row))
    except (ValueError, TypeError, RecursionError) as error:
        why = " ".join(str(error).split())
        return Problem(f"the row cannot be read: {why}", "it is left out; the rest opens", Where(path, at + 1))


# One row again


class _Cursor:
    """A table that was opened at a row, to go on from there: runs are mostly read one after another."""

    def __init__(self, path: Path, kind: str, row: int) -> None:
        self.path = path
        self.stamp: Stamp = stamp_of(path)
        with ExitStack() as failed:
            self._file = failed.enter_context(open_source(path))
            self._batches = _open(self._file, path, kind).batches(row)
            failed.pop_all()
        self.first = row
        self._rows: Sequence[Row] = ()

    def row(self, row: int) -> bytes:
        """The JSON of a row that is not before `first`. Raises UnreadableError."""
        rows: Sequence[Row] | str = self._rows
        while isinstance(rows, str) or row >= self.first + len(rows):
            found = next(self._batches, None)
            if found is None:
                raise UnreadableError(
                    "the table has fewer rows than it had", hint="open it again", where=Where(self.path)
                )
            self.first, rows = found
            if isinstance(rows, str) and row >= self.first:
                problem = _torn_rows(self.path, self.first, rows)
                raise UnreadableError(problem.reason, hint=problem.hint, where=problem.where)
        self._rows = rows
        data = _json_of(rows[row - self.first], self.path, row)
        if isinstance(data, Problem):
            raise UnreadableError(data.reason, where=data.where)
        return data

    def close(self) -> None:
        self._file.close()


_cursors: Final[OrderedDict[Path, _Cursor]] = OrderedDict()
_lock: Final = Lock()


def _taken(path: Path, kind: str, row: int) -> _Cursor:
    """A cursor that stands at a row or before it; nobody else has it meanwhile."""
    with _lock:
        cursor = _cursors.pop(path, None)
    if cursor is not None:
        if cursor.first <= row and cursor.stamp == stamp_of(path):
            return cursor
        cursor.close()
    return _Cursor(path, kind, row)


# The kinds of tables

_Batch = tuple[int, "Sequence[Row] | str"]
"""The number of the first row from 0, and the rows from there on; or why they cannot be read."""


def _open(file: BinaryIO, path: Path, kind: str) -> _Parquet | _Arrow | _Csv:
    """Open a table. Raises UnreadableError."""
    if kind == "csv":
        return _Csv(file, "\t" if path.suffix.lower() == ".tsv" else ",")
    errors = _errors(path)
    try:
        return _Parquet(file, path, errors) if kind == "parquet" else _Arrow(file, errors)
    except errors as error:
        raise UnreadableError(
            f"this {kind.capitalize()} file cannot be read: {_why(error)}", hint=TORN_HINT, where=Where(path)
        ) from error


def _errors(path: Path) -> _Errors:
    """The exceptions for a broken table of Arrow's. Raises UnreadableError where pyarrow is missing."""
    try:
        return (import_module("pyarrow").ArrowException, OSError, ValueError, RecursionError, NotImplementedError)
    except ModuleNotFoundError as error:
        raise UnreadableError(
            "reading this table takes pyarrow, which is not installed",
            hint=PYARROW_HINT,
            where=Where(path),
        ) from error


def _why(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:200]


class _Rows(Sequence[Row]):
    """The rows of a batch of Arrow's, each made when it is wanted."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __len__(self) -> int:
        return int(self._batch.num_rows)

    def __getitem__(self, at: Any) -> Any:
        return next(iter(_Rows(self._batch.slice(at, 1))))

    def __iter__(self) -> Iterator[Row]:
        try:
            rows = self._batch.to_pylist(maps_as_pydicts="lossy")
        except (
            ValueError,
            OverflowError,
            KeyError,
            RecursionError,
        ):  # text that is no UTF-8, a time that Python has not
            yield from map(self._tolerantly, range(len(self)))
            return
        yield from map(_plain, rows)

    def _tolerantly(self, at: int) -> Row:
        try:
            names = self._batch.schema.names
            return _plain({name: _tolerantly(self._batch.column(column)[at]) for column, name in enumerate(names)})  # type: ignore[no-any-return]
        except (ValueError, OverflowError, KeyError, RecursionError) as error:
            return {"error": f"the row cannot be read: {_why(error)}"}


def _plain(value: Any) -> Any:
    """A cell as JSON has it. Fields without a value are left out, for a column has the fields of all rows."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_plain(item) for item in value] if value and isinstance(value[0], dict | list | bytes) else value
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return f"<{len(value):,} bytes>"
    return value


def _tolerantly(cell: Any) -> Any:
    """A cell of which some part is no value of Python's: that part is a text."""
    if not cell.is_valid:
        return None
    kind = type(cell).__name__
    if kind == "StructScalar":
        return {name: _tolerantly(cell[at]) for at, name in enumerate(cell.type.names)}
    if kind in ("ListScalar", "LargeListScalar", "FixedSizeListScalar"):
        return [_tolerantly(each) for each in cell.values]
    try:
        return cell.as_py()
    except (ValueError, OverflowError, RecursionError, KeyError):
        if kind in ("StringScalar", "LargeStringScalar"):
            return cell.as_buffer().to_pybytes().decode("utf-8", "replace")
        return str(cell)


class _Parquet:
    """A Parquet file, read row group by row group."""

    def __init__(self, file: BinaryIO, path: Path, errors: _Errors) -> None:
        self._errors = errors
        self._file = import_module("pyarrow.parquet").ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
        metadata = self._file.metadata
        self._groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
        self.rows = sum(group.num_rows for group in self._groups)
        size = path.stat().st_size
        if self.rows > size:  # no run is less than a byte
            raise UnreadableError(
                f"it claims {self.rows:,} rows in {size:,} bytes", hint="it is damaged", where=Where(path)
            )
        check_unpacked(sum(group.total_byte_size for group in self._groups), size, path)
        self.leaves_out = False

    def batches(self, start: int, *, to_sum_up: bool = False) -> Iterator[_Batch]:
        """The rows from `start` on. `to_sum_up`: without wide columns that hold no text."""
        columns = self._columns_with_text() if to_sum_up else None
        self.leaves_out = columns is not None
        return self._batches(start, columns, _MOST_ROWS)

    def first_row(self) -> Iterator[_Batch]:
        """The first row alone, with all of its cells; nothing where there is none."""
        return self._batches(0, None, 1)

    def has_ids(self, column: str) -> bool:
        """Whether the table has such a column, of texts or numbers."""
        schema = self._file.schema_arrow
        at = schema.get_field_index(column)
        return at >= 0 and str(schema.field(at).type) in _ID_TYPES

    def ids(self, column: str) -> Iterator[str | None]:
        """The cells of the column of ids; None, or empty, where a row has none."""
        if not column:
            yield from (None for _ in range(self.rows))
            return
        for first, rows in self._batches(0, [column], _MOST_IDS):
            if isinstance(rows, str):
                after = next((start for start in self._starts() if start > first), self.rows)
                yield from (None for _ in range(after - first))
            else:
                yield from (str(row.get(column, "")) for row in rows)

    def _starts(self) -> Iterator[int]:
        start = 0
        for group in self._groups:
            yield start
            start += group.num_rows

    def _batches(self, start: int, columns: list[str] | None, most: int) -> Iterator[_Batch]:
        for number, first in enumerate(self._starts()):
            group = self._groups[number]
            if first + group.num_rows <= start:
                continue
            at = first
            # A dictionary may make each of the rows as large as the whole group.
            size = max(1, group.total_byte_size)
            count = max(1, min(most, _BATCH * group.num_rows // size, available() // 4 // size))
            try:
                for batch in self._file.iter_batches(count, row_groups=[number], columns=columns, use_threads=False):
                    if at + batch.num_rows > start:
                        yield at, _Rows(batch)
                    at += batch.num_rows
            except self._errors as error:
                yield at, _why(error)

    def _columns_with_text(self) -> list[str] | None:
        """The columns without those that hold no text and are wide in the first rows; None where that is all of them."""
        try:
            first = next(iter(self._file.iter_batches(_FEW, row_groups=[0], use_threads=False)), None)
            names = [] if first is None else first.schema.names
        except self._errors:
            return None
        if first is None or any("." in name for name in names):
            return None  # a dot is a path for Parquet
        left = [
            name
            for name, column in zip(names, first.columns, strict=True)
            if "string" in str(column.type) or column.nbytes < _WIDE * first.num_rows
        ]
        return left if 0 < len(left) < len(names) else None


class _Arrow:
    """Arrow's own file, or its stream, as `datasets` writes it."""

    leaves_out = False

    def __init__(self, file: BinaryIO, errors: _Errors) -> None:
        self._errors = errors
        ipc = import_module("pyarrow.ipc")
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        self.rows: int | None = None
        if is_file:
            reader = ipc.open_file(file)
            self._batches: Iterable[Any] = (reader.get_batch(at) for at in range(reader.num_record_batches))
        else:
            self._batches = ipc.open_stream(file)

    def batches(self, start: int, *, to_sum_up: bool = False) -> Iterator[_Batch]:  # noqa: ARG002 - all is read anyway
        """The rows from `start` on."""
        at = 0
        try:
            for batch in self._batches:
                batch.validate(full=True)  # what comes from Parquet is made anew, but this is the file's own bytes
                for inside in range(0, batch.num_rows, _MOST_ROWS):
                    part = batch.slice(inside, _MOST_ROWS)
                    if at + part.num_rows > start:
                        yield at, _Rows(part)
                    at += part.num_rows
        except self._errors as error:
            yield at, _why(error)


class _Csv:
    """Rows of texts below a line of names."""

    leaves_out = False
    rows = None

    def __init__(self, file: BinaryIO, delimiter: str) -> None:
        csv.field_size_limit(_CELL)
        text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="replace", newline="")
        self._reader = csv.reader(_bounded_lines(text), delimiter=delimiter)

    def batches(self, start: int, *, to_sum_up: bool = False) -> Iterator[_Batch]:  # noqa: ARG002 - all is read anyway
        """The rows from `start` on."""
        at = 0
        try:
            names = next(self._reader, [])
            while rows := list(islice(self._reader, 16)):
                if at + len(rows) > start:
                    yield at, [_named(names, row) for row in rows]
                at += len(rows)
        except csv.Error as error:
            yield at, _why(error)


def _named(names: list[str], row: list[str]) -> Row:
    """The cells of a row by the names of their columns, without empty ones; more cells than names go by their number."""
    more = [f"column {at + 1}" for at in range(len(names), len(row))]
    named = {name: cell for name, cell in zip([*names, *more], row, strict=False) if cell}
    return {name: _number(cell) if _NUMBERS.search(name) else cell for name, cell in named.items()}


def _number(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell


def _bounded_lines(text: io.TextIOWrapper) -> Iterator[str]:
    """The lines of a text. Raises csv.Error where one is too long for the memory of a small computer."""
    while line := text.readline(_CELL):
        if len(line) == _CELL:
            raise csv.Error(f"a line has more than {_CELL:,} characters")
        yield line
