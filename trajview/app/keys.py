"""The one table of keys: it makes the bindings, the footer, the help screen and the table of the reference.

Every key can be changed in the configuration file by its id: `[keys]` then `"unit.next" = "w"`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from textual.binding import Binding

__all__ = ["KEYS", "Key", "bindings_for", "character_of", "groups", "key_of", "keys_for", "keys_of", "remap", "shown"]


class Key(Struct, frozen=True):
    """One command that keys call: `id` names it, for remapping too; `keys` as Textual names them.

    `screens` says where it works: browser, transcript, annotation, any. `footer` is its short name in the footer,
    empty where it is not shown there; `spare`: only where all others have room. `words` are others by which the palette and the help find it. `priority` is for keys that a field, too, knows: the binding comes before it.
    What does it is in the `commands` of the screen or widget that has the binding, by `id`, unless `action` names an
    action of Textual's.
    """

    id: str
    keys: str
    says: str
    group: str
    screens: frozenset[str]
    footer: str = ""
    words: str = ""
    spare: bool = False
    priority: bool = False
    action: str = ""


_T = frozenset({"transcript"})
_TR = frozenset({"transcript", "raw"})
_B = frozenset({"browser"})
_BOTH = frozenset({"transcript", "browser", "raw"})
_LISTS = frozenset({"transcript", "browser"})
_D = frozenset({"disagreement"})
_G = frozenset({"agreement", "disagreement"})
_R = frozenset({"results"})
_C = frozenset({"compare"})
_A = frozenset({"annotation"})
_TREE = frozenset({"tree"})
_M = frozenset({"bookmarks"})

KEYS: tuple[Key, ...] = (
    Key("move.down", "j,down", "line down", "Move", _BOTH | _G | _R | _C | _M | _TREE),
    Key("move.up", "k,up", "line up", "Move", _BOTH | _G | _R | _C | _M | _TREE),
    Key("move.half_down", "d,ctrl+d", "half a page down", "Move", _BOTH | _G | _R | _C | _M),
    Key("move.half_up", "u,ctrl+u", "half a page up", "Move", _BOTH | _G | _R | _C | _M),
    Key("move.page_down", "space,pagedown", "page down", "Move", _BOTH | _G | _R | _C | _M),
    Key("move.page_up", "b,pageup", "page up", "Move", _BOTH | _G | _R | _C | _M),
    Key("move.top", "g,home", "top", "Move", _BOTH | _G | _R | _C | _M),
    Key("move.end", "G,end", "end", "Move", _BOTH | _G | _R | _C | _M),
    Key("unit.next", "right_square_bracket", "next action unit", "Jump", _T | _C, "unit", words="step turn"),
    Key("unit.previous", "left_square_bracket", "previous action unit", "Jump", _T | _C),
    Key("user.next", "right_curly_bracket", "next user turn", "Jump", _T, words="human turn question"),
    Key("user.previous", "left_curly_bracket", "previous user turn", "Jump", _T),
    Key("highlight.next", "n", "next highlight", "Jump", _TR, "next", words="match hit"),
    Key("highlight.previous", "N", "previous highlight", "Jump", _TR),
    Key("difference.next", "n", "next difference, or match of the search", "Jump", _C, "difference"),
    Key("difference.previous", "N", "previous difference, or match", "Jump", _C),
    Key("error.next", "e", "next error", "Jump", _T, "error", words="failure exception traceback"),
    Key("error.previous", "E", "previous error", "Jump", _T),
    Key("mark.next", "grave_accent", "next mark", "Jump", _T, words="bookmark"),
    Key("mark.previous", "U", "previous mark", "Jump", _T),
    Key("citation", "C", "follow the citation", "Jump", _T | _D, words="reference evidence"),
    Key("back.jump", "apostrophe", "back to where a jump came from", "Jump", _T, words="return"),
    Key("goto", "colon", "go to :12 unit, :m40 message, :50%", "Jump", _T, words="jump line number percent"),
    Key("run.next", "L", "next run", "Jump", _T, words="file log"),
    Key("run.previous", "H", "previous run", "Jump", _T),
    Key("transcript.next", "tab", "next transcript of the run", "Jump", _T, words="agent"),
    Key("transcript.previous", "shift+tab", "previous transcript of it", "Jump", _T),
    Key("branch.enter", "greater_than_sign", "into the sub-agent’s transcript", "Jump", _T),
    Key("branch.leave", "less_than_sign", "up to the call that started it", "Jump", _T),
    Key("tree", "T", "the tree of transcripts", "Jump", _T, words="sub-agents branches"),
    Key("tree.open", "enter,o", "open the transcript", "Transcripts", _TREE, "open"),
    Key("tree.fold", "left,h", "close what is below, or go up", "Transcripts", _TREE),
    Key("tree.unfold", "right,l", "open what is below", "Transcripts", _TREE),
    Key("tree.leave", "T,escape,q", "back to the messages", "Transcripts", _TREE, "back"),
    Key("fold.toggle", "enter,o", "fold or unfold; open an image", "Show", _T, "fold", words="collapse expand open close picture screenshot", spare=True),
    Key("fold.level", "z", "fold level: tools, all, none", "Show", _T, words="collapse expand"),
    Key("show.reasoning", "r", "show or hide reasoning", "Show", _T, words="thinking thoughts hide"),
    Key("show.tools", "t", "show or hide tool output", "Show", _T, words="results hide collapse"),
    Key("show.edits", "D", "edits as differences, or as old and new text", "Show", _T, words="diff patch changes"),
    Key("show.outline", "O", "show or hide the outline", "Show", _T, words="sidebar contents"),
    Key("outline.highlighted", "F", "outline: highlighted units only, or all", "Show", _T, words="filter"),
    Key("show.metadata", "i", "metadata of run and message", "Show", _T, words="info details scores"),
    Key("show.raw", "v", "the raw record, at the message", "Show", _T, words="json source file"),
    Key("search", "slash", "search", "Find", _TR | _C, "find", words="find grep regex"),
    Key("search.corpus", "slash", "search the messages of the listed runs", "Find", _B | _R, "search", words="find grep regex"),
    Key("filter", "ampersand", "filter the list", "Find", _B, "filter", words="where query narrow"),
    Key("highlight.word", "asterisk", "highlight the word at the cursor", "Find", _T, words="find"),
    Key("highlight.sources", "ampersand", "highlights and rules", "Find", _T, "rules", words="regex colours colors"),
    Key("mark", "m", "mark the unit", "Find", _T, words="bookmark pin star"),
    Key("mark.note", "M", "mark the unit, and say why", "Find", _T, words="bookmark comment"),
    Key("bookmarks", "B", "all marks in these runs", "Find", _LISTS, words="bookmarks pins stars list"),
    Key("compare.open", "enter", "open the run at the unit", "Runs", _C, "open"),
    Key("compare.left", "left,h", "to the left run: search, copy, open", "Runs", _C),
    Key("compare.right", "right,l", "to the right run", "Runs", _C),
    Key("compare.fold", "o", "unfold what is the same", "Show", _C, "unfold"),
    Key("compare.level", "z", "fold level: same, long, none", "Show", _C),
    Key("compare.layout", "vertical_line", "side by side, or in one column", "Show", _C, "layout", words="columns split"),
    Key("compare.transcript", "tab", "next transcript of both runs", "Jump", _C),
    Key("compare.facts", "i", "all rewards and metadata that differ", "Show", _C, words="info details"),
    Key("open", "enter,o", "open the run", "Runs", _B | _D | _R | _M, "open", words="read view"),
    Key("results.next", "right_square_bracket,n", "next run that was found", "Jump", _R, "next run"),
    Key("results.previous", "left_square_bracket,N", "previous run that was found", "Jump", _R),
    Key("results.sort", "s", "in the order of the list, or of the files", "Runs", _R),
    Key("bookmark.note", "M", "why the unit is marked", "Marks", _M, "note", words="comment edit"),
    Key("bookmark.remove", "m,delete", "take the mark away", "Marks", _M, "unmark", words="delete bookmark"),
    Key("mark.run", "m", "mark the run, to compare it", "Runs", _B, "mark", spare=True, words="select bookmark"),
    Key("compare", "D", "compare two marked runs, or one with this", "Runs", _B, "compare", spare=True, words="diff side"),
    Key("sort", "s", "sort by the next column", "Runs", _B, "sort", words="order"),
    Key("sort.also", "plus", "sort by one more column", "Runs", _B),
    Key("sort.previous", "alt+s", "sort by the previous column", "Runs", _B),
    Key("sort.reverse", "minus", "turn the order round", "Runs", _B, words="order descending ascending"),
    Key("annotate", "a", "annotate", "Do", _LISTS, "annotate", words="score rate label review judge"),
    Key("episode.skip", "x", "skip the episode, and say why", "Do", _LISTS, words="leave"),
    Key("episode.flag", "f", "flag the episode for another look", "Do", _LISTS, words="later review"),
    Key("undo", "ctrl+z", "undo annotation work, in any episode", "Do", _LISTS | _M, words="revert"),
    Key("redo", "ctrl+y", "redo it", "Do", _LISTS | _M),
    Key("history", "ctrl+l", "history of the annotation", "Do", _LISTS, words="versions log"),
    Key("reveal", "R", "show what blind mode hides", "Do", _T, words="blind unblind"),
    Key("agreement", "A", "how far annotators agree", "Do", _B, words="kappa alpha raters"),
    Key("agreement.reveal", "R", "show what you have not submitted", "Do", _G, "reveal"),
    Key("cite", "c", "cite the message or the selection", "Do", _T, words="quote reference evidence"),
    Key("score.unit", "S", "score the unit, with a note", "Do", _T, words="rate label reward step"),
    Key("agreement.queue", "enter,o", "the episodes by disagreement", "Do", frozenset({"agreement"}), "disagreements"),
    Key("settle", "a", "settle the episode: type gold scores", "Settle", _D, "settle"),
    Key("settle.part", "tab", "list, gold scores, reasons", "Settle", _D),
    Key("settle.less", "left", "a step down", "Settle", _D),
    Key("settle.more", "right", "a step up", "Settle", _D),
    Key("settle.middle", "equals_sign", "the middle of what was given", "Settle", _D),
    Key("settle.fill", "asterisk", "the middle in every row that is empty", "Settle", _D, "fill"),
    Key("settle.save", "ctrl+s", "save the gold record", "Settle", _D, "save"),
    Key("select.down", "J,shift+down", "select rows, to copy or cite; escape ends", "Do", _T | _C, "select", words="lines"),
    Key("select.up", "K,shift+up", "select rows upwards", "Do", _T | _C),
    Key("copy", "y", "copy the message as Markdown", "Do", _TR | _C, words="clipboard yank"),
    Key("copy.unit", "Y", "copy the unit as Markdown", "Do", _T | _C, words="clipboard yank"),
    Key("export", "W", "write the run, or the selection, into a file", "Do", _T, "export", words="export save html markdown download", spare=True),
    Key("reload", "ctrl+r", "read the files again", "Do", _LISTS, words="refresh"),
    Key("edit", "ctrl+o", "open in $EDITOR or $PAGER", "Do", _BOTH, words="editor vim pager less"),
    Key("annotation.save", "ctrl+s,ctrl+enter,ctrl+j,f2", "submit, and on to the next run", "Annotation", _A, "submit", priority=True),
    Key("annotation.close", "escape", "to the transcript; the draft is kept", "Annotation", _A, "transcript", priority=True),
    Key("annotation.down", "down", "next dimension", "Annotation", _A, priority=True),
    Key("annotation.up", "up", "previous dimension", "Annotation", _A, priority=True),
    Key("annotation.on", "enter", "next score, through all agents", "Annotation", _A, priority=True),
    Key("annotation.column", "tab", "next agent, then the reasoning", "Annotation", _A, priority=True),
    Key("annotation.column_back", "shift+tab", "previous agent, or the reasoning", "Annotation", _A, priority=True),
    Key("annotation.more", "right", "score a step up", "Annotation", _A, priority=True),
    Key("annotation.less", "left", "score a step down", "Annotation", _A, priority=True),
    Key("annotation.copy", "equals_sign", "copy the previous agent's scores", "Annotation", _A, "copy", priority=True),
    Key("annotation.why", "quotation_mark", "why this score", "Annotation", _A, "why", priority=True),
    Key("annotation.guidance", "question_mark", "more or less of the guidance", "Annotation", _A, "guidance", priority=True),
    Key("annotation.citation", "ctrl+g", "follow the citation at the cursor", "Annotation", _A, priority=True, action="screen.do('annotation.citation')"),
    Key("annotation.next_run", "ctrl+n", "next run", "Annotation", _A, "next run", priority=True),
    Key("annotation.previous_run", "ctrl+p", "previous run", "Annotation", _A, priority=True),
    Key("help", "question_mark,f1", "help", "Program", _BOTH | _G | _R | _C | _M, "help", words="keys shortcuts manual"),
    Key("back", "q,escape", "back, and quit", "Program", _BOTH | _G | _R | _C | _M, "back"),
    Key("palette", "ctrl+p", "command palette", "Program", _LISTS | _R | _C | _M, action="app.command_palette"),
)  # fmt: skip


_DEFAULTS = {key.id: key.keys for key in KEYS}


def keys_for(screen: str) -> list[Key]:
    """The keys that work on a screen, in the table's order."""
    return [key for key in KEYS if screen in key.screens]


def bindings_for(screen: str) -> list[Binding]:
    """The bindings of a screen, for its BINDINGS."""
    from textual.binding import Binding

    return [
        Binding(
            key.keys,
            key.action or f"do({key.id!r})",
            key.footer or key.says,
            show=bool(key.footer),
            id=key.id,
            tooltip=key.says,
            priority=key.priority,
        )
        for key in keys_for(screen)
    ]


_NAMES = {
    "right_square_bracket": "]", "left_square_bracket": "[", "right_curly_bracket": "}", "left_curly_bracket": "{",
    "greater_than_sign": ">", "less_than_sign": "<", "colon": ":", "slash": "/", "ampersand": "&", "asterisk": "*", "question_mark": "?", "grave_accent": "`", "apostrophe": "'",
    "equals_sign": "=", "quotation_mark": '"',
    "pagedown": "pgdn", "pageup": "pgup",
}  # fmt: skip


def shown(keys: str) -> str:
    """Keys as people write them: `]`, `j ↓`, `ctrl+d`."""
    return " ".join(map(_written, keys.split(",")))


def _written(key: str) -> str:
    key = key.strip()
    arrows = {"down": "↓", "up": "↑", "left": "←", "right": "→"}
    known = arrows.get(key) or _NAMES.get(key)
    if known is not None or len(key) == 1 or "_" not in key:
        return known or key
    from textual.keys import key_to_character

    return key_to_character(key) or key


def character_of(key: str) -> str | None:
    """The character that a key types, which Textual does not know of all that it names; None where it types none."""
    from textual.keys import key_to_character

    name = _NAMES.get(key, "")
    return name if len(name) == 1 else key_to_character(key)


_remapped: dict[str, str] = {}


def remap(keys: Mapping[str, str]) -> dict[str, str]:
    """Take the keys of the configuration, by id, for those that texts name from now on; there is one app in a process.

    Returns them as Textual names them: there a sign may stand for itself, and spaces around a key.
    """
    _remapped.clear()
    _remapped.update({id: _named(given) for id, given in keys.items()})
    return dict(_remapped)


def _named(given: str) -> str:
    from textual.binding import Binding

    keys = [key.strip() for key in given.split(",")] if given.strip() != "," else ["comma"]
    return ",".join(binding.key for key in keys if key for binding in Binding.make_bindings([(key, "", "")]))


def keys_of(key: Key) -> str:
    """The keys of a command as they are now, as Textual names them."""
    return _remapped.get(key.id) or key.keys


def key_of(id: str, rather: str = "", *, begins: bool = False) -> str:
    """The key of a command, by its id, as a text names it: the first, or `rather` where that is one of them.

    `begins` a sentence: then a key that has a name, not a letter, has a capital.
    """
    given = _remapped.get(id) or _DEFAULTS[id]
    keys = [key.strip() for key in given.split(",")]
    name = _written(rather if rather in keys else keys[0])
    return name.capitalize() if begins and len(name) > 1 and "+" not in name else name


def groups(keys: Iterable[Key]) -> dict[str, list[Key]]:
    """Keys by group, groups in the table's order."""
    found: dict[str, list[Key]] = {}
    for key in keys:
        found.setdefault(key.group, []).append(key)
    return found
