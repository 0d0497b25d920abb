"""Logged messages as a large record holds them: each of them is bytes."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Raw
from msgspec.json import Decoder

from trajview.corpus.decode import decode_value
from trajview.formats.logged import Decode, Elements

_raws = Decoder(list[Raw]).decode


def undecoded(logged: list[Any] | bytes, decode: Decode = decode_value) -> Elements:
    """The elements of a list, or of the JSON of one."""
    return Elements(_raws(logged if isinstance(logged, bytes) else json.dumps(logged).encode()), decode)
