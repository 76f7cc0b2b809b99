#!/usr/bin/env python3
"""Every verb with every flag and values that a user may give by mistake or on purpose.

    contract.py PROGRAM [--every N] [VERB...]

Verbs and flags are read from `--help`, so that a new one is tested by itself; a new positional argument needs a line in
POSITIONALS. Each run has a folder of its own with files that are somebody's. It must end in time, by itself, with
status 0, 2 or 3, or 1 where a device is full; a refusal must name what is wrong and leave nothing behind; no answer may hold a number that is none
or what a terminal would obey; and what was there must be there afterwards. --every N takes each N-th case.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import limits  # noqa: E402

SECONDS = 120  # of the processor for one run, with room for sanitizers
SCENARIO = """title = "small"
[facility]
devices = 64
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
[mapping]
tensor = 2
pipeline = 1
[[design]]
name = "small"
topology = "fat_tree"
switch = "quantum-2"
[simulation]
design = "small"
traffic = "permutation"
bytes = "20 kB"
[site]
radius = "60 km"
[[sweep]]
name = "rates"
key = "network.scale_out_rate"
values = ["200 Gbps", "400 Gbps"]
"""
POSITIONALS = {
    "scenario": "small.toml",
    "folder": "new-folder",
    "kind": "accelerators",
    "list": "synthetic",
    "operation": "all_reduce",
    "key": "h100-sxm",
    "what": "facility",
    "name": "megatron-175b",
    "paper": "railonly23",
    "store": "store.db",
    "about": "plan",
    "shell": "bash",
    "file": "new.toml",
    "verb": "plan",
}
# What a verb is asked with besides.
USUAL = {
    "serve": ["--check"],  # it ends by itself
    "search": ["--set", "mapping.microbatch={search=[1,2]}"],
}
STORE = []  # the bytes of a store of results, once it is made
# What makes a flag work that another one needs.
COMPANIONS = {
    "--trace": "t.csv",
    "--trace-flows": "0",
    "--checkpoint": "c.ck",
    "--traffic": "permutation",
    "--route": ["0", "9"],
    "--heat-map": "m.svg",
    "--question": "1",
    "--eia930": "table.csv",
    "--gppd": "table.csv",
}
TEXT = "mine\n"
NUMBER_THAT_IS_NONE = re.compile(r"(?<![\w.])[-+]?(nan|inf|infinite)(?![\w.])", re.I)
COMMAND = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


class Flag:
    def __init__(self, line):
        words = line.split("  ")[0].split(" ")
        self.name = words[0].split(",")[-1]
        self.takes_value = len(words) > 1
        needs = re.search(r"; needs (--[\w-]+(?:, --[\w-]+)*)", line)
        self.needs = needs.group(1).split(", ") if needs else []


class Verb:
    """A verb as its --help shows it."""

    def __init__(self, words, text):
        self.words = words
        section = ""
        self.positionals, self.flags, self.parts = [], [], []
        for line in re.sub(r"\n {3,}(?=\S)", "  ", text).splitlines():  # sentences that go on below
            if line and not line.startswith(" "):
                section = line.rstrip(":")
            elif re.match(r"  \S", line):
                entry = line.strip()
                if section == "Positionals":
                    self.positionals.append(entry.split(" ")[0])
                elif section == "Options" and not entry.startswith("-h,"):
                    self.flags.append(Flag(entry))
                elif section == "Verbs":
                    self.parts.append(entry.split(" ")[0])

    def arguments(self):
        unknown = [p for p in self.positionals if p not in POSITIONALS]
        if unknown:
            raise SystemExit(f"contract: POSITIONALS lacks what `{' '.join(self.words)}` takes: {unknown}")
        return [*(POSITIONALS[p] for p in self.positionals), *USUAL.get(self.words[0], [])]


def verbs_of(program, words=()):
    text = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True).stdout
    verb = Verb(list(words), text)
    if not verb.parts:
        return [verb]
    return [v for part in verb.parts for v in verbs_of(program, (*words, part))]


def values():
    """(name, words after the flag's name; None: '=' and nothing)."""
    return [
        ("empty", [""]),
        ("equals", None),
        ("nan", ["nan"]),
        ("negative", ["-1"]),
        ("huge", ["1e308"]),
        ("digits", ["9" * 400]),
        ("long", ["x" * 100_000]),
        ("escape", ["\x1b[31m\u202e\u009b=\r"]),
        ("not UTF-8", [b"\xff\xfe".decode(errors="surrogateescape")]),
        ("comma", ["1,,2"]),
        ("missing", ["no/such/file"]),
        ("folder", ["folder"]),
        ("device", ["/dev/null"]),
        ("full device", ["/dev/full"]),
        ("pipe", ["pipe"]),
        ("link", ["link"]),
        ("dangling link", ["dangling"]),
        ("file of somebody", ["notes.txt"]),
        ("unreadable", ["unreadable"]),
    ]


def cases(verb):
    """(what is tested, words of the command line, whether it has a pipe)."""
    for flag in verb.flags:
        companions = []
        for needed in flag.needs:
            if needed in COMPANIONS:
                value = COMPANIONS[needed]
                companions += [needed, *(value if isinstance(value, list) else [value])]
            else:
                companions.append(needed)
        rest = [*verb.arguments(), *companions]
        if not flag.takes_value:
            yield "once", [flag.name, *rest], False
            yield "twice", [flag.name, flag.name, *rest], False
            yield "equals", [flag.name + "=", *rest], False
            continue
        for name, words in values():
            given = [flag.name + "=", *rest] if words is None else [flag.name, *words, *rest]
            yield name, given, name == "pipe"
        yield "repeated", [flag.name, "1", flag.name, "2", *rest], False


class Folder:
    """What a user has in the folder where the program runs."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        for name in ("notes.txt", "linked.txt", "unreadable"):
            (self.path / name).write_text(TEXT)
        (self.path / "small.toml").write_text(SCENARIO)
        (self.path / "table.csv").write_text("a,b\n1,2\n")
        (self.path / "store.db").write_bytes(b"".join(STORE))
        (self.path / "folder").mkdir()
        (self.path / "folder" / "notes.txt").write_text(TEXT)
        (self.path / "link").symlink_to("linked.txt")
        (self.path / "dangling").symlink_to("made.txt")
        os.mkfifo(self.path / "pipe")
        (self.path / "unreadable").chmod(0)
        self.before = self.names()

    def names(self):
        return {p.relative_to(self.path).as_posix() for p in self.path.rglob("*")}

    def complaints(self, words, refused):
        written = "notes.txt" in words and not refused  # as the user said
        if (self.path / "notes.txt").read_text() != TEXT and not written:
            yield "notes.txt was changed"
        if (self.path / "folder" / "notes.txt").read_text() != TEXT:
            yield "a file in a folder was changed"
        if refused and (self.path / "linked.txt").read_text() != TEXT:
            yield "a refused run wrote through a link"
        for name in ("link", "dangling"):
            if not (self.path / name).is_symlink():
                yield f"{name} is no link any more"
        if not stat.S_ISFIFO((self.path / "pipe").lstat().st_mode):
            yield "the pipe is none any more"
        gone = self.before - self.names()
        if gone:
            yield f"gone: {sorted(gone)}"
        new = self.names() - self.before
        if refused and new:
            yield f"a refused run left {sorted(new)}"
        if any(".part" in name for name in new):
            yield f"half-written: {sorted(new)}"


class OtherEnd:
    """Of a pipe: somebody reads it, and somebody opens it for writing and closes it again."""

    def __init__(self, path):
        self.path = path
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        reader = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        while not self.ends.is_set():
            os.close(os.open(self.path, os.O_WRONLY | os.O_NONBLOCK))
            try:
                while os.read(reader, 1 << 16):
                    pass
            except BlockingIOError:
                pass
            time.sleep(0.005)
        os.close(reader)

    def end(self):
        self.ends.set()
        self.thread.join()


def complaints(ran, folder, words):
    out, err = ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")
    full = ran.returncode == 1 and "/dev/full" in words and "No space left on device" in err  # the machine failed
    refused = ran.returncode == 2 or full  # 3 is an answer, with its pictures
    if ran.returncode not in (0, 2, 3) and not full:
        yield f"status {ran.returncode}: {err[-300:]}"
    if ran.returncode == 2 and "error:" not in err:
        yield f"status 2 without an error: {err[:300]}"
    if ran.returncode == 0 and NUMBER_THAT_IS_NONE.search(out):
        yield f"a number that is none: {NUMBER_THAT_IS_NONE.search(out)}"
    for name, text in (("output", out), ("error", err)):
        if COMMAND.search(text):
            yield f"the {name} holds {COMMAND.search(text)}"
    if len(err) > 100_000:
        yield f"an error of {len(err)} bytes"
    yield from folder.complaints(words, refused)


def judge(program, verb, name, words, piped):
    with tempfile.TemporaryDirectory(prefix="trainyard-contract-") as path:
        folder = Folder(path)
        other = OtherEnd(folder.path / "pipe") if piped else None
        command = [program, *verb.words, *words]
        try:
            ran = limits.run(command, SECONDS, cwd=path, stdin=subprocess.DEVNULL, capture_output=True)
            found = list(complaints(ran, folder, words))
        except subprocess.TimeoutExpired:
            found = [f"it did not end in {SECONDS} s of the processor"]
        finally:
            if other:
                other.end()
        shown = " ".join([*verb.words, *(w if len(w) < 60 else w[:60] + "..." for w in words)])
        return [f"{shown!a} ({name}): {complaint}" for complaint in found]


def make_store(program):
    with tempfile.TemporaryDirectory(prefix="trainyard-contract-") as path:
        folder = Folder(path).path
        (folder / "store.db").unlink()
        subprocess.run([program, "search", "small.toml", *USUAL["search"], "--resume", "store.db"], cwd=path, check=True,
                       capture_output=True)
        STORE.append((folder / "store.db").read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("verb", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    make_store(program)
    chosen = [v for v in verbs_of(program) if not arguments.verb or v.words[0] in arguments.verb]
    wanted = [(v, *case) for v in chosen for case in cases(v)][::arguments.every]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = [c for result in pool.map(lambda w: judge(program, *w), wanted) for c in result]
    print("\n".join(found))
    print(f"contract: {len(wanted)} cases of {len(chosen)} verbs, {len(found)} complaints")
    return 1 if found or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
