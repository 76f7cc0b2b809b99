"""What goes wrong, as exceptions that say where."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

_KEY = re.compile(r"unknown key '([^']+)'|'([\w-]+(?:\.[\w-]+)+)'")
_NEAREST = re.compile(r"did you mean '([^']+)'")
_ALLOWED = re.compile(r"(?:^|; )allowed: (.*)", re.S)


class Finding(NamedTuple):
    """One thing that is wrong with an input."""

    file: str  # a file, a shipped scenario, "set key=value", or "dict" for a scenario that is one
    line: int  # from 1; 0: the whole of it
    column: int  # the same
    message: str  # "unknown key 'mapping.tensr'"
    help: str  # what is allowed, or the nearest valid name; may be empty

    @property
    def key(self) -> str | None:
        """The key that the message names: "mapping.tensr"."""
        found = _KEY.search(self.message)
        if found:
            return found[1] or found[2]
        return self.file[4:].partition("=")[0].strip() if self.file.startswith("set ") else None

    @property
    def allowed(self) -> str | None:
        """What is allowed, in words: "1 to 1024", "nscc, rccc, ndp"."""
        found = _ALLOWED.search(self.help)
        return found[1] if found else None

    @property
    def nearest(self) -> str | None:
        """The valid name that a mistyped one was probably meant to be."""
        found = _NEAREST.search(self.help)
        return found[1] if found else None


class InputError(ValueError):
    """An input that cannot be used. Its text is that of the program: file, line, the line itself, help.

    `findings` holds all that was found; `file`, `line`, `column`, `message`, `help`, `key`, `allowed` and
    `nearest` are those of the first.
    """

    def __init__(self, text: str, findings: list[dict[str, Any]] | None = None):
        super().__init__(text, findings)
        self.findings = [Finding(**finding) for finding in findings or []]

    def __str__(self) -> str:
        return str(self.args[0]).rstrip()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _OF_FINDING:
            raise AttributeError(name)
        findings = self.__dict__.get("findings")
        return getattr(findings[0], name) if findings else None


_OF_FINDING = (*Finding._fields, "key", "allowed", "nearest")


class Infeasible(Exception):
    """A question that has no answer.

    `constraint` is the condition that cannot hold, `shortfall` by how much it is missed, `remedy` what would
    satisfy it (may be empty); `result` is what was found all the same, or None.
    """

    def __init__(self, constraint: str, shortfall: str, remedy: str = "", result: Any = None):
        super().__init__(constraint, shortfall, remedy, result)
        self.constraint = constraint
        self.shortfall = shortfall
        self.remedy = remedy
        self.result = result

    def __str__(self) -> str:
        return f"{self.constraint}: {self.shortfall}" + (f"; {self.remedy}" if self.remedy else "")
