"""Hostile values for the tests of the formats: what JSON and YAML can hold, in the shape of records, but wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.just("\ud800")
junk: st.SearchStrategy[Any] = st.recursive(
    scalars | st.just(10**400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner, max_size=3),
    max_leaves=6,
)


def objects(fields: Mapping[str, Sequence[Any] | st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Dicts with any of these keys, each with one of its own values or with junk, and perhaps with a key nobody knows."""
    known = {
        key: (values if isinstance(values, st.SearchStrategy) else st.sampled_from(values)) | junk
        for key, values in fields.items()
    }
    return st.fixed_dictionaries({}, optional={**known, "surprise": junk})
