"""Decoding beside the garbage collector."""

from __future__ import annotations

import gc

from trajview.corpus.decode import collector_paused


def test_the_collector_stays_off_until_the_last_of_several_threads_is_done() -> None:
    assert gc.isenabled()
    first, second, small = collector_paused(10**9), collector_paused(10**9), collector_paused(10)
    with first:
        second.__enter__()
        with small:
            assert not gc.isenabled()
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()
