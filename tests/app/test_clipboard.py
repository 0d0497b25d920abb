"""What is copied is harmless where it is pasted, and no more is said of it than is known."""

from __future__ import annotations

import pytest

from trajview.app.shared.clipboard import Clipboard
from trajview.textsafe import without_controls


def test_no_more_is_said_than_that_it_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    sent: list[str] = []
    hints: list[str] = []
    clipboard = Clipboard(sent.append, lambda text, **_: hints.append(text))

    assert clipboard.copy("x" * 1200, "message 3") == "copied message 3: 1,200 characters sent to the terminal (OSC 52)"
    assert (sent, hints) == (["x" * 1200], [])


def test_in_tmux_it_is_said_once_how_tmux_hands_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
    hints: list[str] = []
    clipboard = Clipboard(lambda _: None, lambda text, **_: hints.append(text))

    clipboard.copy("a", "the selection")
    clipboard.copy("b", "the selection")

    assert len(hints) == 1
    assert "set-clipboard on" in hints[0]


@pytest.mark.parametrize(
    ("logged", "copied"),
    [
        ("a\x1b[201~; rm -rf b\x00", "a; rm -rf b"),
        ("\x1b]52;c;ZXZpbA==\x07kept\r\n\tindented\x9b31m", "kept\n\tindented"),
        ("👩\u200d💻 déjà שלום", "👩\u200d💻 déjà שלום"),
    ],
)
def test_what_acts_on_a_terminal_is_not_copied(logged: str, copied: str) -> None:
    assert without_controls(logged) == copied
