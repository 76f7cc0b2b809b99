"""Designs, prices and simulates AI training datacenters, from the power grid to the packet.

    import trainyard
    plan = trainyard.plan("llama3-405b", set={"mapping.tensor": 8})
    plan["step"]["mfu"]

Every function asks what the program's verb of that name asks, and gives what the verb writes with --json: plain
dicts and lists, whose keys end in their units (`_s` seconds, `_bytes`, `_bps` bits a second, `_w` watts, `_usd`).
`to_frame()` makes DataFrames of them; long columns are NumPy arrays in `tables`.

`scenario` is everywhere a file, the name of a shipped scenario (`scenarios()`), or a dict (`example()` gives one);
`set` changes settings on top, as {"facility.load": 0.9} or ["facility.load=0.9"]; `catalog` names folders of
catalog files of one's own. Settings and their units: docs/scenario.md.

What is wrong with an input comes as InputError with its place, a question without an answer as Infeasible. The same
question gives the same result, for any number of threads. Work runs without Python's global lock. Ctrl-C ends it
where a function takes `progress`; the others end first. `progress(done, all)` is called some ten times a second.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Union

import numpy

from trainyard import _toml, _trainyard
from trainyard._errors import Finding, Infeasible, InputError
from trainyard._results import Result, Rows, Table, frame, result_of, table_of_csv

__all__ = [
    "Finding", "Infeasible", "InputError", "Result", "Rows", "Table", "cables", "catalog", "circuits", "collective",
    "compare_results", "describe", "example", "explain", "explain_run", "figure", "figure_points", "frame", "goodput",
    "import_grid", "network", "operate", "plan", "rail", "reproduce", "results", "scaling", "scenarios", "schedule", "schema", "search", "simulate", "site", "step", "step_trace", "sweep",
    "to_toml", "traffic", "traffic_matrix", "validate", "wide_area", "years",
]  # fmt: skip

__version__ = _trainyard.version()

Path = Union[str, "os.PathLike[str]"]
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Changes = Union[Mapping[str, Any], Iterable[str], None]
Progress = Union[Callable[[float, float], Any], None]


def _paths(paths: Path | Iterable[Path]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    return [os.fspath(path) for path in paths]


def _changes(changes: Changes) -> list[str]:
    if changes is None:
        return []
    if isinstance(changes, str):
        return [changes]
    if isinstance(changes, Mapping):
        return [f"{key}={_toml.value_text(value)}" for key, value in changes.items()]
    return list(changes)


def _question(scenario: Scenario, changes: Changes, catalog: Path | Iterable[Path]) -> _trainyard.Question:
    if isinstance(scenario, Mapping):
        text = _toml.document_text(scenario)
        return _trainyard.Question("dict", True, text, _changes(changes), _paths(catalog))
    return _trainyard.Question(os.fspath(scenario), False, "", _changes(changes), _paths(catalog))


def scenarios() -> dict[str, str]:
    """The scenarios that come with the library: {name: title}."""
    return {name: title for name, title, _ in _trainyard.shipped()}


def example(name: str) -> dict[str, Any]:
    """A shipped scenario as a dict, to change and to ask about. Raises KeyError for another name."""
    for known, _, text in _trainyard.shipped():
        if known == name:
            return tomllib.loads(text)
    raise KeyError(f"no shipped scenario {name!r}; trainyard.scenarios() names them")


def to_toml(scenario: Mapping[str, Any]) -> str:
    """A dict as the scenario file that asks the same."""
    return _toml.document_text(scenario)


def schema() -> dict[str, Any]:
    """The JSON Schema of a scenario: every setting with its sentence, unit and range."""
    return dict(result_of((_trainyard.schema(), {}, None)))


def plan(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """Plans a datacenter and its training run.

    Gives its sections: facility (prices in USD, power in W), model, mapping, memory (bytes of a device),
    communication, step (s), cost; docs/output.md lists every key. `to_frame()`: a row for each number.
    """
    return result_of(_trainyard.plan(_question(scenario, set, catalog)))


def explain(
    scenario: Scenario, quantity: str, *, set: Changes = None, catalog: Path | Iterable[Path] = ()
) -> Result:
    """Where a number of a plan comes from: its formula, the inputs with their values, the source.

    `quantity` is its key, "step.mfu", or the only one that ends so.
    """
    return result_of(_trainyard.explain(_question(scenario, set, catalog), quantity), "inputs")


def sweep(
    scenario: Scenario,
    names: str | Iterable[str] = (),
    *,
    key: str = "",
    values: Iterable[Any] = (),
    quantity: str = "",
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
    progress: Progress = None,
) -> Result:
    """A plan for each value of a setting: the scenario's [[sweep]]s of these names, or all; or `key` over `values`.

    `quantity` is what is read off each plan ("step.exposed_share"). Gives "sweeps", each with "series" of
    "points"; x and y are in base units (bits a second, s, bytes).
    """
    texts = [v if isinstance(v, str) else _toml.value_text(v) for v in values]
    question = _question(scenario, set, catalog)
    answer = _trainyard.sweep(question, _names(names), key, texts, quantity, progress)
    return result_of(answer, "sweeps")


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def scaling(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """Loss-optimal sizes over the length of a training run, at the scenario's FLOP/s: a curve for each scaling law.

    Points have duration_s, parameters, tokens and loss (nats a token).
    """
    return result_of(_trainyard.scaling(_question(scenario, set, catalog)), "curves")


def rail(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """How large an HB domain should be (rail-only '23, equations 1 to 3): iteration times in s by its size.

    "by_domain" and "by_batch" are lists of points; `to_frame()` is that of "by_domain".
    """
    return result_of(_trainyard.rail(_question(scenario, set, catalog)), "by_domain")


def traffic(
    scenario: Scenario, *, rail: bool = False, set: Changes = None, catalog: Path | Iterable[Path] = ()
) -> Result:
    """Who talks to whom in a batch: pairs and bytes of each class of traffic.

    `rail`: of the mapping of the rail-only analysis, in place of the plan's.
    """
    return result_of(_trainyard.traffic(_question(scenario, set, catalog), rail), "classes")


def traffic_matrix(
    scenario: Scenario,
    *,
    first: int = 0,
    count: int = 256,
    rail: bool = False,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
) -> numpy.ndarray[Any, Any]:
    """Bytes of a batch from each of the devices `first` to `first + count - 1` (rows) to each of them (columns)."""
    return _trainyard.traffic_matrix(_question(scenario, set, catalog), rail, first, count)


def network(
    scenario: Scenario,
    *,
    design: str = "",
    optimize: bool = False,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
    progress: Progress = None,
) -> Result:
    """Counts, prices (USD), power (W) and step time (s) of the scenario's designs, or of the one that is named.

    `optimize`: searches the cheapest network that slows no step, as [optimize] says; "front" has the best
    networks by price, "best" is the place of the chosen one there.
    """
    question = _question(scenario, set, catalog)
    if optimize:
        return result_of(_trainyard.best_network(question, design, progress), "front")
    return result_of(_trainyard.network(question, design), "designs")


def cables(
    scenario: Scenario, *, design: str = "", set: Changes = None, catalog: Path | Iterable[Path] = ()
) -> Table:
    """Every link of a design with the ports of both ends: arrays link, from, from_port, to, to_port, kind, rate_bps."""
    return table_of_csv(_trainyard.cables(_question(scenario, set, catalog), design))


def wide_area(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """One cluster over several sites: step times (s), exposed shares, by number of sites and capacity between."""
    return result_of(_trainyard.wide_area(_question(scenario, set, catalog)), "points")


def _flows_text(flows: Any) -> str:
    """Columns from, to, bytes and, if wanted, start_s as CSV."""
    names = list(flows)
    columns = [numpy.asarray(flows[name]).tolist() for name in names]
    lengths = {name: len(column) for name, column in zip(names, columns)}
    if len({*lengths.values()}) > 1:
        raise ValueError(f"columns of flows have different lengths: {lengths}")
    rows = (",".join(map(repr, row)) for row in zip(*columns))
    return "\n".join([",".join(names), *rows]) + "\n"


def simulate(
    scenario: Scenario,
    *,
    network: str = "packet",
    threads: int = 1,
    flows: Any = None,
    connections: Path | None = None,
    topology: Path | None = None,
    trace_flows: Iterable[int] = (),
    checkpoint: Path | None = None,
    checkpoint_every_s: float = 60,
    resume: Path | None = None,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
    progress: Progress = None,
) -> Result:
    """Sends flows over a network design: their completion times.

    `network`: "packet" for every packet, "flow" for max-min fair rates. `flows` stand in for
    simulation.traffic: a CSV file, or columns from, to, bytes, start_s (a dict of arrays, a DataFrame);
    `connections` and `topology` are htsim's files. `trace_flows`: flows whose packets are traced.
    `checkpoint` saves the run every `checkpoint_every_s` seconds and when Ctrl-C ends it; `resume` goes on
    from there. `progress` is told of flows.

    `tables`: "flows" (from, to, bytes, start_s, began_s, received_s, finished_s, slowdown; what never came is
    NaN), "moments" of simulated time, "queue_samples" and "flow_samples" of probes, "trace". In the dict "flows" is
    how many there are; `to_frame()` is the table.
    """
    words = _trainyard.SimulateWords()
    words.network = network
    words.threads = threads
    words.topology = "" if topology is None else os.fspath(topology)
    words.connections = "" if connections is None else os.fspath(connections)
    if isinstance(flows, (str, os.PathLike)):
        words.flows = os.fspath(flows)
    elif flows is not None:
        words.flows_text = _flows_text(flows)
    words.trace_flows = [int(flow) for flow in trace_flows]
    words.checkpoint = "" if checkpoint is None else os.fspath(checkpoint)
    words.checkpoint_every_s = checkpoint_every_s
    words.resume = "" if resume is None else os.fspath(resume)
    return result_of(_trainyard.simulate(_question(scenario, set, catalog), words, progress), "flows")


def step(
    scenario: Scenario,
    *,
    network: str = "analytic",
    phases: Sequence[str] = (),
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
) -> Result:
    """Simulates a training step operation by operation: time (s), waiting by kind, memory (bytes), use of networks.

    `network`: how transfers are timed: "analytic", "flow" (they share links) or "packet"; `phases`: the transfers
    that packets time ("pipeline", "expert", "weights", "gradient").

    `tables`: "operations" (work, resource, stage, replica_class, microbatch, start_s, finish_s, bytes that a
    device sends) and "memory" (stage, replica_class, time_s, bytes). `to_frame()`: the stages.
    """
    return result_of(_trainyard.step(_question(scenario, set, catalog), network, list(phases)), "stages")


def step_trace(
    scenario: Scenario,
    *,
    network: str = "analytic",
    phases: Sequence[str] = (),
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
) -> bytes:
    """The whole step as a file for Perfetto or chrome://tracing (times in microseconds)."""
    return _trainyard.step_trace(_question(scenario, set, catalog), network, list(phases))


def schedule(
    jobs: Path | None = None,
    scenario: Scenario = "shared-cluster",
    *,
    count: int | None = None,
    days: float | None = None,
    load: float | None = None,
    weekend: float | None = None,
    format: str = "",
    skip_bad_rows: bool = False,
    compare: bool = False,
    threads: int = 1,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
) -> Result:
    """Many jobs on one cluster: waits (s), use of device-time, fragmentation, contention.

    `jobs`: a file of our CSV or of a public trace (`format`: "acme", "helios", "openb", "pai", "philly"; by the
    first line); None: a synthetic list of `count` jobs (2000) in `days` (7), which want `load` (0.8) of the cluster's
    device-time, with `weekend` (1) times other days' rate on Saturdays and Sundays.
    `compare`: replays it under other rules, on other networks, with other spares, on so many `threads`.

    `tables`: "jobs" (name, user, devices, submit_s, run_s, wait_s, start_s, end_s, slowdown, finished and more).
    """
    words = _trainyard.ScheduleWords()
    words.file = "" if jobs is None else os.fspath(jobs)
    words.format = format
    words.skip_bad_rows = skip_bad_rows
    words.count = count
    words.days = days
    words.load = load
    words.weekend = weekend
    words.compare = compare
    words.threads = threads
    result = result_of(_trainyard.schedule(_question(scenario, set, catalog), words), "jobs")
    table = result.tables["jobs"]
    table["finished"] = table["finished"].astype(bool)
    return result


def search(
    scenario: Scenario,
    *,
    most: int = 100_000_000,
    threads: int = 1,
    why_not: Changes = None,
    sensitivity: bool = False,
    what_if: Changes = None,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
    progress: Progress = None,
) -> Result:
    """The best values of the settings that a scenario leaves free: {"search": [1, 2, 4, 8]} in place of a value.

    Objective, limits, method and seed are settings: set={"search.objective": "run_cost"}. `most`: points of an
    exhaustive search. `why_not`: values of free settings; what is the best with them? `sensitivity`: whether the
    best changes within the error bars; `what_if`: and where these settings are otherwise.

    `to_frame()`: the ranked points. Raises Infeasible, with the result, where no point is an answer.
    """
    question = _question(scenario, set, catalog)
    answer = _trainyard.search(
        question, most, threads, _changes(why_not), sensitivity, _changes(what_if), progress
    )
    return result_of(answer, "ranked")


def goodput(
    scenario: Scenario,
    *,
    threads: int = 1,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
    progress: Progress = None,
) -> Result:
    """A run of months with failures, spares and checkpoints: useful time, lost hours by cause, days and USD.

    "ettr" is useful time over calendar time. The number of simulated runs is a setting: resilience.runs. `progress` is told of runs.
    """
    return result_of(_trainyard.goodput(_question(scenario, set, catalog), threads, progress))


def circuits(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """Rails of optical circuits that change within a step, beside electrical networks: s, USD, W, failures."""
    return result_of(_trainyard.circuits(_question(scenario, set, catalog)), "networks")


def operate(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """Training beside other work on one site, through a day: devices, power (W), USD; power swings."""
    return result_of(_trainyard.operate(_question(scenario, set, catalog)))


def years(scenario: Scenario, *, set: Changes = None, catalog: Path | Iterable[Path] = ()) -> Result:
    """A site bought in phases: what it trains (tokens) and costs (USD) until the end; watching its ports."""
    return result_of(_trainyard.years(_question(scenario, set, catalog)), "phases")


def site(
    scenario: Scenario,
    *,
    grid: Path | None = None,
    at: Iterable[tuple[float, float]] = (),
    radius_km: float | None = None,
    set: Changes = None,
    catalog: Path | Iterable[Path] = (),
) -> Result:
    """Where on a power grid the datacenter can stand, in how many parts, and what the distance costs.

    `grid`: a folder of a grid's files, in place of site.grid; `at`: look at these places only, (latitude,
    longitude) in degrees. Power is in MW, distances in km. Raises Infeasible, with the result, where nothing
    takes the power.
    """
    folder = "" if grid is None else os.fspath(grid)
    question = _question(scenario, set, catalog)
    return result_of(_trainyard.site(question, folder, list(at), radius_km))


def validate(
    runs: Path | Iterable[Path] = (),
    *,
    operators: Path | Iterable[Path] = (),
    mappings: bool = False,
    catalog: Path | Iterable[Path] = (),
) -> Result:
    """Measured training runs beside predictions: the shipped ones, or CSV files as docs/validation.md describes.

    `operators`: tables of measured operators in place of runs. `mappings`: beside each run's mapping the
    fastest one. Times are in s, errors in percent.
    """
    if _paths(operators):
        return result_of(_trainyard.validate_operators(_paths(operators), _paths(catalog)), "operators")
    if mappings:
        return result_of(_trainyard.validate_mappings(_paths(runs), _paths(catalog)), "runs")
    return result_of(_trainyard.validate(_paths(runs), _paths(catalog)), "runs")


def explain_run(
    run: str, runs: Path | Iterable[Path] = (), *, catalog: Path | Iterable[Path] = ()
) -> Result:
    """What the prediction of a measured run is made of, and which settings come nearer to its measurement."""
    return result_of(_trainyard.explain_run(run, _paths(runs), _paths(catalog)))


def reproduce(paper: str = "all", *, quick: bool = False, progress: Progress = None) -> Rows:
    """The papers' numbers beside ours: "hotnets24", "railonly23", "all" of both; "circuits".

    A row has published, computed, unit, status ("ok", "differs", "missing") and more. `quick`: long simulations run
    now, on 1,024 hosts, in place of their stored results.
    """
    return result_of(_trainyard.reproduce(paper, quick, progress))


def figure_points(figure: str = "fig3", *, progress: Progress = None) -> Rows:
    """Every point of Fig. 3 of HotNets '24 ("fig3a", "fig3b", "fig3c"): closed form and simulated step."""
    return result_of(_trainyard.figure_points(figure, progress))


def figure(name: str) -> Table:
    """Fig. 5 or 6 of HotNets '24 ("fig5", "fig6") from stored simulations: arrays line, x, y.

    fig5: share of the flows over completion time, s. fig6: the longest completion time, s, over the share of
    active nodes.
    """
    answer = _trainyard.stored_figure(name)
    return result_of(answer).tables[name]


def catalog(
    kind: str = "", key: str = "", *, where: Changes = None, folders: Path | Iterable[Path] = ()
) -> Rows:
    """Hardware, models and prices: the kinds; the entries of a `kind` ("accelerators"); every figure of a `key`.

    `where`: only entries whose fields hold a text, {"vendor": "AMD"}. Figures are texts with their units; those of
    an entry have their source. `folders`: catalog files of one's own.
    """
    if isinstance(where, Mapping):
        where = [f"{field}={text}" for field, text in where.items()]
    return result_of(_trainyard.catalog(kind, key, _changes(where), _paths(folders)))


def describe(what: str = "") -> Rows:
    """What a scenario may say: all settings, a section ("mapping") or one ("mapping.tensor"), with unit and range."""
    return result_of(_trainyard.describe(what))


def collective(
    operation: str,
    *,
    system: str = "h100_sxm",
    devices: int = 8,
    size: float | str = "64 MiB",
    dtype: str = "bf16",
    version: str = "",
    algorithm: str = "",
    protocol: str = "",
    channels: int = 0,
    catalog: Path | Iterable[Path] = (),
) -> Rows:
    """How NCCL runs a collective in one NVLink domain: each way that its tuner weighs, with times in us.

    `operation`: "all_reduce", "all_gather", "reduce_scatter" or "alltoall"; `size`: bytes as nccl-tests counts them,
    or a text with a unit. `algorithm`, `protocol` and `channels` stand in for the tuner's.
    """
    call = _trainyard.LibraryCall()
    call.operation, call.system, call.devices, call.version = operation, system, devices, version
    text = size if isinstance(size, str) else f"{size} B"
    return result_of(
        _trainyard.collective(call, text, dtype, algorithm, protocol, channels, _paths(catalog))
    )


def results(
    store: Path, question: int = 0, *, most: int = 0, answers: bool = False, where: Sequence[str] = ()
) -> Any:
    """What searches kept in a file (`search --resume`): its questions, or the points of one.

    `most`: only so many, the best; `answers`: leave out points without a plan or beyond a limit;
    `where`: points with these values of free settings and measures, as ["mapping.tensor=8", "days<=600"].
    """
    answer = _trainyard.results(os.fspath(store), question, most, answers, list(where))
    return result_of(answer, "points") if question else result_of(answer)


def compare_results(store: Path, a: int, b: int) -> Result:
    """Two questions of a store: where their answers differ, over points with equal settings."""
    return result_of(_trainyard.compare_results(os.fspath(store), a, b))


def import_grid(folder: Path, *, replace: bool = False, **originals: Any) -> Result:
    """Makes a grid folder for `site` from public data (docs/grid-data.md): rows, power (MW), notes.

    `originals` are the flags of `trainyard import-grid`, such as gppd="global_power_plant_database.csv",
    country="NOR". `replace`: also a folder that an import wrote before.
    """
    words = _trainyard.GridOriginals()
    for name, value in originals.items():
        if not hasattr(words, name):
            raise TypeError(f"import_grid() has no argument {name!r}")
        lists = name in ("eia930", "statuses")
        given = value if isinstance(value, (bool, str)) else _paths(value) if lists else os.fspath(value)
        setattr(words, name, [given] if lists and isinstance(given, str) else given)
    return result_of(_trainyard.import_grid(os.fspath(folder), words, replace))
