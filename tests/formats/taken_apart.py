"""What holds of every format whose records are taken apart: nothing is lost by that, and the rest is looked at in full."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from trajview.corpus.decode import decode_json
from trajview.formats import registry
from trajview.formats.base import Origin, Summary
from trajview.formats.quick import QuickLook

from .opened import assert_same_run

ORIGIN = Origin(Path("record.json"), 0, 1)


class TakenApart(NamedTuple):
    """A format, by its module, and what takes its records apart and looks at the parts."""

    module: ModuleType
    parted: Callable[[bytes], Any]
    look_at: Callable[[Any, Origin], tuple[str, Summary] | None]
    is_empty: Callable[[dict[str, Any]], bool]

    def check(self, data: bytes) -> bool:
        """Whether bytes were taken apart; then it is checked that nothing is lost by that."""
        parts = self.parted(data)
        if parts is None:
            return False
        record, replaced = decode_json(data)
        found = self.look_at(parts, ORIGIN)
        known = registry.best(record)[0]
        if found is None:
            assert known is not self.module.FORMAT or self.is_empty(record)
            return False
        assert found == (known.name, known.summarise(record, ORIGIN))
        whole = self.module.FORMAT.read(record, ORIGIN)
        run = self.module.FORMAT.open_parted(parts, lambda some: decode_json(some)[0], ORIGIN)
        assert run is not None
        if not replaced:
            assert_same_run(run, whole)
        return True

    def assert_only_its_own_is_taken_apart(self, record: dict[str, Any], data: bytes) -> None:
        """Of a large record with an é, whose `id` is "long": not if that is no UTF-8, nor if there is a transcript, too."""
        assert b"\\u00e9" in data
        assert QuickLook().look(data, ORIGIN, apart=True) is not None
        for other in (
            data.replace(b"\\u00e9", b"\xff"),
            data.replace(b'"id": "long"', b'"transcripts": [{"messages": []}]'),
        ):
            looker = QuickLook()
            found = looker.look(other, ORIGIN, apart=True)
            assert found is None or found[0] != self.module.FORMAT.name
            assert looker.taken_apart() is None
