"""A scenario that is a dict, as the TOML that the library reads."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def key_text(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of a scenario is a str, not {type(key).__name__}: {key!r}")
    return key if _BARE.match(key) else _quoted(key)


def _quoted(text: str) -> str:
    # TOML's basic strings are JSON's, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def value_text(value: Any) -> str:
    """A value on one line. NumPy's numbers and arrays are taken as Python's."""
    if hasattr(value, "tolist") and not isinstance(value, (str, bytes)):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
        return repr(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key_text(k)} = {value_text(v)}" for k, v in value.items())
        return "{ " + inner + " }" if inner else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(v) for v in value) + "]"
    raise TypeError(f"a scenario holds texts, numbers, lists and dicts, not {type(value).__name__}: {value!r}")


def _is_section(value: Any) -> bool:
    """What gets a header of its own: a dict, but for a setting that a search leaves free."""
    return isinstance(value, Mapping) and set(value) != {"search"}


def _is_section_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(map(_is_section, value))


def _add_table(table: Mapping[str, Any], path: str, out: list[str]) -> None:
    """Plain keys first: in TOML a header takes all that follows it."""
    nested = {k: v for k, v in table.items() if _is_section(v) or _is_section_list(v)}
    out += [f"{key_text(k)} = {value_text(v)}" for k, v in table.items() if k not in nested]
    for key, value in nested.items():
        inner = f"{path}.{key_text(key)}" if path else key_text(key)
        header = f"[{inner}]" if isinstance(value, Mapping) else f"[[{inner}]]"
        for element in [value] if isinstance(value, Mapping) else value:
            out += ["", header]
            _add_table(element, inner, out)


def document_text(document: Mapping[str, Any]) -> str:
    """The whole scenario."""
    out: list[str] = []
    _add_table(document, "", out)
    return "\n".join(out).lstrip("\n") + "\n"
