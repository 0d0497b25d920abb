"""Sources of highlights, switched as the panel of rules does."""

from __future__ import annotations

from trajview.app.transcript.session import TranscriptSession


def switch(session: TranscriptSession, source: str) -> bool:
    """Switch a source off, or on again; returns whether it is on now."""
    off = session.highlights.off ^ {source}
    session.highlights.switch_off(off)
    return source not in off
