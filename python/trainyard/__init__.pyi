"""Types of trainyard; what the functions do stands in __init__.py."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy

from trainyard._errors import Finding as Finding
from trainyard._errors import Infeasible as Infeasible
from trainyard._errors import InputError as InputError
from trainyard._results import Result as Result
from trainyard._results import Rows as Rows
from trainyard._results import Table as Table
from trainyard._results import frame as frame

__version__: str

Path = Union[str, os.PathLike[str]]
Paths = Union[Path, Iterable[Path]]
Scenario = Union[Path, Mapping[str, Any]]
Changes = Union[Mapping[str, Any], Iterable[str], None]
Progress = Union[Callable[[float, float], Any], None]

def scenarios() -> dict[str, str]: ...
def example(name: str) -> dict[str, Any]: ...
def to_toml(scenario: Mapping[str, Any]) -> str: ...
def schema() -> dict[str, Any]: ...
def plan(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def explain(scenario: Scenario, quantity: str, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def sweep(
    scenario: Scenario,
    names: str | Iterable[str] = ...,
    *,
    key: str = ...,
    values: Iterable[Any] = ...,
    quantity: str = ...,
    set: Changes = ...,
    catalog: Paths = ...,
    progress: Progress = ...,
) -> Result: ...
def scaling(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def rail(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def traffic(scenario: Scenario, *, rail: bool = ..., set: Changes = ..., catalog: Paths = ...) -> Result: ...
def traffic_matrix(
    scenario: Scenario,
    *,
    first: int = ...,
    count: int = ...,
    rail: bool = ...,
    set: Changes = ...,
    catalog: Paths = ...,
) -> numpy.ndarray[Any, Any]: ...
def network(
    scenario: Scenario,
    *,
    design: str = ...,
    optimize: bool = ...,
    set: Changes = ...,
    catalog: Paths = ...,
    progress: Progress = ...,
) -> Result: ...
def cables(scenario: Scenario, *, design: str = ..., set: Changes = ..., catalog: Paths = ...) -> Table: ...
def wide_area(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def simulate(
    scenario: Scenario,
    *,
    network: str = ...,
    threads: int = ...,
    flows: Any = ...,
    connections: Path | None = ...,
    topology: Path | None = ...,
    trace_flows: Iterable[int] = ...,
    checkpoint: Path | None = ...,
    checkpoint_every_s: float = ...,
    resume: Path | None = ...,
    set: Changes = ...,
    catalog: Paths = ...,
    progress: Progress = ...,
) -> Result: ...
def step(
    scenario: Scenario,
    *,
    network: str = ...,
    phases: Sequence[str] = ...,
    set: Changes = ...,
    catalog: Paths = ...,
) -> Result: ...
def step_trace(
    scenario: Scenario,
    *,
    network: str = ...,
    phases: Sequence[str] = ...,
    set: Changes = ...,
    catalog: Paths = ...,
) -> bytes: ...
def schedule(
    jobs: Path | None = ...,
    scenario: Scenario = ...,
    *,
    count: int | None = ...,
    days: float | None = ...,
    load: float | None = ...,
    weekend: float | None = ...,
    format: str = ...,
    skip_bad_rows: bool = ...,
    compare: bool = ...,
    threads: int = ...,
    set: Changes = ...,
    catalog: Paths = ...,
) -> Result: ...
def search(
    scenario: Scenario,
    *,
    most: int = ...,
    threads: int = ...,
    why_not: Changes = ...,
    sensitivity: bool = ...,
    what_if: Changes = ...,
    set: Changes = ...,
    catalog: Paths = ...,
    progress: Progress = ...,
) -> Result: ...
def goodput(
    scenario: Scenario,
    *,
    threads: int = ...,
    set: Changes = ...,
    catalog: Paths = ...,
    progress: Progress = ...,
) -> Result: ...
def circuits(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def operate(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def years(scenario: Scenario, *, set: Changes = ..., catalog: Paths = ...) -> Result: ...
def site(
    scenario: Scenario,
    *,
    grid: Path | None = ...,
    at: Iterable[tuple[float, float]] = ...,
    radius_km: float | None = ...,
    set: Changes = ...,
    catalog: Paths = ...,
) -> Result: ...
def validate(
    runs: Paths = ...,
    *,
    operators: Paths = ...,
    mappings: bool = ...,
    catalog: Paths = ...,
) -> Result: ...
def explain_run(run: str, runs: Paths = ..., *, catalog: Paths = ...) -> Result: ...
def reproduce(paper: str = ..., *, quick: bool = ..., progress: Progress = ...) -> Rows: ...
def figure_points(figure: str = ..., *, progress: Progress = ...) -> Rows: ...
def figure(name: str) -> Table: ...
def catalog(kind: str = ..., key: str = ..., *, where: Changes = ..., folders: Paths = ...) -> Rows: ...
def describe(what: str = ...) -> Rows: ...
def collective(
    operation: str,
    *,
    system: str = ...,
    devices: int = ...,
    size: float | str = ...,
    dtype: str = ...,
    version: str = ...,
    algorithm: str = ...,
    protocol: str = ...,
    channels: int = ...,
    catalog: Paths = ...,
) -> Rows: ...
def results(store: Path, question: int = ..., *, most: int = ..., answers: bool = ..., where: Sequence[str] = ...) -> Any: ...
def compare_results(store: Path, a: int, b: int) -> Result: ...
def import_grid(
    folder: Path,
    *,
    replace: bool = ...,
    eia860_plants: Path = ...,
    eia860_generators: Path = ...,
    energy_atlas: Path = ...,
    eia930: Paths = ...,
    gppd: Path = ...,
    country: str = ...,
    interfaces: Path = ...,
    dc_interfaces: Path = ...,
    counties: Path = ...,
    population: Path = ...,
    prices: Path = ...,
    cities: Path = ...,
    statuses: str | Iterable[str] = ...,
    window: str = ...,
    adjusted: bool = ...,
    skip_bad_rows: bool = ...,
) -> Result: ...
