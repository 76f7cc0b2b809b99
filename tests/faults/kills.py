#!/usr/bin/env python3
"""Runs that write checkpoints, reports, grids and stores of results are killed (SIGKILL) at random moments.

    kills.py PROGRAM [--kills N] [--of KIND]

After each kill a checkpoint is there whole or not at all, and the run that continues from it ends as one that was not
killed; a report is the old one or the new one; a grid folder is there whole or not at all; and the next run clears away
what lies beside them. A store has every point that was committed, each once, and at most a second of a thread's work is not
in it; the search that goes on from it ends as one that was not killed.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "contract"))
from contract import SCENARIO  # noqa: E402

SECOND = 1.0  # of a thread's work that a kill may undo
OLD = "as it was before</html>\n"
SIMULATION = ["simulate", "small.toml", "--set", "simulation.bytes=20 MB", "--json"]
PLANTS = """country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel
USA,United States of America,Here,USA1,500,40.0,-75.0,Gas
USA,United States of America,There,USA2,700,41.0,-76.0,Nuclear
"""


class Killer:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.draw = program, pathlib.Path(folder), random.Random(seed)
        (self.folder / "small.toml").write_text(SCENARIO)
        (self.folder / "plants.csv").write_text(PLANTS)
        self.found = []

    def run(self, words):
        return subprocess.run([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True)

    def seconds(self, words):
        begin = time.monotonic()
        ran = self.run(words)
        if ran.returncode != 0:
            raise SystemExit(f"kills: {' '.join(words)}: {ran.stderr.decode()}")
        return time.monotonic() - begin

    def kill(self, words, longest):
        run = subprocess.Popen([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.draw.uniform(0, longest))
        run.send_signal(signal.SIGKILL)
        run.wait()

    def beside(self):
        return sorted(p.name for p in self.folder.iterdir() if ".part" in p.name)

    def complain(self, what):
        self.found.append(what)

    def checkpoints(self, kills):
        whole = self.run(SIMULATION)
        saving = [*SIMULATION, "--checkpoint", "run.ck", "--checkpoint-every", "0"]
        longest = self.seconds(saving)
        for _ in range(kills):
            self.kill(saving, longest)
            resume = ["--resume", "run.ck"] if (self.folder / "run.ck").exists() else []
            ran = self.run([*saving, *resume])
            if ran.returncode != 0:
                self.complain(f"a killed run does not go on: {ran.stderr.decode()}")
                (self.folder / "run.ck").unlink(missing_ok=True)
            elif computed(ran.stdout) != computed(whole.stdout):
                self.complain("a killed run ends otherwise than one that was not")
            if self.beside() or (self.folder / "run.ck").exists():
                self.complain(f"left: {self.beside() or 'run.ck'}")

    def searches(self, kills):
        """What a store has of a killed search is whole, counts, and leads to the same answer."""
        words = ["search", "small.toml", "--json"]
        for key, most in (("pipeline", 32), ("microbatch", 48), ("virtual_stages", 48)):
            words += ["--set", f"mapping.{key}={{search={{from=1,to={most},step=1}}}}"]
        whole = self.run(words)
        points = json.loads(whole.stdout)["space"]["points"]
        longest = self.seconds([*words, "--resume", "store.db"])
        for kill in range(kills):
            keeping = [*words, "--resume", "store.db", "--threads", str(1 + kill % 2)]
            for left in self.folder.glob("store.db*"):
                left.unlink()
            committed = self.kill_watched(keeping, longest)
            kept = self.kept(committed)
            ran = self.run(keeping)
            if ran.returncode != 0:
                self.complain(f"a killed search does not go on: {ran.stderr.decode()}")
                continue
            took = json.loads(ran.stdout)["run"]
            if took["resumed"] != kept or took["resumed"] + took["evaluated"] + took["pruned"] < points:
                self.complain(f"{kept} points were kept and {took} of {points} counted")
            if computed(ran.stdout) != computed(whole.stdout):
                self.complain("a killed search ends otherwise than one that was not")

    def kill_watched(self, words, longest):
        """The points that others saw in the store before the kill; complains of more than a second of work after them."""
        moment = time.monotonic() + self.draw.uniform(0, longest)
        run = subprocess.Popen([self.program, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seen, worked, since = set(), 0.0, 0.0
        while time.monotonic() < moment and run.poll() is None:
            now = points_of(self.folder / "store.db")
            worked = processor_s(run.pid) or worked
            if now - seen:
                seen, since = now, worked
            time.sleep(0.02)
        threads = int(words[words.index("--threads") + 1])
        if run.poll() is None and worked - since > SECOND * threads:
            self.complain(f"{worked - since:.2f} s of work were not yet in the store")
        run.send_signal(signal.SIGKILL)
        run.wait()
        return seen

    def kept(self, committed):
        """How many points the store has, which is whole and lacks none of those that were committed."""
        there = points_of(self.folder / "store.db")
        if not (self.folder / "store.db").exists():
            return 0
        with sqlite3.connect(self.folder / "store.db") as store:
            if store.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                self.complain("a store of a killed search is damaged")
        if committed - there:
            self.complain(f"{len(committed - there)} points were committed and are lost")
        return len(there)

    def reports(self, kills):
        words = ["plan", "small.toml", "--report", "out.html"]
        longest = self.seconds(words)
        new = (self.folder / "out.html").read_text()
        for _ in range(kills):
            (self.folder / "out.html").write_text(OLD)
            self.kill(words, longest)
            if (self.folder / "out.html").read_text() not in (OLD, new):
                self.complain("a report is neither the old one nor the new one")
        self.seconds(words)
        if self.beside():
            self.complain(f"left: {self.beside()}")

    def grids(self, kills):
        words = ["import-grid", "grid", "--gppd", "plants.csv", "--country", "USA"]
        longest = self.seconds(words)
        new = {p.name: p.read_bytes() for p in (self.folder / "grid").iterdir()}
        for _ in range(kills):
            shutil.rmtree(self.folder / "grid", ignore_errors=True)
            self.kill(words, longest)
            if (self.folder / "grid").exists():
                there = {p.name: p.read_bytes() for p in (self.folder / "grid").iterdir()}
                if there.keys() != new.keys():
                    self.complain(f"half a grid folder: {sorted(there)}")
        shutil.rmtree(self.folder / "grid", ignore_errors=True)
        self.seconds(words)
        if self.beside():
            self.complain(f"left: {self.beside()}")


def points_of(path):
    """Numbers of the points that are committed."""
    if not path.exists():
        return set()
    try:
        with sqlite3.connect(path, timeout=10) as store:
            rows = [row[0] for row in store.execute("SELECT number FROM point")]
    except sqlite3.OperationalError:  # no table yet
        return set()
    assert len(rows) == len(set(rows)), "a point is there twice"
    return set(rows)


def processor_s(process):
    """Of a process, so far; nothing when it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def computed(text):
    """A simulation's answer without what it took."""
    answer = json.loads(text)
    for cost in ("run", "cpu_s", "wall_s", "peak_rss_bytes", "engine_bytes"):
        answer.pop(cost, None)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--of", choices=("checkpoints", "reports", "grids", "searches"), help="only these, all of the kills")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trainyard-kills-") as folder:
        killer = Killer(str(pathlib.Path(arguments.program).resolve()), folder, arguments.seed)
        kinds = (killer.checkpoints, killer.reports, killer.grids, killer.searches)
        if arguments.of:
            kinds = (getattr(killer, arguments.of),)
        each = -(-arguments.kills // len(kinds))
        for what in kinds:
            what(each)
    print("\n".join(killer.found))
    print(f"kills: {len(kinds) * each}, {len(killer.found)} complaints")
    return 1 if killer.found else 0


if __name__ == "__main__":
    sys.exit(main())
