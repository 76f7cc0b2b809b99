#!/usr/bin/env python3
"""Every setting at the ends of its range and beyond, by every verb that reads a scenario.

    settings.py PROGRAM [--every N] [--pairs N] [--verb VERB]...

Settings are read from `describe --json`. Each value, and N random pairs of them with a fixed seed, is laid over a small
scenario; those of sections that may stand several times over ELEMENTS. A run must end in time, or say how much is left, and
within 4 GiB, by itself, with status 0, 2 or 3, and no answer may hold a number that is none or a negative time. --every N takes each N-th case.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

from contract import COMMAND, NUMBER_THAT_IS_NONE, SCENARIO, limits

SECONDS = 60  # of the processor: machines may be busy
MEMORY_BYTES = 4 << 30
UNITS = {"price": "USD", "power": "W", "energy price": "$/kWh", "time": "s", "bit rate": "bps", "byte rate": "B/s",
         "size": "B", "length": "m", "number of FLOP": "FLOP"}
NUMBERS = ["0", "-1", "5e-324", "1e-300", "1e-30", "1e-9", "0.5", "1", "3", "7.5", "1e9", "1e30", "1e300", "1.7e308"]
COUNTS = ["-9223372036854775808", "-1", "0", "1", "2", "3", "7", "1000", "1000000", "1000000000", "9223372036854775807",
          "9223372036854775808"]
# Two-way runs of the same words: what reads the sections that others leave alone.
QUESTIONS = [["plan"], ["plan", "--json"], ["sweep", "--csv"], ["scaling", "--json"], ["rail"], ["traffic"],
             ["wide-area", "--json"], ["wide-area", "--packets"], ["network", "--json"], ["network", "--traffic", "permutation"],
             ["network", "--optimize"], ["simulate", "--json"], ["simulate", "--network", "flow"], ["step"], ["step", "--json"],
             ["step", "--network", "flow"], ["goodput", "--json"], ["circuits", "--json"], ["operate", "--json"], ["years", "--json"],
             ["schedule", "synthetic", "--jobs", "30", "--days", "1", "--json"], ["site", "--json"]]
# Sections that may stand several times, each with the element that its settings are laid over.
ELEMENTS = {
    "phase": {"name": '"a"', "devices": "64"},
    "design": {"name": '"small"', "topology": '"fat_tree"', "switch": '"quantum-2"'},
    "failure": {"node": '"leaf 0"', "until": '"1 ms"'},
    "probe": {"node": '"leaf 0"', "interval": '"1 us"'},
    "tier": {"tier": "1"},
    "straggler": {"stage": "0", "slowdown": "2"},
    "step_failure": {"stage": "0", "what": '"scale_out"', "lost": "0.5"},
    "sweep": {"name": '"rates"', "key": '"network.scale_out_rate"', "values": '["200 Gbps", "400 Gbps"]'},
}
# What reads the settings of a section that is no transport's name.
TRANSPORTS = {"dcqcn": "roce"}
NOT_ONE = "takes an array of tables"  # what is refused of a section that ELEMENTS lacks
# Which questions a section can change; others take all that plan.
READERS = {
    "simulation": ("simulate",), "failure": ("simulate",), "probe": ("simulate",), "tier": ("simulate",), "resilience": ("goodput", "plan"), "circuits": ("circuits",), "schedule": ("schedule",), "operation": ("operate",), "ownership": ("years",), "phase": ("years",), "long_haul": ("wide-area",),
    "wide_area": ("wide-area",), "site": ("site",), "floor": ("network",), "optimize": ("network",), "design": ("network",),
    "rail": ("rail", "traffic"), "step": ("step",), "straggler": ("step",), "step_failure": ("step",), "sweep": ("sweep",),
}
TIME_LEFT = re.compile(rb"^progress: .* left$", re.MULTILINE)
NEGATIVE = re.compile(r'"\w*(?:_s|_bytes|_usd|_w|devices|hosts|switches|flows)": -\d')


def values_of(field):
    kind = field["type"]
    if kind.startswith("array of "):
        inner = values_of({**field, "type": kind[len("array of "):]})
        return ["[]"] + [f"[{v}]" for v in inner] + [f"[{', '.join([v] * 3)}]" for v in inner[:4]]
    if kind == "count":
        return COUNTS
    if kind == "number":
        return NUMBERS + COUNTS[:2]
    if kind in UNITS:
        return [f'"{n} {UNITS[kind]}"' for n in NUMBERS]
    if kind == "choice":
        return [f'"{word.split(":")[0].strip()}"' for word in field["allowed"].split(";") if ":" in word]
    if kind == "true or false":
        return ["true", "false"]
    return ['""', '"no-such-thing"', "1", "[]", "{}"]


def fields_of(program):
    return json.loads(subprocess.run([program, "describe", "--json"], check=True, capture_output=True).stdout)


def transports_of(fields):
    """Each section of a transport, with its name."""
    allowed = next(f["allowed"] for f in fields if f["key"] == "simulation.transport")
    return {**{word.split(":")[0].strip(): word.split(":")[0].strip() for word in allowed.split(";")}, **TRANSPORTS}


def settings_of(fields):
    """Lists of a key and a value; those of a transport with the transport."""
    transports = transports_of(fields)
    chosen = {s: [("simulation.transport", f'"{name}"')] for s, name in transports.items()}
    return [[(f["key"], value), *chosen.get(f["key"].split(".")[0], [])] for f in fields for value in values_of(f)]


def questions_for(settings):
    section = settings[0][0].split(".")[0]
    readers = ("simulate",) if len(settings) > 1 else READERS.get(section)
    return [q for q in QUESTIONS if not readers or q[0] in readers or (section == "design" and q[0] == "simulate")]


def assignments(settings):
    """Words of --set: those of one repeated section together, over its element."""
    out, elements = [], {}
    for key, value in settings:
        section, name = key.split(".", 1)
        if section in ELEMENTS:
            elements.setdefault(section, dict(ELEMENTS[section]))[name] = value
        else:
            out.append(f"{key}={value}")
    return out + [f"{section}=[{{{', '.join(f'{k} = {v}' for k, v in element.items())}}}]" for section, element in elements.items()]


def limit_processor():
    limits.limit_processor(SECONDS)


def limit_all():
    limit_processor()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def judge(program, folder, question, settings, limited):
    before = 2 if question[0] == "schedule" else 1  # its list stands before the scenario
    words = [program, *question[:before], "small.toml", *question[before:]]
    for assignment in assignments(settings):
        words += ["--set", assignment]
    shown = " ".join(words[1:])
    try:
        ran = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=limits.LONGEST_SECONDS,
                             preexec_fn=limit_all if limited else limit_processor)
    except subprocess.TimeoutExpired:
        return [f"{shown}: it did not end in {limits.LONGEST_SECONDS} s"]
    if limits.ran_out(ran.returncode):
        if TIME_LEFT.search(ran.stderr):
            return []  # long work that says how far it is
        return [f"{shown}: it did not end in {SECONDS} s of the processor"]
    out, err = ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")
    if ran.returncode not in (0, 2, 3):
        return [f"{shown}: status {ran.returncode}: {err[-200:]!r}"]
    found = []
    if NOT_ONE in err and not any(value in ("{}", "1", "true", '""') for _, value in settings):
        found.append(f"{shown}: ELEMENTS lacks this section")
    if NUMBER_THAT_IS_NONE.search(out):
        found.append(f"{shown}: a number that is none: {NUMBER_THAT_IS_NONE.search(out)}")
    if NEGATIVE.search(out):
        found.append(f"{shown}: {NEGATIVE.search(out)}")
    if COMMAND.search(out + err):
        found.append(f"{shown}: {COMMAND.search(out + err)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verb", action="append", default=[])
    parser.add_argument("--no-memory-limit", action="store_true", help="sanitizers reserve terabytes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    settings = settings_of(fields_of(program))
    wanted = [(q, s) for s in settings for q in questions_for(s)]
    random.Random(arguments.seed).shuffle(wanted)
    wanted = wanted[::arguments.every]
    draw = random.Random(arguments.seed)
    for _ in range(arguments.pairs):
        chosen = draw.sample(settings, 2)
        wanted.append((draw.choice(questions_for(chosen[0])), [one for s in chosen for one in s]))
    wanted = [w for w in wanted if not arguments.verb or w[0][0] in arguments.verb]
    with tempfile.TemporaryDirectory(prefix="trainyard-settings-") as folder:
        (pathlib.Path(folder) / "small.toml").write_text(SCENARIO)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            found = 0
            for complaints in pool.map(lambda w: judge(program, folder, *w, not arguments.no_memory_limit), wanted):
                found += len(complaints)
                for complaint in complaints:
                    print(complaint, flush=True)
    print(f"settings: {len(wanted)} runs of {len(settings)} values, {found} complaints")
    return 1 if found or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
