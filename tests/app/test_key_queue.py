"""The queue of keys: in their order, one at a time, each when what it is meant for is there."""

from __future__ import annotations

from textual.events import Event, Key, Paste

from trajview.app.shared.key_queue import PATIENCE, KeyQueue


class Typing:
    """A queue with somebody who types, at times that the test says."""

    def __init__(self) -> None:
        self.now = 100.0
        self.said: list[str] = []
        self.woken = 0
        self.timers: list[float] = []
        commands = {"s": "save", "q": "back"}
        self.queue = KeyQueue(
            lambda key: commands.get(key, ""),
            self.said.append,
            self.wake,
            lambda seconds, _: self.timers.append(seconds),
            lambda: self.now,
        )

    def wake(self) -> None:
        self.woken += 1

    def type(self, *keys: str) -> None:
        for key in keys:
            event = Key(key, key if len(key) == 1 else None)
            event.time = self.now
            self.queue.put(event)

    def delivered(self) -> str:
        """The keys that are delivered by and by until nothing can be."""
        self.queue.settled()
        found = []
        while (event := self.queue.next()) is not None:
            found.append(name_of(event))
            self.queue.settled()
        return " ".join(found)


def name_of(event: Event) -> str:
    return event.key if isinstance(event, Key) else "paste"


def test_a_key_follows_when_all_that_the_last_one_set_off_is_done() -> None:
    typing = Typing()
    typing.type("a", "b")
    assert name_of(typing.queue.next()) == "a"  # type: ignore[arg-type]
    assert typing.queue.next() is None
    typing.type("c")
    assert typing.queue.next() is None
    assert typing.delivered() == "b c"


def test_keys_and_pastes_are_held_in_their_order_until_what_they_are_for_is_there() -> None:
    typing = Typing()
    run, fields = typing.queue.wait(), typing.queue.wait()
    typing.type("a")
    typing.queue.put(Paste("text"))
    typing.type("b")
    run.done()
    assert typing.delivered() == ""
    assert typing.woken == 0
    fields.done()
    fields.done()
    assert typing.woken == 1
    assert typing.delivered() == "a paste b"


def test_a_key_that_comes_right_after_a_wait_follows_when_all_that_its_end_set_off_is_done() -> None:
    typing = Typing()
    typing.queue.wait().done()
    assert typing.woken == 1
    typing.type("a")
    assert typing.queue.next() is None
    run = typing.queue.wait()
    assert typing.delivered() == ""
    run.done()
    assert typing.delivered() == "a"


def test_what_was_typed_for_what_never_comes_is_dropped_and_that_is_said_once() -> None:
    typing = Typing()
    wait = typing.queue.wait()
    typing.type("a", "b")
    wait.never("the run cannot be shown")
    wait.never("again")
    typing.type("c")
    assert typing.delivered() == "c"
    assert typing.said == ["What you typed ahead is dropped: the run cannot be shown."]


def test_nothing_is_said_where_nothing_was_typed() -> None:
    typing = Typing()
    typing.queue.wait().never("all are done")
    assert typing.said == []


def test_a_command_that_means_something_meanwhile_is_done_if_no_key_is_held_before_it() -> None:
    typing = Typing()
    wait = typing.queue.wait(passes=lambda command: command == "back")
    typing.type("q")
    assert typing.delivered() == "q"
    typing.type("a", "q")
    assert typing.delivered() == ""
    wait.done()
    assert typing.delivered() == "a q"


def test_a_command_passes_only_what_all_waits_let_pass() -> None:
    typing = Typing()
    typing.queue.wait(passes=lambda command: command == "back")
    fields = typing.queue.wait()
    typing.type("q")
    assert typing.delivered() == ""
    fields.done()
    assert typing.delivered() == "q"


def test_the_key_that_began_a_wait_is_for_nobody_while_it_is_held_down() -> None:
    typing = Typing()
    wait = typing.queue.wait(ignores=frozenset({"save", "enter"}))
    typing.type("s", "enter", "1", "s")
    wait.done()
    assert typing.delivered() == "1 s"


def test_escape_takes_back_what_is_held() -> None:
    typing = Typing()
    wait = typing.queue.wait()
    typing.type("a", "b", "escape", "c")
    wait.done()
    assert typing.delivered() == "c"
    typing.type("escape")
    assert typing.delivered() == "escape"


def test_what_takes_too_long_is_waited_for_no_more_and_that_is_said() -> None:
    typing = Typing()
    typing.queue.wait()
    assert typing.timers == [PATIENCE + 0.1]
    typing.type("a")
    typing.now += PATIENCE + 1
    typing.type("b")
    assert typing.delivered() == "b"
    assert len(typing.said) == 1
    forever = typing.queue.wait(patience=None)
    typing.type("c")
    typing.now += 1000
    typing.type("d")
    forever.done()
    assert typing.delivered() == "c d"


def test_keys_right_after_a_refusal_are_dropped_and_those_after_a_pause_are_not() -> None:
    typing = Typing()
    typing.type("a")
    typing.queue.refuse("Not submitted.", answer="save")
    assert typing.said == ["Not submitted."]
    for seconds in (0.1, 0.1, 0.2, 0.3, 0.3):
        typing.now += seconds
        typing.type("s")
    assert typing.delivered() == ""
    assert typing.queue.deaf
    typing.now += 0.5
    typing.type("b")
    assert typing.delivered() == "b"
    assert typing.said == ["Not submitted."]


def test_a_refusal_that_is_repeated_is_said_once() -> None:
    typing = Typing()
    for _ in range(2):
        typing.queue.refuse("Not an answer.")
        typing.type("a")
        typing.now += 0.1
    assert typing.delivered() == ""
    assert typing.said == ["Not an answer."]
    typing.now += 1
    typing.queue.refuse("Not an answer.")
    typing.type("b")
    assert len(typing.said) == 2


def test_the_key_that_answers_a_refusal_at_once_is_delivered() -> None:
    typing = Typing()
    typing.type("s", "x")
    typing.queue.refuse("Not submitted.", answer="save")
    assert typing.delivered() == "s"
    assert typing.said == ["Not submitted."]


def test_a_key_that_was_typed_before_a_question_and_comes_late_is_no_answer() -> None:
    typing = Typing()
    late = Key("enter", "\r")
    late.time = typing.now
    typing.now += 0.2
    typing.queue.refuse()
    typing.now += 5
    typing.queue.put(late)
    assert typing.delivered() == ""
    assert typing.said == []


def test_enter_typed_before_the_terminal_sends_keys_one_by_one_is_enter() -> None:
    typing = Typing()
    typing.queue.lines = 3
    typing.type("7", "ctrl+j", "2", "ctrl+j")
    assert typing.delivered() == "7 enter 2 ctrl+j"
