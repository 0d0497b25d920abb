"""tau-bench's results: a list of trials, each with the messages of a simulated customer and an agent."""

from __future__ import annotations

from typing import Any

from trajview.formats.base import Detection, Origin
from trajview.formats.chat_format import Chat, ChatFormat, chat_of, messages_under
from trajview.formats.plain import not_an_object
from trajview.formats.words import AddedWords

__all__ = ["FORMAT", "TauBench"]

CRASHED = "The simulator crashed"


class TauBench(ChatFormat):
    """`{"task_id", "reward", "info", "traj": [messages], "trial"}`."""

    name = "tau-bench"
    label = "tau-bench trial"
    recognises = "`task_id`, `trial` and `reward` beside `traj`, a list of messages"
    rubric = "success"
    added_words = AddedWords(always=(CRASHED,))

    def detect(self, record: Any) -> Detection | None:
        if not isinstance(record, dict) or not record.keys() >= {"task_id", "trial", "reward", "traj"}:
            return None
        if not isinstance(record["traj"], list):
            return Detection(self.name, 0.6, ("tau-bench's keys, but `traj` is no list",))
        return Detection(self.name, 0.97, ("`task_id`, `trial` and `reward` stand beside `traj`",))

    def look(self, record: Any, origin: Origin) -> Chat:
        if not isinstance(record, dict) or "traj" not in record:
            raise not_an_object("a tau-bench trial", record, origin, "an object with `traj`")
        messages, problems = messages_under(record, "traj")
        info = record.get("info")
        error = info.get("error") if isinstance(info, dict) else None
        if error:  # it is not in the messages, and tells why they end
            messages = [*messages, {"role": "user", "content": f"{CRASHED}: {error}"}]
        chat = chat_of(record, origin, messages, {"traj"}, problems)
        chat.id = f"task-{record.get('task_id')}/trial-{record.get('trial')}"
        return chat


FORMAT = TauBench()
