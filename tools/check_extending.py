#!/usr/bin/env python3
"""Holds docs/extending.md against the program: its examples are built and asked, and kinds of things can be taken out.

    tools/check_extending.py --syntax COMPILER    in seconds (the ctest `extending`): every example compiles with the
                                                  program's own headers, adds its own files and an entry to one list, and
                                                  no source of the program names a transport, a load balancing, a
                                                  topology, a collective, a failure or a format of jobs
                                                  that could be taken out
    tools/check_extending.py PROGRAM              in minutes (`make extending`): see below; PROGRAM is the tree's own

A copy of the tree, in a folder of its own, gets all examples of the page and loses the kinds of TAKEN_OUT with their own
files and their entries, and nothing else. The program is built there, once for both: what is added knows nothing of what is
taken out, and a build is what takes time. Then it is asked about each example (its answer against a closed form), for
what was taken out (which is refused, and named nowhere), and for plans and networks of shipped scenarios, which are those of
PROGRAM. Sources that do not see the lists come out of ccache, where there is one (cmake/Toolchain.cmake).
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = "include/trainyard/registries/"
VERBS = "src/cli/verbs.cpp"
NOT_COPIED = shutil.ignore_patterns("build", ".git", "node_modules", "shared", "__pycache__")

# A list, a kind of it that no shipped scenario needs, and the folders of its own files, which have its name.
TAKEN_OUT = [("transports.def", "fec"), ("transports.def", "irn"), ("topologies.def", "dragonfly_plus"),
             ("all_reduces.def", "halving_doubling"), ("all_to_alls.def", "bruck")]
FOLDERS = {"transports.def": ["src/network/packet/transports", "include/trainyard/transports"],
           "topologies.def": ["src/topology/kinds"],
           "all_reduces.def": ["src/collective/all_reduces"],
           "all_to_alls.def": ["src/collective/all_to_alls"]}

BLOCK = re.compile(r"\n\n((?:[^\n]+\n)+)\n```\w+\n(.*?)```", re.DOTALL)
FILE = re.compile(r"`((?:src|include)/[\w/]+\.(?:h|cpp|def)|\w+\.toml)`")
SECTION = re.compile(r"^## A new ([\w-]+), step by step\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
WANTED = ["transport", "topology", "all-reduce", "verb"]


def files_of(text):
    """path -> content of the code blocks whose paragraph before names a file, the last one that it names."""
    named = [(FILE.findall(paragraph), content) for paragraph, content in BLOCK.findall("\n" + text)]
    return {paths[-1]: content for paths, content in named if paths}


class Example:
    """One of the page: own files, the list that it joins, and scenarios to ask about."""

    def __init__(self, name, text):
        self.name = name
        blocks = files_of(text)
        self.scenarios = {path: text for path, text in blocks.items() if "/" not in path}
        files = {path: text for path, text in blocks.items() if "/" in path}
        self.lists = {path: text for path, text in files.items() if (ROOT / path).exists()}
        self.own = {path: text for path, text in files.items() if path not in self.lists}

    def check_places(self):
        if not self.own or len(self.lists) != 1:
            sys.exit(f"docs/extending.md: a {self.name} takes files of its own and an entry of one list, and the page has "
                     f"{sorted(self.own)} and {sorted(self.lists)}")

    def places(self):
        return f"{', '.join(sorted(self.own))}, and an entry of {[*self.lists][0]}"

    def lay_over(self, tree):
        for path, text in self.own.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        for path, entry in self.lists.items():
            source = tree / path if (tree / path).exists() else ROOT / path
            text = with_entry(path, source.read_text(), entry)
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)


def with_entry(path, text, entry):
    """A list with one more: at its end, or of verbs before the others."""
    at = text.index("\n", text.index("#define TRAINYARD_VERBS")) + 1 if path == VERBS else text.index("#undef")
    return text[:at] + entry + text[at:]


def examples():
    page = (ROOT / "docs" / "extending.md").read_text()
    found = [Example(name, text) for name, text in SECTION.findall(page)]
    if [example.name for example in found] != WANTED:
        sys.exit(f"docs/extending.md: examples of {WANTED}, and the page has {[example.name for example in found]}")
    for example in found:
        example.check_places()
    return found


# How sources could name a kind of a list, and the one that they may: the default of a setting.
NAMED_AS = {"transports.def": (r"\b(?:Transport::|transports\.)(\w+)", "ndp"),
            "load_balancings.def": (r"\bLoadBalancing::(\w+)", "spray"),
            "topologies.def": (r"\b(?:TopologyKind|kinds)::(\w+)", "fat_tree"),
            "step_faults.def": (r"\bStepFault::(\w+)", "scale_up"),
            "job_formats.def": (r"\bJobFormat::(\w+)", ""),
            "all_reduces.def": (r"\b(?:AllReduce|all_reduce)::(\w+)", "bandwidth"),
            "all_to_alls.def": (r"\b(?:AllToAll|all_to_all)::(\w+)", "bandwidth")}


def kinds_of(listed):
    """Names, and of transports their sections."""
    entries = re.findall(r"^TRAINYARD_\w+\((\w+),(?: *(\w+),)?", (ROOT / LISTS / listed).read_text(), re.MULTILINE)
    return {name for entry in entries for name in entry if name}


def check_names():
    """No source names a kind, but those of kinds, which may be built of others."""
    own = [ROOT / folder for folders in FOLDERS.values() for folder in folders]
    sources = [path for folder in ("src", "include") for path in sorted((ROOT / folder).rglob("*"))
               if path.suffix in (".h", ".cpp") and path.parent not in own]
    wrong = []
    for listed, (pattern, default) in NAMED_AS.items():
        kinds = kinds_of(listed) - {default}
        for path in sources:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                wrong += [f"{path.relative_to(ROOT)}:{number}: {name}" for name in re.findall(pattern, line) if name in kinds]
    if wrong:
        sys.exit("a kind of a list is named outside of its files (say it in its record):\n  " + "\n  ".join(wrong))


READER = """#include "network/packet/transports/transports.h"
#include "scenario/transport_sections.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/topology_kind.h"
using namespace trainyard;
void read(TransportsInput& all) { each_transport_section(all, [](const char*, auto&, const auto&) {}); }
static_assert(static_cast<int>(Transport::constant) > static_cast<int>(Transport::ndp));
static_assert(TopologyKind::hypercube != TopologyKind::fat_tree);
static_assert(AllReduce::recursive_doubling != AllReduce::best);
"""


def check_syntax(compiler):
    found = examples()
    check_names()
    with tempfile.TemporaryDirectory() as folder:
        over = pathlib.Path(folder)
        for example in found:
            example.lay_over(over)
        (over / "reader.cpp").write_text(READER)
        roots = [f"-I{base / part}" for base in (over, ROOT) for part in ("src", "include")]
        sources = [over / path for example in found for path in example.own if path.endswith(".cpp")]
        for source in [*sources, over / "reader.cpp"]:
            subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *roots, source],
                           check=True)
    for example in found:
        print(f"{example.name} compiles: {example.places()}")


def take_out(tree, listed, kind):
    """Its entry and its own files; returns these."""
    path = tree / LISTS / listed
    text = path.read_text()
    entry = re.compile(r'(?:#include "[\w/]*/%s\.h"\n)?TRAINYARD_\w+\(%s,(?:[^()"]|"[^"]*")*\)\n+' % (kind, kind))
    left, count = entry.subn("", text)
    if count != 1:
        sys.exit(f"{LISTS}{listed}: {count} entries of {kind}")
    path.write_text(left)
    own = [file for folder in FOLDERS[listed] for file in (tree / folder).glob(f"{kind}.*")]
    for file in own:
        file.unlink()
    return [str(file.relative_to(tree)) for file in own]


def build(tree):
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    with open(tree / "build.log", "w") as log:
        for command in (["cmake", "--preset", "release"],
                        ["cmake", "--build", "build/release", "--target", "trainyard", "-j", jobs]):
            if subprocess.run(command, cwd=tree, stdout=log, stderr=subprocess.STDOUT).returncode != 0:
                log.flush()
                lines = (tree / "build.log").read_text().splitlines()
                wrong = [line for line in lines if "error" in line.lower()] or lines[-20:]
                sys.exit("the copy does not build:\n" + "\n".join(wrong[:20]))
    return Program(tree / "build" / "release" / "trainyard", tree)


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def ask(self, *words, status=0):
        """Standard output; of what is refused, standard error."""
        ran = subprocess.run([self.path, *words], cwd=self.folder, capture_output=True, text=True)
        if ran.returncode != status:
            sys.exit(f"trainyard {' '.join(words)}: status {ran.returncode}, not {status}\n{ran.stderr}")
        return ran.stderr if status else ran.stdout

    def ask_json(self, *words):
        return json.loads(self.ask(*words, "--json"))


def expect(holds, what):
    if not holds:
        sys.exit(f"docs/extending.md: {what}")


def expect_near(got, wanted, what):
    expect(math.isclose(got, wanted, rel_tol=1e-9), f"{what} is {got}, and should be {wanted}")


def ask_transport(program, _):
    def run(transport, *sets):
        changes = [word for change in ("simulation.bytes=200 kB", *sets) for word in ("--set", change)]
        return program.ask_json("simulate", "ndp-permutation", "--transport", transport, *changes)

    least, whole, tenth = run("ideal"), run("constant"), run("constant", "constant.products=0.1")
    expect(whole["flows_finished"] == whole["flows"] == 1024, "every flow of `constant` finishes")
    median, ideal = whole["fct_s"]["p50"], least["fct_s"]["p50"]
    expect(ideal <= median < 4 * ideal, f"half of the flows of `constant` take {median} s at most, and the least is {ideal} s")
    expect(tenth["fct_s"]["p50"] > 3 * median, "a window of a tenth of the bandwidth-delay product takes several times as long")
    expect("a window that never changes" in program.ask("describe", "simulation.transport"), "`describe` names `constant`")
    expect("constant.products" in program.ask("describe", "constant"), "`describe constant` has its parameter")
    wrong = program.ask("simulate", "ndp-permutation", "--transport", "constnt", status=2)
    expect("'constant'" in wrong, f"a mistyped `constant` gets a suggestion: {wrong}")
    wrong = program.ask("simulate", "ndp-permutation", "--set", "constant.products=1000", status=2)
    expect("0.01 to 100" in wrong, f"`constant.products` has a range: {wrong}")


def ask_topology(program, example):
    scenario = example.scenarios["cube.toml"]
    other = scenario[scenario.index("[[design]]"):].replace('"cube"', '"torus"').replace('"hypercube"', '"torus"')
    (program.folder / "cube.toml").write_text(scenario + "\n" + other + "dimensions = [2, 2, 2, 2, 2, 2]\n")
    cube, torus = program.ask_json("network", "cube.toml")["designs"]
    ours, theirs = program.ask_json("network", "cube.toml", "--traffic", "all_to_all")["loads"]
    digits, hosts = 6, 64
    expect(cube["host_links"] == hosts * digits / 2 and cube["switches"] == 0, "64 hosts have 192 links")
    expect(cube["diameter"] == digits and cube["paths"] == math.factorial(digits), "6 links, 720 paths")
    expect_near(cube["bisection_bps"], hosts / 2 * cube["link_rate_bps"], "the bisection")
    for same in ("bisection_bps", "host_kept", "domain_kept", "price_usd", "power_w", "link_rate_bps"):
        expect(cube[same] == torus[same], f"{same} of a hypercube is that of a torus with sides of two")
    expect(cube["price_usd"] > 0, "its cables have a price")
    expect_near(ours["bound_s"], theirs["bound_s"], "its time under all_to_all")
    program.ask("network", "cube.toml", "--design", "cube", "--dot", "cube.dot", "--svg", "cube.svg")
    links = re.findall(r"n(\d+) -- n(\d+);", (program.folder / "cube.dot").read_text())
    expect(len(set(links)) == cube["host_links"], "as many links are built as are counted")
    expect(all((int(a) ^ int(b)).bit_count() == 1 for a, b in links), "links join what differs in one digit")
    expect("some of its hosts" in (program.folder / "cube.svg").read_text(), "it is drawn")
    (program.folder / "cube.toml").write_text(scenario + "hosts = 63\n")
    wrong = program.ask("network", "cube.toml", status=2)
    expect("a hypercube of 63 hosts" in wrong and "such as 64" in wrong, f"63 hosts are refused: {wrong}")
    expect("hypercube" in program.ask("describe", "design.topology"), "`describe` names `hypercube`")


def ask_collective(program, _):
    def plan(name):
        return program.ask_json("plan", "hotnets24-dense", "--set", f"assumptions.all_reduce={name}")

    ours, ring = plan("recursive_doubling"), plan("bandwidth")
    ranks = ring["mapping"]["tensor"]
    swaps = math.floor(math.log2(ranks)) + (0 if ranks & (ranks - 1) == 0 else 2)
    expect(ours["communication"]["tensor_algorithm"] == "recursive_doubling", "a plan says which algorithm it has")
    expect_near(ours["communication"]["tensor_forward_s"] / ring["communication"]["tensor_forward_s"],
                swaps / (2 * (ranks - 1) / ranks), "its time over that of a ring")
    step = program.ask_json("step", "hotnets24-dense", "--set", "assumptions.all_reduce=recursive_doubling")
    expect(step["exposed"]["tensor_s"] > program.ask_json("step", "hotnets24-dense")["exposed"]["tensor_s"],
           "a step waits longer for more bytes")
    sent = ("simulate", "ndp-permutation", "--set", "simulation.traffic=recursive_doubling", "--set",
            "simulation.bytes=200 kB", "--transport", "ideal")
    simulated = program.ask_json(*sent)
    steps, rate = 10, simulated["link_rate_bps"] / 8
    expect(simulated["flows"] == simulated["flows_finished"] == 1024 * steps, "1,024 ranks send ten times each")
    least = steps * 200e3 / rate
    expect(least <= simulated["simulated_s"] < 1.5 * least, f"ten buffers take {least} s and little more")
    wrong = program.ask(*sent, "--set", "simulation.active=0.75", status=2)
    expect("recursive_doubling needs a power of two" in wrong, f"768 ranks are refused: {wrong}")
    expect("recursive_doubling" in program.ask("describe", "simulation.traffic"), "`describe` names its traffic")


def ask_verb(program, _):
    expect("settings" in program.ask("--help"), "--help names the verb")
    words = ("settings", "hotnets24-dense", "--section", "simulation", "--set", "simulation.seed=7")
    expect(re.search(r"simulation\.seed +7\b", program.ask(*words)), "`settings` prints a table")
    rows = {row["setting"]: row["value"] for row in program.ask_json(*words)}
    listed = list(csv.DictReader(io.StringIO(program.ask(*words, "--csv"))))
    expect(rows["simulation.seed"] == "7" and all(key.startswith("simulation.") for key in rows), "--section holds")
    expect({row["setting"]: row["value"] for row in listed} == rows, "--csv is what --json is")
    wrong = program.ask("settings", "hotnets24-dense", "--section", "simulaton", status=2)
    expect("has no such section" in wrong, f"an unknown section is refused: {wrong}")


ASK = {"transport": ask_transport, "topology": ask_topology, "all-reduce": ask_collective, "verb": ask_verb}
SETTING = {"transports.def": "simulation.transport", "all_reduces.def": "assumptions.all_reduce",
           "all_to_alls.def": "assumptions.all_to_all"}
QUESTIONS = [("plan", "hotnets24-dense"), ("plan", "hotnets24-moe"), ("network", "hotnets24-networks"),
             ("wide-area", "hotnets24-moe"), ("reproduce",)]


def ask_without(program, original):
    """What was taken out is known no more, and all else answers as before."""
    texts = {words: program.ask(*words) for words in (("describe",), ("schema",), ("--help",), ("simulate", "--help"))}
    for listed, kind in TAKEN_OUT:
        for words, text in texts.items():
            expect(not re.search(rf"\b{kind}\b", text), f"{' '.join(words)} still names {kind}, which was taken out")
        if listed in SETTING:
            program.ask("plan", "hotnets24-dense", "--set", f"{SETTING[listed]}={kind}", status=2)
    for words in QUESTIONS:
        expect(program.ask(*words) == original.ask(*words), f"without them, {' '.join(words)} answers something else")


def check_built(program):
    found = examples()
    with tempfile.TemporaryDirectory(prefix="trainyard-extending-") as folder:
        tree = pathlib.Path(folder) / "tree"
        shutil.copytree(ROOT, tree, ignore=NOT_COPIED)
        for example in found:
            example.lay_over(tree)
        gone = {kind: take_out(tree, listed, kind) for listed, kind in TAKEN_OUT}
        copy = build(tree)
        for example in found:
            ASK[example.name](copy, example)
            print(f"{example.name} runs: {example.places()}")
        ask_without(copy, Program(program, tree))
        for kind, files in gone.items():
            print(f"without {kind}: an entry and {', '.join(sorted(files))}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--syntax":
        check_syntax(sys.argv[2])
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        check_built(pathlib.Path(sys.argv[1]).resolve())
    else:
        sys.exit(__doc__)


main()
