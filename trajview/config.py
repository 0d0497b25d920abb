"""Settings: from the command line, from the configuration file, or by default."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field

from trajview.errors import TrajviewError, Where

if TYPE_CHECKING:
    from trajview.rules import Rule

__all__ = ["ConfigError", "Settings", "config_path", "load_settings", "size_in"]


class ConfigError(TrajviewError):
    """A configuration file that cannot be used as it is."""

    title = "Bad configuration"


class Settings(Struct, frozen=True):
    """The settings of one run of the program. Command line beats configuration file beats default."""

    paths: tuple[Path, ...] = ()
    """Files and folders to open."""
    run: str | None = None
    """`--run`: the id or key of the run to open at once."""
    unit: int | None = None
    """`--unit`: the action unit to jump to, which also becomes a highlight."""
    highlight: tuple[str, ...] = ()
    """`--highlight`, repeatable, and `highlight = [...]`: regular expressions whose units are highlights."""
    rules: tuple[Rule, ...] = ()
    """`[[rule]]` tables: named rules, or changes of those that come with trajview."""
    rules_on: tuple[str, ...] = ()
    """`--rule`, repeatable: the names of rules that are on, whatever the files say."""
    where: str | None = None
    """`--where`: the filter that the list of runs begins with."""
    store: Path = field(default_factory=lambda: Path("annotations"))
    """`--store` or `store = "..."`: the folder that annotations are saved in; made at the first save."""
    force_store: bool = False
    """`--force-store`: save annotations of runs that are no episodes in Sotopia's own data folder as well."""
    annotator: str = "anonymous"
    """`--annotator` or `annotator = "..."`; else the login name."""
    gold: str = "gold"
    """`gold = "..."`: the annotator of records that settle disagreements, which is nobody's opinion."""
    rubric: str | None = None
    """`--rubric` or `rubric = "..."`: a built-in rubric's name or a TOML file, for all runs; else their format's."""
    blind: bool = False
    """`--blind` or `blind = true`: hide rewards, the evaluator's reasoning and the names of models until asked to."""
    theme: str | None = None
    """`theme = "..."`: a Textual theme. None for trajview's own dark one; where the terminal has but 16 colours, for
    `ansi-dark`, which uses these."""
    reward_range: tuple[float, float] = (0.0, 1.0)
    """`reward_range = [0, 1]`: what a reward may be, for runs that are not Sotopia episodes."""
    preview_lines: int = 8
    """`preview_lines = 8`: how many lines of a folded tool output are shown."""
    images: bool = True
    """`--no-images` or `images = false`: name images instead of drawing them."""
    max_unpacked: int | None = None
    """`--max-unpacked` or `max_unpacked = "50G"`: bytes that may come out of one compressed file or archive; else 256 MB, 1,000
    times its size up to 4 GB, or 250 times its size, whichever is most."""
    follow_links: bool = False
    """`--follow-links` or `follow_links = true`: open also what links in a folder lead to outside of it."""
    remember: bool = True
    """`remember = true`: go on where you were in a list or a run the last time. `--fresh` neither goes there nor remembers."""
    keys: dict[str, str] = {}
    """`[keys]`: other keys for a binding, by its id in the key table: `"unit.next" = "w, ]"`."""


def config_path() -> Path:
    """The configuration file: $TRAJVIEW_CONFIG, else `config.toml` in the user's folder for trajview's configuration."""
    named = os.environ.get("TRAJVIEW_CONFIG")
    if named:
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("trajview", appauthor=False) / "config.toml"


def load_settings(**given: Any) -> Settings:
    """Load the settings: those given here (None and () mean: not given), else the file's, else the defaults.

    `highlight` adds to the file's. Raises ConfigError with file and line for a file that cannot be read, a key that
    does not exist, or a value of the wrong kind.
    """
    path = config_path()
    chosen: dict[str, Any] = {"annotator": _login_name(), **_read(path)}
    patterns = (*chosen.get("highlight", ()), *(given.pop("highlight", None) or ()))
    chosen.update({name: value for name, value in given.items() if value is not None and value != ()})
    chosen["highlight"] = tuple(dict.fromkeys(patterns))
    if "store" in chosen:
        chosen["store"] = Path(chosen["store"]).expanduser()
    return Settings(**chosen)


def _login_name() -> str:
    import getpass

    try:
        return getpass.getuser() or "anonymous"
    except (OSError, KeyError, ImportError):  # a user id without a name, as in some containers
        return "anonymous"


def _read(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        if os.environ.get("TRAJVIEW_CONFIG"):
            raise ConfigError(
                "the configuration file does not exist", hint="TRAJVIEW_CONFIG names it", where=Where(path)
            ) from None
        return {}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ConfigError(f"the configuration file cannot be read: {reason}", where=Where(path)) from error
    import tomllib

    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
        values = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise ConfigError("the configuration file is not UTF-8", where=Where(path)) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        place = Where(path, int(line[1]) if line else None)
        raise ConfigError(f"the configuration file is not TOML: {error}", hint="see toml.io", where=place) from error
    return {"rules" if name == "rule" else name: _checked(name, value, path, text) for name, value in values.items()}


WANTED: Final = {
    "highlight": "a list of regular expressions",
    "rule": "[[rule]] tables",
    "store": "a folder, as text",
    "annotator": "a name, as text",
    "gold": "a name, as text",
    "rubric": "the name of a rubric or a TOML file, as text",
    "blind": "true or false",
    "theme": "the name of a theme, as text",
    "reward_range": "two numbers, the lower first",
    "preview_lines": "a whole number from 1",
    "images": "true or false",
    "max_unpacked": 'a size, such as "50G"',
    "follow_links": "true or false",
    "remember": "true or false",
    "keys": "a table of keys by the id of what they do, all as text",
}


def _checked(name: str, value: Any, path: Path, text: str) -> Any:
    where = Where(path, _line_of(name, text))
    if name not in WANTED:
        close = get_close_matches(name, WANTED, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(WANTED)}"
        raise ConfigError(f"there is no setting `{name}`", hint=hint, where=where)
    if name == "rule":
        return _rules(value, path, text)
    if not _FITS[name](value):
        raise ConfigError(f"`{name}` must be {WANTED[name]}, not {value!r:.60}", where=where)
    if name == "highlight":
        _check_patterns(value, where)
        return tuple(value)
    if name == "rubric" and (value.endswith(".toml") or "/" in value):
        return str(path.parent / Path(value).expanduser())  # relative to the configuration file
    if name == "max_unpacked":
        return size_in(value)
    if name == "reward_range":
        return float(value[0]), float(value[1])
    return _flat_keys(value) if name == "keys" else value


def _rules(value: Any, path: Path, text: str) -> tuple[Rule, ...]:
    from trajview.rules import RuleError, rules_in

    try:
        return tuple(rules_in(value, path, text, origin="config"))
    except RuleError as error:
        raise ConfigError(error.sentence, hint=error.hint, where=error.where) from error


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def size_in(text: str) -> int | None:
    """The bytes that a size such as `50G` or `1.5 TB` means; None where it is none."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMGT]?)B?", text.strip(), re.IGNORECASE | re.ASCII)
    return None if found is None else int(float(found[1]) * 1000 ** " KMGT".index(found[2].upper() or " "))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _are_keys(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(keys, str) for keys in _flat_keys(value).values())


def _flat_keys(keys: dict[str, Any]) -> dict[str, Any]:
    """Flatten nested tables: TOML reads `unit.next = "w"` without quotes as a table in a table."""
    flat: dict[str, Any] = {}
    for name, value in keys.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{inner}": key for inner, key in _flat_keys(value).items()})
        else:
            flat[name] = value
    return flat


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _is_range(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    numbers = [item for item in value if isinstance(item, int | float) and not isinstance(item, bool)]
    return len(numbers) == 2 and all(math.isfinite(number) for number in numbers) and numbers[0] < numbers[1]


_FITS: Final[dict[str, Callable[[Any], bool]]] = {
    "highlight": lambda value: _is_list_of(value, str),
    "store": _is_text,
    "annotator": _is_text,
    "gold": _is_text,
    "rubric": _is_text,
    "blind": lambda value: isinstance(value, bool),
    "theme": _is_text,
    "reward_range": _is_range,
    "preview_lines": _is_count,
    "images": lambda value: isinstance(value, bool),
    "max_unpacked": lambda value: isinstance(value, str) and bool(size_in(value)),
    "follow_links": lambda value: isinstance(value, bool),
    "remember": lambda value: isinstance(value, bool),
    "keys": _are_keys,
}
"""Tests whether a value is of the right kind for a setting, for all but rules, which are checked elsewhere."""


def _check_patterns(patterns: list[str], where: Where) -> None:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(
                f"in `highlight`, {pattern!r} is not a regular expression: {error.msg}",
                hint="escape special characters with a backslash",
                where=where,
            ) from error


def _line_of(name: str, text: str) -> int | None:
    """The line of a top-level setting, which tomllib does not tell."""
    match = re.search(rf"^[ \t]*\[?[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*[=.\]]", text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else None
