"""The records of a zip archive: Inspect's `.eval`, where each sample is a JSON file of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from trajview.errors import Problem, UnreadableError, Where

from .decode import BadRecord, decode_json
from .files import read_member
from .record import Record, not_utf8
from .unpack import zip_errors, zip_module
from .walk import natural_key

__all__ = ["zip_records"]


def zip_records(file: BinaryIO, path: Path) -> Iterator[Record | Problem]:
    """Each `samples/*.json` (in an archive without samples: each JSON file); one that cannot be read is a Problem."""
    zipfile = zip_module()
    try:
        archive = zipfile.ZipFile(file)
        names = sorted((name for name in archive.namelist() if name.endswith(".json")), key=natural_key)
    except zip_errors(zipfile) as error:
        yield Problem(f"the archive cannot be read: {error}".lower(), "it may be torn, or no zip file", Where(path))
        return
    members = [name for name in names if name.startswith("samples/")] or names
    for index, member in enumerate(members):
        where = Where(path, record=index)
        try:
            data = read_member(path, member, archive)
            value, replaced = decode_json(data.strip())
        except UnreadableError as error:
            yield error.problem()
            continue
        except BadRecord as error:
            yield Problem(f"{member} in the archive cannot be read: {error.reason}", "the rest opens", where)
            continue
        if replaced:
            yield not_utf8(path, 1)
        yield Record(value, "zip", 0, len(data), index, 1, len(members) == 1, member, data)
