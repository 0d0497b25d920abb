"""Any JSON at all: a run whose one message is the record, pretty-printed. Never an error."""

from __future__ import annotations

from typing import Any

from trajview.models.messages import UserMessage
from trajview.models.run import AgentRun
from trajview.models.transcript import Transcript

from .base import Detection, Origin, Summary
from .contract import Format
from .logged import decoded
from .plain import as_json, first_id, kind

__all__ = ["FORMAT", "RawJSON"]


class RawJSON(Format):
    """The format of last resort; it is always possible and never preferred."""

    name = "raw"
    label = "raw JSON"
    recognises = "any JSON or YAML that no other format recognises; it is shown as it is"
    is_last_resort = True

    def detect(self, record: Any) -> Detection:
        return Detection(self.name, 0.0, (f"any JSON can be shown as it is, and this is {kind(record)}",))

    def _id(self, record: Any, origin: Origin) -> str:
        return first_id(record, origin, ("id", "uuid"))[0] if isinstance(record, dict) else origin.default_id

    def summarise(self, record: Any, origin: Origin) -> Summary:
        return Summary(self._id(record, origin), messages=1, units=1)

    def read(self, record: Any, origin: Origin) -> AgentRun:

        found = self._id(record, origin)
        message = UserMessage(content=as_json(decoded(record)))
        return AgentRun(
            id=found, transcripts=[Transcript(id=f"{found}/0", messages=[message])], source_format=self.name
        )


FORMAT = RawJSON()
