"""Signs of failure in the text of a tool's answer: tracebacks, exit codes, failing tests, refusals. Pure.

Every pattern is anchored and literal, so that code that merely mentions errors is none; and none can be made slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from .patterns.quick_bytes import holds
from .textsafe import without_colours

__all__ = ["code_in_fields", "failure_in", "failure_in_fields", "is_observation"]

_LOOK_AT = 20_000
_OWN_WORDS = 600
"""Characters at the start and the end of output in which a tool gives its own exit code; elsewhere a file may."""

_TRACEBACK: Final = re.compile(
    r"^(?:<\w{1,20}>)?Traceback \(most recent call last\):(?=\s*\Z|[ \t\r]*\n[ \t]+\S)"
    r"|^[ ]{0,4}\+ Exception Group Traceback \(most recent call last\):"
    r"|^(?:\x1b\[[\d;]{0,9}m)?-{40,90}(?:\x1b\[[\d;]{0,9}m)?\r?\n(?:\x1b\[[\d;]{0,9}m)?[A-Z]\w{1,60}(?:\x1b\[[\d;]{0,9}m)?"
    r" +Traceback \(most recent call last\)"
    r'|^Exception in thread "[^"\n]{1,80}" \S'
    r"|^thread '[^'\n]{1,80}' (?:\(\d{1,12}\) )?panicked at "
    r"|^panic: [^\n]{1,300}\n(?:[^\n]{0,300}\n){0,3}goroutine \d"
    r"|^(?:Uncaught )?(?:[A-Z]\w{0,40})?Error: [^\n]{0,300}\n(?:[^\n]{0,300}\n){0,6} {4}at \S"
    r'|^ {2}File "[^"\n]{1,300}", line \d{1,9}\r?\n(?:[^\n]{0,1000}\n){1,3}(?:Syntax|Indentation|Tab)Error: \S'
    r"|^(?:[^\n]{1,200}: line \d{1,9}: +\d{1,9} )?(?:Segmentation fault|Aborted|Bus error) +\(core dumped\)",
    re.MULTILINE,
)
_TRACEBACK_WORDS: Final = (
    b"traceback (most", b"exception in thread", b"panicked at", b"\ngoroutine ", b"\n    at ", b"syntaxerror: ", b"indentationerror: ",
    b"taberror: ", b"(core dumped)",
)  # fmt: skip

_EXIT: Final = re.compile(
    r"^[\[(<*`]{0,3}(?:error: )?(?:(?:the )?(?:command|process|script)[^\n]{0,40}? )?(?:exit(?:ed)?|return(?:ed)?)(?: with)?"
    r"(?: (?:exit|return))?[ _-]?(?:code|status)[ \t]*[:=>]?[ \t]*(?!-?0+\b)-?\d{1,10}\b"
    r"(?=[\])<.,;]|[ \t\r]*$| (?:after|in|\())",
    re.MULTILINE | re.IGNORECASE,
)
_EXIT_WORDS: Final = (b"exit", b"return")
_SHELL: Final = re.compile(
    r"^-?(?:/bin/|/usr/bin/)?(?:bash|sh|zsh|dash): (?:line \d+: |\d+: )?"
    r"[^\n]{1,200}: (?:command not found|not found|No such file or directory|Permission denied|[Ss]yntax error\b|event not found)"
    r"|^zsh: command not found: \S",
    re.MULTILINE,
)
_SHELL_WORDS: Final = (b"not found", b"no such file", b"permission denied", b"syntax error")

_TESTS: Final = re.compile(
    r"^=+ [^\n]{0,200}?\b[1-9]\d{0,6} (?:failed|errors?)\b[^\n]{0,200} in [\d.]{1,12} ?s"  # pytest
    r"|^(?:[1-9]\d{0,6} failed|[1-9]\d{0,6} errors?)\b(?:, \d{1,7} \w{1,12}){0,6} in [\d.]{1,12} ?s"
    r"|^FAILED \((?:failures|errors|unexpected successes)=\d"  # unittest
    r"|^test result: FAILED\."  # cargo
    r"|^Tests:[ ]{1,8}[1-9]\d{0,6} failed"  # jest
    r"|^--- FAIL: \w|^FAIL\t\S"  # go
    r"|^make(?:\[\d+\])?: \*\*\* [^\n]{1,200} Error \d",
    re.MULTILINE,
)
_TESTS_WORDS: Final = (b" failed", b" error in ", b" errors in ", b"failed (", b"tests:", b"fail: ", b"fail\t", b"*** ")

_TOOLS: Final = re.compile(
    r"^npm (?:ERR! \S|error (?:code [A-Z]|[A-Z]))"
    r"|^error\[E\d{4}\]: \S|^error: (?:could not compile `|aborting due to )"  # rustc, cargo
    r"|^[^\s:()]{1,200}:\d{1,7}:\d{1,7}: (?:fatal )?error(?:\[E\d{4}\])?: \S"  # gcc, clang
    r"|^[^\s:()]{1,200}:\d{1,7}: error: \S[^\n]{0,500}  \[[a-z-]{1,40}\]\r?$"  # mypy
    r"|^[^\s:()]{1,200}(?:\(\d{1,7},\d{1,7}\):|:\d{1,7}:\d{1,7} -) error TS\d{1,5}: \S"  # tsc
    r"|^(?:/[^\s:]{1,200}/)?python[\d.]{0,5}: (?:can't (?:open file|find '__main__' module) |No module named \S)"
    r"|^not ok \d{1,7}(?![^\n]{0,300}# (?i:todo|skip))(?= - |[ \t\r]*$| [^\s=:])"  # TAP
    r"|^\d{1,7} examples?, [1-9]\d{0,6} failures?\b"  # rspec
    r"|^\d{1,7} (?:runs|tests), \d{1,7} assertions, (?:[1-9]\d{0,6} failures|\d{1,7} failures, [1-9]\d{0,6} errors)\b"
    r"|^File not found: [^\n]{1,300}\s{0,9}\Z",
    re.MULTILINE,
)
_TOOLS_WORDS: Final = (
    b"npm err", b"error[e", b"error: ", b"error ts", b"can't open file", b"__main__", b"no module named", b"not ok ", b" failure",
    b" assertions, ", b"file not found: ",
)  # fmt: skip
_FATAL: Final = re.compile(r"^fatal: \S", re.MULTILINE)
_MOST_FATAL: Final = 2
"""Lines that git prints in a row as it gives up; more of them are a log."""

_SAID_FIRST: Final = re.compile(
    r"\s{0,9}(?:<tool_use_error>|<error>)?\s{0,9}"
    r"(?P<prefix>(?i:tool )?(?i:error)(?: (?:executing|calling|running|reading|writing|parsing|opening|loading|invoking|"
    r"fetching|creating|deleting|editing|during|while|in|from|occurred|code|\d{1,4})(?: [\w`'\"./-]{1,100}){0,5})?:"
    r"|(?:[A-Z]\w{0,60})?(?:Error|Exception):)"
    r"\s{1,9}(?!0\b|(?i:none|null)\b)\S"
)
_ONLY_ERRORS: Final = re.compile(
    r"(?:[\w./-]{1,40}: [^\n]{1,300}: (?:No such file or directory|Permission denied|Is a directory|Not a directory|"
    r"File exists|command not found)\s{0,3}){1,20}\Z"
)
_REFUSED: Final = re.compile(
    r"Your proposed edit has introduced new syntax error"  # SWE-agent's linter
    r"|No replacement was performed\b|Invalid `\w{1,30}` parameter\b|File not found: \S"  # Anthropic's editing tool
    r"|\[?(?:error: )?(?:the )?(?:last )?(?:command|process|execution|tool call)(?: \S[^\n]{0,200})? timed out\b"
    r"|your output was not formatted correctly|please always provide exactly one action"  # a call that cannot be parsed
    r"|<tool_use_error>",
    re.IGNORECASE,
)

_OBSERVED: Final = re.compile(
    r"\s{0,9}(?:<returncode>|observation:|execution result of \[|the last command <command>|your output was not formatted "
    r"correctly|please always provide exactly one action|-{40,90}\r?\n[A-Z]\w{1,60} +Traceback )",
    re.IGNORECASE,
)
_PROMPT: Final = "bash-$"


def failure_in(output: str) -> str | None:
    """Find a failure in tool output, in a few words: a traceback's last line, an exit code; None if there is none."""
    if len(output) > 2 * _LOOK_AT:
        output = output[:_LOOK_AT] + "\n" + output[-_LOOK_AT:]
    output = without_colours(output)
    first = _refusal(output)
    if first is not None:
        return first
    # The patterns take a hundred times as long as looking for the words that they need.
    lowered = output.lower().encode("utf-8", "surrogatepass")
    if _holds_any(lowered, _TRACEBACK_WORDS):
        found = _TRACEBACK.search(output)
        if found is not None:
            return _error_of_traceback(output, found)
    if _holds_any(lowered, _SHELL_WORDS):
        found = _SHELL.search(output)
        if found is not None:
            return _short(output[found.start() : found.start() + 300])
    if _holds_any(lowered, _EXIT_WORDS):
        found = _EXIT.search(output, 0, _OWN_WORDS)
        if found is None and len(output) > _OWN_WORDS:
            found = _EXIT.search(output, output.rfind("\n", 0, max(_OWN_WORDS, len(output) - _OWN_WORDS)) + 1)
        if found is not None:
            return _short(output[found.start() : found.start() + 300])
    if _holds_any(lowered, _TESTS_WORDS):
        found = _TESTS.search(output)
        if found is not None:
            return _short(output[found.start() : found.start() + 300])
    fatal = _FATAL.search(output) if holds(lowered, b"fatal: ") else None
    if fatal is not None and f"\n{output}".count("\nfatal: ") <= _MOST_FATAL:
        return _short(output[fatal.start() : fatal.start() + 300])
    if _holds_any(lowered, _TOOLS_WORDS):
        found = _TOOLS.search(output)
        if found is not None:
            return _short(output[found.start() : found.start() + 300])
    return None


def _holds_any(lowered: bytes, words: Iterable[bytes]) -> bool:
    return any(holds(lowered, word) for word in words)


def is_observation(text: str) -> bool:
    """Whether the text of a user's message is a tool's answer, in agents that have no role for tools."""
    if _OBSERVED.match(text):
        return True
    # SWE-agent's prompt ends what was observed, and its instructions (which quote the issue) as well.
    return text.endswith(_PROMPT) and "\nISSUE:\n" not in text


def _refusal(output: str) -> str | None:
    """Find in the first words of output, or in a JSON object, why a call failed."""
    if output[:1] == "{":
        said = _json_failure(output)
        if said is not None:
            return said
    head = output[:400]
    if _REFUSED.match(head.lstrip()):
        return _short(head)
    found = _SAID_FIRST.match(head)
    if found is not None and not _repeats(found["prefix"], output):
        return _short(head.strip())
    only = _ONLY_ERRORS.match(output.lstrip()) if len(output) < 4_000 else None
    if only is not None:
        return _short(only.group())
    return None


def _repeats(prefix: str, output: str) -> bool:
    """Whether a later line begins in the same way: then these are lines of a log that was found or read."""
    return output.lower().count("\n" + prefix.lower(), 0, 10_000) > 0


class _Answer(msgspec.Struct):
    error: Any = None
    exit_code: Any = None
    exitCode: Any = None
    returncode: Any = None
    return_code: Any = None
    is_error: Any = None
    isError: Any = None
    success: Any = None
    status: Any = None
    message: Any = None
    metadata: Any = None


_decode_answer: Final = msgspec.json.Decoder(_Answer).decode


def _json_failure(output: str) -> str | None:
    """Find a failure in an answer that is a JSON object, by the names that tools and their protocols use."""
    try:
        answer = _decode_answer(output)
    except (ValueError, RecursionError):
        return None
    fields = {name: getattr(answer, name) for name in _Answer.__struct_fields__}
    if _is_failed_status(answer.status) and _holds_more(output):
        fields["status"] = None
    inner = answer.metadata
    return failure_in_fields(fields) or (failure_in_fields(inner) if isinstance(inner, dict) else None)


def _holds_more(answer: str) -> bool:
    """Whether an answer holds a list or object that is no part of a failure: then `status` is what was asked for."""
    try:
        fields = msgspec.json.decode(answer)
    except (ValueError, RecursionError):
        return False
    inner = (value for name, value in fields.items() if name not in _OF_FAILURES)
    return any(isinstance(value, list | dict) and value for value in inner)


_OF_FAILURES: Final = ("error", "errors", "message", "messages", "detail", "details", "reason", "reasons", "metadata")

_CODES: Final = ("exit_code", "exitCode", "exit_status", "returncode", "return_code", "returnCode")


def failure_in_fields(fields: dict[str, Any]) -> str | None:
    """Find a failure in fields that a source keeps beside a tool's answer: an exit code, a flag, a status."""
    error = fields.get("error")
    said = error.get("message") if isinstance(error, dict) else error
    if isinstance(said, str) and said.strip():
        return _short(said)
    if (
        error is True
        or (isinstance(error, dict) and error)
        or fields.get("is_error") is True
        or fields.get("isError") is True
    ):
        return "tool error"
    code = code_in_fields(fields)
    if code is not None:
        return code
    if fields.get("success") is False or _is_failed_status(fields.get("status")):
        message = fields.get("message")
        return _short(message) if isinstance(message, str) and message.strip() else "the tool says that it failed"
    return None


def _is_failed_status(status: Any) -> bool:
    return isinstance(status, str) and status.lower() in ("error", "failed", "failure")


def code_in_fields(fields: dict[str, Any]) -> str | None:
    """Find a non-zero exit code among fields, as `exit code 1`."""
    for name in _CODES:
        code = fields.get(name)
        if isinstance(code, int) and not isinstance(code, bool) and code:
            return f"exit code {code}"
    return None


_TAGS: Final = re.compile(r"<(?:tool_use_error|error)>|</\w{1,30}>|<(?=\w{1,30}>)|(?<=\w)>")


def _short(said: str) -> str:
    """The first line of a message, without brackets and signs around it."""
    lines = said.strip().splitlines()
    if not lines:
        return "tool error"
    short = _TAGS.sub(" ", lines[0][:200]).strip("[]()<>=*` ")
    return f"{short})" if lines[0].endswith(")") and short.count("(") > short.count(")") else short


def _error_of_traceback(output: str, found: re.Match[str]) -> str:
    """The error of a traceback: the first line that is not indented after the frames."""
    head = found.group()
    if head.startswith('  File "'):
        return _short(output[output.rfind("\n", 0, found.end()) + 1 :])
    if "raceback (most" not in head:
        return _short(output[found.start() : found.start() + 300])
    if "Exception Group" in head:
        return "exception group"
    lines = (line for line in output[found.end() :].splitlines() if line.strip())
    if head.lstrip("\x1b[0123456789;m").startswith("-"):
        name = re.search(r"[A-Z]\w+(?=(?:\x1b\[[\d;]{0,9}m)? +Traceback)", head)
        kind = name.group() if name else "Traceback"
        return next((line[:200] for line in lines if line.startswith(f"{kind}:")), kind)
    return next((line[:200] for line in lines if not line[0].isspace()), "traceback")
