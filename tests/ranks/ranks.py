#!/usr/bin/env python3
"""The program under mpirun, with 2 to 8 ranks on this machine, beside one thread of one process.

    ranks.py PROGRAM

Answers are the same bytes, but for what stands under `run`; errors are said once, with the same exit status; a rank that
is killed ends the run, and the same command goes on from the store; shares of a search, as tasks of a job array do them,
are one answer. Exit status 77 where there is no mpirun, or the program was built without MPI: then only shares are tested.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SPACE = """title = "Eight billion"
[facility]
devices = { search = [16, 64, 256] }
hb_domain = { search = "all" }
[model]
name = { search = ["llama3-8b", "llama3-70b"] }
[mapping]
tensor = { search = [1, 2, 4, 8] }
microbatch = { search = [1, 2, 4] }
[search]
limits = ["power <= 300 kW"]
"""
SWEEP = """title = "small"
[facility]
devices = 64
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
[mapping]
tensor = 2
[[sweep]]
name = "rates"
key = "network.scale_out_rate"
values = ["100 Gbps", "200 Gbps", "400 Gbps", "800 Gbps"]
series = [{ label = "as it is" }, { label = "one layer", set = { "mapping.pipeline" = "4" } }]
[[sweep]]
name = "domains"
key = "mapping.tensor"
values = ["1", "2", "3", "4", "8", "64"]
quantity = "step.mfu"
"""
# mpirun's own words about a program that ended with an error.
OF_MPIRUN = re.compile(r"^-{60,}\n.*?^-{60,}\n", re.M | re.S)

PROGRESS = re.compile(r"^progress: .*\n", re.M)


class Tester:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
        for name in list(self.environment):
            if name.startswith(("SLURM_", "PMI")):
                del self.environment[name]
        (self.folder / "space.toml").write_text(SPACE)
        (self.folder / "sweep.toml").write_text(SWEEP)
        self.found = []

    def complain(self, what):
        self.found.append(what)

    def command(self, ranks, words):
        return [*(["mpirun", "-n", str(ranks)] if ranks > 1 else []), self.program, *words]

    def run(self, ranks, words, variables={}):
        ran = subprocess.run(self.command(ranks, words), cwd=self.folder, env={**self.environment, **variables},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        ran.stderr = PROGRESS.sub("", OF_MPIRUN.sub("", ran.stderr))
        return ran

    def same(self, ranks, words):
        """Status, answer and errors of so many ranks are those of one process."""
        one, many = self.run(1, words), self.run(ranks, words)
        name = f"{ranks} ranks: {' '.join(words)}"
        if many.returncode != one.returncode:
            self.complain(f"{name}: status {many.returncode} in place of {one.returncode}: {many.stderr}")
        elif computed(many.stdout) != computed(one.stdout):
            self.complain(f"{name}: another answer:\n{one.stdout[:2000]}\n{many.stdout[:2000]}")
        elif many.stderr != one.stderr:
            self.complain(f"{name}: other words:\n{one.stderr}\n{many.stderr}")
        return many

    def searches(self):
        for ranks in (2, 3, 4, 8):
            self.same(ranks, ["search", "space.toml", "--json"])
        self.same(4, ["search", "space.toml", "--csv", "--front", "mfu", "--front", "power"])
        self.same(2, ["search", "space.toml", "--json", "--threads", "2", "--objective", "throughput"])
        self.same(3, ["search", "space.toml", "--json", "--why-not", "mapping.tensor=8", "--why-not", "facility.devices=64"])
        answer = self.same(3, ["search", "space.toml"])
        if answer.stdout.count("Eight billion") != 1:
            self.complain("an answer is not printed once")

    def sweeps(self):
        for ranks in (2, 4, 8):
            self.same(ranks, ["sweep", "sweep.toml", "--json"])
        self.same(3, ["sweep", "sweep.toml"])
        self.same(2, ["reproduce", "railonly23", "--quick", "--json"])
        reports = []
        for ranks in (1, 3):
            self.run(ranks, ["plan", "sweep.toml", "--report", "out.html"])
            reports.append((self.folder / "out.html").read_bytes())
        if reports[0] != reports[1]:
            self.complain("a report of 3 ranks is another one")

    def inputs(self):
        """Standard input is rank 0's."""
        answers = [subprocess.run(self.command(ranks, ["search", "/dev/stdin", "--csv"]), cwd=self.folder, env=self.environment,
                                  input=SPACE, capture_output=True, text=True, timeout=300) for ranks in (1, 3)]
        if answers[0].stdout != answers[1].stdout or answers[0].stdout.count("\n") < 10:
            self.complain(f"a scenario from standard input: {answers[1].stdout}{answers[1].stderr}")

    def errors(self):
        self.same(4, ["search", "absent.toml"])
        self.same(4, ["serch"])
        self.same(3, ["search", "space.toml", "--objective", "dais"])
        self.same(3, ["search", "space.toml", "--method", "exhaustive", "--space", "7"])
        self.same(3, ["search", "space.toml", "--space", "7"])  # a sample
        self.same(3, ["search", "space.toml", "--limit", "power <= 1 kW", "--json"])
        self.same(3, ["search", "space.toml", "--resume", "sweep.toml"])
        self.same(3, ["sweep", "sweep.toml", "--key", "network.scale_out_rate", "--values", "1 Gbps,x,y,z"])
        self.same(3, ["plan", "sweep.toml"])  # rank 0 answers alone what is not shared
        self.same(3, ["describe", "plan"])

    def stores(self):
        words = ["search", "space.toml", "--json", "--resume", "kept.db"]
        one = self.run(1, words[:3])
        for ranks in (4, 2):
            many = self.run(ranks, words)
            if computed(many.stdout) != computed(one.stdout):
                self.complain(f"{ranks} ranks with a store: another answer {many.stderr}")
        self.same(1, words)

    def shares(self):
        """Each task of a job array has its share; one that was killed leaves it to the last run."""
        words = ["search", "space.toml", "--json", "--resume", "shares.db"]
        array = {"SLURM_ARRAY_TASK_MIN": "2", "SLURM_ARRAY_TASK_MAX": "11", "SLURM_ARRAY_TASK_COUNT": "4"}
        whole = json.loads(self.run(1, words[:3]).stdout)
        points = 0
        for task in ("2", "5", "11"):
            ran = self.run(1, words, {**array, "SLURM_ARRAY_TASK_ID": task})
            points += json.loads(ran.stdout)["share"]["points"]
        points += json.loads(self.run(1, [*words, "--share", "3/4"]).stdout)["share"]["points"]
        if points != whole["space"]["points"]:
            self.complain(f"{points} points of all shares in place of {whole['space']['points']}")
        (self.folder / "shares.db.2-of-4").unlink()
        last = json.loads(self.run(1, words).stdout)
        kept = sum(self.kept(f"shares.db.{k}-of-4") for k in (1, 3, 4))
        if last["run"]["resumed"] != kept or kept == 0 or last["run"]["evaluated"] == 0:
            self.complain(f"{kept} points of shares were kept: {last['run']}")
        if computed(json.dumps(last)) != computed(json.dumps(whole)):
            self.complain("shares lead to another answer")
        uneven = self.run(1, words, {**array, "SLURM_ARRAY_TASK_ID": "4"})
        if uneven.returncode != 2 or "--array=1-8" not in uneven.stderr:
            self.complain(f"a task that is none: {uneven.stderr}")
        for wrong in ("0/4", "5/4", "x", "1/", "1/0"):
            ran = self.run(1, [*words, "--share", wrong])
            if ran.returncode != 2 or "is no share" not in ran.stderr:
                self.complain(f"--share {wrong}: {ran.stderr}")

    def kills(self):
        """One rank is killed: the run ends, and goes on."""
        words = ["search", "space.toml", "--json"]
        for key, most in (("pipeline", 24), ("virtual_stages", 12)):
            words += ["--set", f"mapping.{key}={{search={{from=1,to={most},step=1}}}}"]
        whole = self.run(1, words)
        keeping = [*words, "--resume", "killed.db"]
        for killed in (1, 0, 2):
            for left in self.folder.glob("killed.db*"):
                left.unlink()
            run = subprocess.Popen(self.command(3, keeping), cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if not self.kill_rank(run, killed):
                self.complain(f"rank {killed} was not there to be killed")
            _, errors = run.communicate(timeout=60)
            if run.returncode == 0 or "signal 9" not in errors:
                self.complain(f"a run whose rank {killed} was killed: status {run.returncode}, {errors}")
            kept = self.kept("killed.db")
            again = self.run(3, keeping)
            if again.returncode != 0 or computed(again.stdout) != computed(whole.stdout):
                self.complain(f"a killed run does not go on: {again.stderr}")
            elif json.loads(again.stdout)["run"]["resumed"] != kept or kept == 0:
                self.complain(f"{kept} points were kept, {json.loads(again.stdout)['run']['resumed']} counted")

    def kill_rank(self, run, rank):
        """Once the store has points."""
        end = time.monotonic() + 60
        while time.monotonic() < end and run.poll() is None:
            if self.kept("killed.db") > 0:
                for process in pathlib.Path("/proc").iterdir():
                    if process.name.isdigit() and is_rank(process, run.pid, rank):
                        os.kill(int(process.name), signal.SIGKILL)
                        return True
            time.sleep(0.02)
        return False

    def kept(self, name):
        if not (self.folder / name).exists():
            return 0
        with sqlite3.connect(self.folder / name) as store:
            try:
                return store.execute("SELECT count(*) FROM point").fetchone()[0]
            except sqlite3.OperationalError:  # no table yet
                return 0


def is_rank(process, launcher, rank):
    try:
        parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        return parent == launcher and f"OMPI_COMM_WORLD_RANK={rank}".encode() in (process / "environ").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return False


def computed(text):
    """An answer without what it took to find."""
    try:
        answer = json.loads(text)
    except ValueError:
        return re.sub(r"^[\d,]+ points of .*\n", "", text, flags=re.M)
    if isinstance(answer, dict):
        answer.pop("run", None)
    return answer


def main():
    with tempfile.TemporaryDirectory(prefix="trainyard-ranks-") as folder:
        tester = Tester(str(pathlib.Path(sys.argv[1]).resolve()), folder)
        tester.shares()
        why = "there is no mpirun" if shutil.which("mpirun") is None else ""
        if not why and "built without MPI" in tester.run(2, ["search", "space.toml"]).stderr:
            why = "the program was built without MPI"
        if why and not tester.found:
            print(f"ranks: skipped: {why}")
            return SKIPPED
        for what in (tester.searches, tester.sweeps, tester.inputs, tester.errors, tester.stores, tester.kills) if not why else ():
            what()
    print("\n".join(tester.found))
    print(f"ranks: {len(tester.found)} complaints")
    return 1 if tester.found else 0


if __name__ == "__main__":
    sys.exit(main())
