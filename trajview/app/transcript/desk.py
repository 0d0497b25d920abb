"""What all parts of the transcript screen work with: the run that is read, the widgets, and ways to ask, say and go."""

from __future__ import annotations

from dataclasses import dataclass

from trajview.app.shared.background import Background
from trajview.app.shared.prompt import Prompt
from trajview.app.transcript.display import Display
from trajview.app.transcript.notices import Notices
from trajview.app.transcript.panes import Panes
from trajview.app.transcript.places import Places
from trajview.app.transcript.reading import Reading

__all__ = ["Desk"]


@dataclass(frozen=True, slots=True)
class Desk:
    """What each part of the screen is handed; a part takes of it what it needs."""

    reading: Reading
    display: Display
    panes: Panes
    places: Places
    notices: Notices
    prompt: Prompt
    background: Background
