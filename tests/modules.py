"""Modules as another program has them: with a state of their own, or without a package that they can do without."""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec
from typing import Any

import pytest


def loaded_anew(name: str, *, without: str = "") -> Any:
    """A module that is executed once more; the one that all others use stays as it is. `without`: a package that is not there."""
    spec = find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    with pytest.MonkeyPatch.context() as patch:
        if without:
            patch.setitem(sys.modules, without, None)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return module
