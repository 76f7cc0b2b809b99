"""Results: the program's JSON as plain dicts and lists, long columns as NumPy arrays, frames of pandas."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy

from trainyard._errors import Infeasible

if TYPE_CHECKING:
    import pandas


class Table(dict[str, Any]):
    """Columns of one length by name, each a NumPy array. Times that never came are NaN."""

    def to_frame(self) -> pandas.DataFrame:
        """A DataFrame of these columns."""
        return _pandas().DataFrame(dict(self), copy=False)

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<Table of {rows} rows: {', '.join(self)}>"


class Result(dict[str, Any]):
    """What the verb writes with --json, as a dict; `tables` has its long columns by name."""

    tables: dict[str, Table]

    def __init__(self, *args: Any, tables: Mapping[str, Table] | None = None, main: str | None = None):
        super().__init__(*args)
        self.tables = dict(tables or {})
        self._main = main

    def to_frame(self, name: str | None = None) -> pandas.DataFrame:
        """A part of the result as a DataFrame: a table, a list of records, or the numbers of a dict.

        `name` is a key or one of `tables`; parts within parts have a dot between them ("step.by_source").
        Without a name: the table or list that the result is about; of a plan every number with its key.
        """
        if name is None:
            name = self._main
        if name is None:
            return _frame_of(dict(self))
        if name in self.tables:
            return self.tables[name].to_frame()
        part: Any = self
        for word in [name] if name in self else name.split("."):
            if not isinstance(part, Mapping) or word not in part:
                names = ", ".join([*self.tables, *(k for k, v in self.items() if isinstance(v, (list, dict)))])
                raise KeyError(f"no part {name!r}; there are: {names}")
            part = part[word]
        return _frame_of(part)


class Rows(list[Any]):
    """A list of records, as the verb writes it with --json."""

    def to_frame(self) -> pandas.DataFrame:
        """A DataFrame with a row for each record."""
        return _frame_of(self)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frames need pandas: apt-get install python3-pandas") from error
    return pandas


def _scalars(record: Mapping[str, Any], path: str = "") -> list[tuple[str, Any]]:
    """Keys, with a dot between nested ones, and values of all that is no list."""
    out: list[tuple[str, Any]] = []
    for key, value in record.items():
        if isinstance(value, Mapping):
            out += _scalars(value, f"{path}{key}.")
        elif not isinstance(value, list):
            out.append((path + key, value))
    return out


def _frame_of(part: Any) -> pandas.DataFrame:
    pandas = _pandas()
    if isinstance(part, Table):
        return part.to_frame()
    if isinstance(part, Mapping):
        return pandas.DataFrame(_scalars(part), columns=["key", "value"])
    if part and isinstance(part[0], Mapping):
        return pandas.json_normalize(list(part), sep=".")
    return pandas.DataFrame({"value": list(part)})


def frame(result: Any, name: str | None = None) -> pandas.DataFrame:
    """A result, a part of it by name, a table or a list of records as a DataFrame; see Result.to_frame()."""
    if isinstance(result, Result):
        return result.to_frame(name)
    return _frame_of(result if name is None else result[name])


def _array(column: Any) -> numpy.ndarray[Any, Any]:
    """Columns of names come as the names and their numbers."""
    if isinstance(column, tuple):
        names, rows = column
        array: numpy.ndarray[Any, Any] = numpy.array(names, dtype=str)[rows]
        return array
    return numpy.asarray(column)


def tables_of(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, Table]:
    return {name: Table({k: _array(v) for k, v in table.items()}) for name, table in tables.items()}


def result_of(answer: tuple[str, Any, Any], main: str | None = None) -> Any:
    """A dict or list of what the library gives; raises Infeasible with it where that says what cannot be."""
    text, tables, unmet = answer
    parsed = json.loads(text)
    result: Any
    if isinstance(parsed, list):
        result = Rows(parsed)
    else:
        result = Result(parsed, tables=tables_of(tables), main=main)
    if unmet is not None:
        constraint, shortfall, remedy = unmet
        raise Infeasible(constraint, shortfall, remedy, result)
    return result


def table_of_csv(text: str) -> Table:
    """Columns of a CSV text: whole numbers, numbers or texts, whatever all of a column are."""
    reader = csv.reader(io.StringIO(text))
    names = next(reader)
    columns: list[tuple[str, ...]] = list(zip(*reader)) or [() for _ in names]
    return Table({name: _typed(column) for name, column in zip(names, columns)})


def _typed(column: tuple[str, ...]) -> numpy.ndarray[Any, Any]:
    texts = numpy.array(column, dtype=str)
    for kind in (numpy.int64, numpy.float64):
        try:
            return texts.astype(kind)
        except (ValueError, OverflowError):
            continue
    return texts
