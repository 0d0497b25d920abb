"""What the annotation panel says: in its last line, in toasts, and to the screen around it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from trajview.textsafe import one_line

if TYPE_CHECKING:
    from trajview.errors import AnnotationError
    from trajview.models.sotopia import AnnotationForEpisode

__all__ = ["PanelMessages", "clock"]


class PanelMessages(Widget):
    """The messages of the annotation panel, under its name, and the line that says what is safe."""

    class Opened(Message, namespace="annotation_panel"):
        """The fields of a run are filled and can be typed in; `from_draft` where unsaved work was found."""

        def __init__(self, key: str, annotation: AnnotationForEpisode | None, from_draft: bool) -> None:
            super().__init__()
            self.key = key
            self.annotation = annotation
            self.from_draft = from_draft

    class Saved(Message, namespace="annotation_panel"):
        """The annotation of a run is on disk. `advance` where the next run is wanted; nothing can be typed until then."""

        def __init__(self, key: str, annotation: AnnotationForEpisode, advance: bool = False) -> None:
            super().__init__()
            self.key = key
            self.annotation = annotation
            self.advance = advance

    class Failed(Message, namespace="annotation_panel"):
        """An annotation or draft could not be read or written; the panel has said so already."""

        def __init__(self, key: str, error: AnnotationError) -> None:
            super().__init__()
            self.key = key
            self.error = error

    class DraftKept(Message, namespace="annotation_panel"):
        """What was typed for a run is in the journal; `unsaved` is False where it again says what is saved."""

        def __init__(self, key: str, unsaved: bool) -> None:
            super().__init__()
            self.key = key
            self.unsaved = unsaved

    class PutAside(Message, namespace="annotation_panel"):
        """What was said of another run under this name has another name now, the notes on its units too."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class CloseRequested(Message, namespace="annotation_panel"):
        """Back to the transcript. The draft is on its way to the journal."""

    class RunRequested(Message, namespace="annotation_panel"):
        """Another run is wanted: the next (1) or the previous (-1)."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._said = ""
        self._state = "", ""
        """What the last line says and in which colour, without what is only said beside it."""
        self._alarm = False
        """What it says is an error, or a question: it stays until something is typed."""
        self._shouted = ""

    @property
    def key(self) -> str | None:
        """The run that is open, None before the first."""
        raise NotImplementedError

    def _say(self, text: str, kind: str = "", aside: bool = False) -> None:
        # A draft may be written when the program ends, and the line is gone already.
        for line in self.query(".state").results(Static):
            line.update(Content(one_line(text, 300)))
            line.set_classes(f"state -{kind}" if kind else "state")
        self._said = text
        self._alarm = kind == "error"
        if not aside:
            self._state = text, kind

    def _shout(self, text: str) -> None:
        """An error in the panel and as a toast; the same one only once until something has worked."""
        self._say(text, "error")
        if self._shouted != text:
            self._shouted = text
            self.notify(one_line(text, 300), severity="error", markup=False)

    def _fail(self, key: str, error: AnnotationError) -> None:
        hint = f" ({error.hint})" if error.hint else ""
        whose = "" if key == self.key else f"{one_line(key, 40)}: "
        if self.is_attached:
            self._shout(f"{whose}{error.sentence}{hint}")
        self.post_message(self.Failed(key, error))


def clock(time: datetime | None, seconds: bool = False) -> str:
    """The time of day here, with the date where it is not today's."""
    if time is None:
        return "earlier"
    here = time.astimezone()
    today = datetime.now().astimezone().date()
    if here.date() != today:
        return f"{here:%Y-%m-%d %H:%M}"
    return f"{here:%H:%M:%S}" if seconds else f"{here:%H:%M}"
