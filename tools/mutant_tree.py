"""A copy of the working tree with a build of its own, in which tools/mutants changes sources and runs tests."""
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

SLACK_SECONDS = 20
SLACK_FACTOR = 8
LOOK_SECONDS = 5
IDLE_SECONDS = 120
MEMORY_BYTES = 8 << 30  # of a process: a list that a change lets grow for ever is not the machine's end
FAILED = re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.M)


class Tree:
    """`root`/build/mutants/tree, brought up to date with the files of `root` that git does not ignore."""

    def __init__(self, root, jobs, preset="release"):
        self.root = pathlib.Path(root)
        self.at = self.root / "build" / "mutants" / "tree"
        self.build = self.at / "build" / preset
        self.preset = preset
        self.jobs = jobs
        self.tests = {}      # ctest's name -> (command, environment, folder)
        self.seconds = {}    # ctest's name -> of the processor, for the unchanged program
        self.dependents = {}  # source -> objects made of it
        # Absolute paths below the tree count as relative ones: the first build finds what other builds made.
        self.environment = {**os.environ, "CCACHE_BASEDIR": str(self.at)}

    def copy(self):
        names = subprocess.run(["git", "-C", self.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                               check=True, capture_output=True).stdout.decode().split("\0")
        wanted = {name for name in names if name and (self.root / name).is_file()}
        for name in wanted:
            here, there = self.root / name, self.at / name
            if there.is_file() and there.read_bytes() == here.read_bytes():
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, there)
        for folder, folders, files in os.walk(self.at):
            if pathlib.Path(folder) == self.at:
                folders[:] = [f for f in folders if f != "build"]
            for file in files:
                path = pathlib.Path(folder) / file
                if path.relative_to(self.at).as_posix() not in wanted:
                    path.unlink()
        # Data beside the checkout, which some tests read and skip without.
        data, link = self.root.parent / "shared", self.at.parent / "shared"
        if data.is_dir() and not link.exists():
            link.symlink_to(data)

    def configure(self):
        # Most of a change's time is linking.
        fast = [f"-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld={name}" for name in ("mold", "lld") if shutil.which(f"ld.{name}")]
        # The library's own checks, with which `make asan` runs the same tests: a place beyond the end is no luck.
        # One object a source: a change makes one again, and dependents are known by their own headers. A change of
        # which the compiler only warns is judged; so is a program whose sources it warns of where they are alone.
        self._run(["cmake", "--preset", self.preset, "-DCMAKE_UNITY_BUILD=OFF", "-DTRAINYARD_WERROR=OFF",
                   "-DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS", *fast[:1]], cwd=self.at)
        self.read_tests()

    def read_tests(self):
        """Names of all tests; commands of those whose program is built."""
        shown = self._run(["ctest", "--test-dir", self.build, "--show-only=json-v1"])
        for test in json.loads(shown)["tests"]:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
            self.tests[test["name"]] = (test.get("command", []), environment, properties.get("WORKING_DIRECTORY"))

    def make(self, *targets, keep_going=False):
        """None, or what the compiler says: of the first source that it refuses, or of all of them."""
        command = ["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets]
        if keep_going:
            command += ["--", "-k", "0"]
        done = subprocess.run(command, env=self.environment, text=True, capture_output=True, errors="replace")
        return None if done.returncode == 0 else done.stdout + done.stderr

    def run_test(self, name):
        """None, or which test of it failed."""
        command, environment, folder = self.tests[name]
        # Time of the processor: others may use it as well. What waits for nothing uses none, and is ended for that.
        limit = int(self.seconds[name] * SLACK_FACTOR + SLACK_SECONDS) if name in self.seconds else None
        process = subprocess.Popen(
            [*command, "--gtest_brief=1", "--gtest_fail_fast"], cwd=folder, env={**self.environment, **environment},
            text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=lambda: set_limits(limit))
        output = output_of(process)
        if output is None:
            return "it does not end"
        if process.returncode == 0:
            return None
        failed = FAILED.findall(output)
        if failed:
            return failed[0]
        ended = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        return "it does not end" if ended else f"it ends with status {process.returncode}"

    def measure(self, name):
        """Builds a test of the unchanged program and runs it once."""
        if name not in self.tests:
            raise SystemExit(f"mutants: there is no test '{name}'; ctest has: {' '.join(sorted(self.tests))}")
        said = self.make(target_of(name))
        if said:
            raise SystemExit(f"mutants: the program does not build as it stands\n{said}")
        if not self.tests[name][0]:
            self.read_tests()
        before = processor_seconds()
        failed = self.run_test(name)
        if failed:
            raise SystemExit(f"mutants: the test {name} fails as it stands: {failed}")
        self.seconds[name] = processor_seconds() - before

    def read_dependents(self):
        """Which objects each file of src/ and include/ is compiled into, tests and benches aside."""
        object_name = None
        for line in self._run(["ninja", "-C", self.build, "-t", "deps"]).splitlines():
            if line and not line.startswith(" "):
                object_name = line.split(":")[0]
            elif line.startswith("    ") and object_name and object_name.startswith("src/"):
                path = os.path.normpath(os.path.join(self.build, line.strip()))
                name = os.path.relpath(path, self.at)
                self.dependents.setdefault(name, []).append(object_name)

    def hashes(self, objects):
        return {name: hashlib.sha256((self.build / name).read_bytes()).hexdigest()
                for name in objects if (self.build / name).is_file()}

    def _run(self, command, **more):
        return subprocess.run(command, check=True, capture_output=True, text=True, env=self.environment, **more).stdout


def set_limits(seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    if seconds:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def output_of(process):
    """What a process that leads a session writes; None if it had to be ended, for it and its children waited for nothing."""
    idle = 0
    used = None
    while True:
        try:
            return process.communicate(timeout=LOOK_SECONDS)[0]
        except subprocess.TimeoutExpired:
            now = session_use(process.pid)
            idle = idle + LOOK_SECONDS if now == used else 0
            used = now
        if idle >= IDLE_SECONDS:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None


def session_use(session):
    """Clock ticks that the processes of a session have used, each by its id; a new object where one is able to run."""
    out = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = path.read_text().split(" (", 1)
        except OSError:
            continue  # it has ended
        fields = rest.rsplit(") ", 1)[1].split()
        if int(fields[3]) == session:
            out[number] = object() if fields[0] in "RD" else int(fields[11]) + int(fields[12])
    return out


def processor_seconds():
    """Of all processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def target_of(test):
    """What builds a test: its program is named after it."""
    return f"test_{test}"
