"""What a person can set: on the command line, in the configuration file, or left to the defaults."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct, field

from trajview.errors import TrajviewError, Where

if TYPE_CHECKING:
    from trajview.rules import Rule

__all__ = ["ConfigError", "Settings", "config_path", "load_settings"]


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
    """`--rule`, repeatable: the names of rules that are on, whatever is said of them elsewhere."""
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
    """The settings: those given here (None and () mean: not given), else the file's, else the defaults.

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


class _File(NamedTuple):
    """A configuration file, and where in it a setting is."""

    path: Path
    text: str
    where: Where


def _checked(name: str, value: Any, path: Path, text: str) -> Any:
    where = Where(path, _line_of(name, text))
    if name not in _SETTINGS:
        close = get_close_matches(name, _SETTINGS, 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(_SETTINGS)}"
        raise ConfigError(f"there is no setting `{name}`", hint=hint, where=where)
    wanted, read = _SETTINGS[name]
    checked = read(value, _File(path, text, where))
    if checked is None:
        raise ConfigError(f"`{name}` must be {wanted}, not {value!r:.60}", where=where)
    return checked


# What reads the value of a setting returns None where that is of the wrong kind.


def _patterns(value: Any, file: _File) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    for pattern in value:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(
                f"in `highlight`, {pattern!r} is not a regular expression: {error.msg}",
                hint="escape special characters with a backslash",
                where=file.where,
            ) from error
    return tuple(value)


def _rules(value: Any, file: _File) -> tuple[Rule, ...]:
    from trajview.rules import RuleError, rules_in

    try:
        return tuple(rules_in(value, file.path, file.text, origin="config"))
    except RuleError as error:
        raise ConfigError(error.sentence, hint=error.hint, where=error.where) from error


def _words(value: Any, _: _File) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _rubric(value: Any, file: _File) -> str | None:
    name = _words(value, file)
    if name is not None and (name.endswith(".toml") or "/" in name):
        return str(file.path.parent / Path(name).expanduser())  # a file that lies beside this one
    return name


def _flag(value: Any, _: _File) -> bool | None:
    return value if isinstance(value, bool) else None


def _range(value: Any, _: _File) -> tuple[float, float] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    numbers = [item for item in value if isinstance(item, int | float) and not isinstance(item, bool)]
    if len(numbers) == 2 and all(math.isfinite(number) for number in numbers) and numbers[0] < numbers[1]:
        return float(numbers[0]), float(numbers[1])
    return None


def _count(value: Any, _: _File) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


def _keys(value: Any, _: _File) -> dict[str, str] | None:
    flat = _flat_keys(value) if isinstance(value, dict) else None
    return flat if flat is not None and all(isinstance(keys, str) for keys in flat.values()) else None


def _flat_keys(keys: dict[str, Any]) -> dict[str, Any]:
    """`unit.next = "w"` without quotes is a table in a table for TOML; people mean the same as with quotes."""
    flat: dict[str, Any] = {}
    for name, value in keys.items():
        if isinstance(value, dict):
            flat.update({f"{name}.{inner}": key for inner, key in _flat_keys(value).items()})
        else:
            flat[name] = value
    return flat


_SETTINGS: Final[dict[str, tuple[str, Callable[[Any, _File], Any]]]] = {
    "highlight": ("a list of regular expressions", _patterns),
    "rule": ("[[rule]] tables", _rules),
    "store": ("a folder, as text", _words),
    "annotator": ("a name, as text", _words),
    "gold": ("a name, as text", _words),
    "rubric": ("the name of a rubric or a TOML file, as text", _rubric),
    "blind": ("true or false", _flag),
    "theme": ("the name of a theme, as text", _words),
    "reward_range": ("two numbers, the lower first", _range),
    "preview_lines": ("a whole number from 1", _count),
    "keys": ("a table of keys by the id of what they do, all as text", _keys),
}


def _line_of(name: str, text: str) -> int | None:
    """The line where a top-level setting is; tomllib does not tell."""
    match = re.search(rf"^[ \t]*\[?[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*[=.\]]", text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else None
