"""The program beside the module: what its verbs write."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("TRAINYARD_PROGRAM", str(ROOT / "build/release/trainyard"))
GRID = str(ROOT / "data/grid-small")

# What the run took, which differs from run to run.
COSTS = ("run", "processor_s", "cpu_s", "wall_s")


def run(*words, status=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stderr}"
    return done.stdout


def answer(*words, status=0):
    return without_costs(json.loads(run(*words, "--json", status=status)))


def without_costs(result):
    """Of the dict that a verb writes, or the list."""
    if isinstance(result, list):
        return list(result)
    return {k: v for k, v in result.items() if k not in COSTS}
