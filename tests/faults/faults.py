#!/usr/bin/env python3
"""Small runs of every verb in which the N-th call of the allocator or of the file layer fails.

    faults.py PROGRAM FAIL_AT_LIBRARY [--first N] [--random N] [--verb VERB]...

The first N calls fail, each in a run of its own, and N others at random with a fixed seed. A run must end by itself: with
its answer, if it could do without, or with a message and status 1 or 2; what it was to write is there whole, or as it was
before, and nothing lies beside it.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "contract"))
from contract import SCENARIO, limits  # noqa: E402

SECONDS = 60  # of the processor for one run
OLD = "as it was before\n"
# Words of a run, and the file that it writes with the end that it has when it is whole.
RUNS = [
    (["plan", "small.toml", "--report", "out"], "</html>"),
    (["plan", "small.toml", "--json"], None),
    (["sweep", "small.toml", "--chart", "out"], "</svg>"),
    (["scaling", "small.toml"], None),
    (["rail", "small.toml", "--chart", "out"], "</svg>"),
    (["traffic", "small.toml", "--heat-map", "out.svg"], "</svg>"),
    (["wide-area", "small.toml"], None),
    (["network", "small.toml", "--svg", "out"], "</svg>"),
    (["network", "small.toml", "--cables", "out"], "\n"),
    (["simulate", "small.toml", "--report", "out", "--checkpoint", "run.ck", "--checkpoint-every", "0"], "</html>"),
    (["simulate", "small.toml", "--network", "flow", "--json"], None),
    (["step", "small.toml", "--report", "out"], "</html>"),
    (["step", "small.toml", "--trace", "out"], "]}\n"),
    (["site", "small.toml", "--map", "out"], "</svg>"),
    (["search", "small.toml", "--set", "mapping.microbatch={search=[1,2]}", "--json"], None),
    (["search", "small.toml", "--set", "mapping.microbatch={search=[1,2]}", "--resume", "store.db"], None),
    (["catalog", "list", "accelerators"], None),
    (["catalog", "show", "accelerators", "h100-sxm", "--json"], None),
    (["describe", "facility"], None),
    (["schema"], None),
    (["scenarios"], None),
    (["example", "megatron-175b"], None),
    (["validate", "--explain", "llama3.405B.16384.cp1"], None),
    (["reproduce", "railonly23"], None),
]


def run(program, library, words, kind, at, folder):
    environment = {**os.environ, "LD_PRELOAD": library, "FAIL_KIND": kind, "FAIL_AT": str(at),
                   "FAIL_COUNT_TO": str(folder / "count")}
    return limits.run([program, *words], SECONDS, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)


def prepared(path, words):
    folder = pathlib.Path(path)
    (folder / "small.toml").write_text(SCENARIO)
    for name in ("out", "out.svg"):
        if name in words:
            (folder / name).write_text(OLD)
    return folder


def calls_of(program, library, words, kind):
    with tempfile.TemporaryDirectory(prefix="trainyard-faults-") as path:
        folder = prepared(path, words)
        run(program, library, words, kind, 0, folder)
        return int((folder / "count").read_text())


def complaints(program, ran, folder, words, end):
    if ran.returncode not in (0, 1, 2, 3):
        yield f"status {ran.returncode}: {ran.stderr.decode(errors='replace')[-200:]!r}"
    if ran.returncode in (1, 2) and not ran.stderr.strip():
        yield f"status {ran.returncode} without a word"
    for name in ("out", "out.svg"):
        if name in words:
            text = (folder / name).read_text(errors="replace") if (folder / name).exists() else "gone"
            if text != OLD and not text.rstrip().endswith(end.rstrip()):
                yield f"{name} is half-written: ...{text[-40:]!r}"
            if ran.returncode == 0 and text == OLD:
                yield f"status 0, and {name} was not written"
    allowed = {"small.toml", "count", "run.ck", *words}
    beside = {p.name for p in folder.iterdir()} - allowed
    # Where SQLite could not clear away its log, the log is part of the store, and the next reader clears it away.
    if beside and beside <= {"store.db-wal", "store.db-shm"}:
        read = limits.run([program, "results", "store.db"], SECONDS, cwd=folder, capture_output=True)
        if read.returncode != 0:
            yield f"the store is read no more: {read.stderr.decode(errors='replace')[-200:]!r}"
        beside = {p.name for p in folder.iterdir()} - allowed
    if beside:
        yield f"left beside: {sorted(beside)}"


def judge(program, library, words, end, kind, at):
    with tempfile.TemporaryDirectory(prefix="trainyard-faults-") as path:
        folder = prepared(path, words)
        try:
            ran = run(program, library, words, kind, at, folder)
            found = list(complaints(program, ran, folder, words, end))
        except subprocess.TimeoutExpired:
            found = [f"it did not end in {SECONDS} s of the processor"]
        return [f"{' '.join(words)} ({kind} call {at}): {complaint}" for complaint in found]


def cases(program, library, first, others, draw, verbs):
    for words, end in RUNS:
        if verbs and words[0] not in verbs:
            continue
        for kind in ("memory", "files"):
            calls = calls_of(program, library, words, kind)
            numbers = set(range(1, min(first, calls) + 1))
            if calls > first:
                numbers |= {draw.randint(first + 1, calls) for _ in range(others)}
            for at in sorted(numbers):
                yield words, end, kind, at


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--verb", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    library = str(pathlib.Path(arguments.library).resolve())
    draw = random.Random(arguments.seed)
    wanted = list(cases(program, library, arguments.first, arguments.random, draw, arguments.verb))
    draw.shuffle(wanted)
    wanted = wanted[::arguments.every]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = 0
        for complaints in pool.map(lambda w: judge(program, library, *w), wanted):
            found += len(complaints)
            for complaint in complaints:
                print(complaint, flush=True)
    print(f"faults: {len(wanted)} runs, {found} complaints")
    return 1 if found or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
