"""A format that refuses one record, as a fault in it would, or a record that is not what it demands."""

from __future__ import annotations

from typing import Any

import pytest

from trajview.formats import registry


def refuse(monkeypatch: pytest.MonkeyPatch, method: str, run_id: str, error: Exception) -> None:
    """From now on, this method of the format of chats raises the error where the record has that id."""
    known = type(registry.format_named("openai"))
    real = getattr(known, method)

    def refusing(self: Any, record: Any, origin: Any) -> Any:
        if record.get("id") == run_id:
            raise error
        return real(self, record, origin)

    monkeypatch.setattr(known, method, refusing)
