#!/usr/bin/env python3
"""Checks that includes point one way: tools/layers.txt says which folder may include which, tools/public_headers.txt to
which folder a public header belongs. And that a type's name means one thing in a namespace: of two meanings, the linker
keeps the functions of one, and no compiler sees it where no source reads both. And that no class is longer than 300 lines,
and that a source reads 10 headers of ours at most in the median, those that headers include too.

    tools/check_layers.py [ROOT]      exit status 1 if an include is forbidden, unknown or part of a cycle, or a type
                                      is defined twice or too long, or sources read too many headers
    tools/check_layers.py --self-test
"""
import pathlib
import re
import statistics
import sys
import tempfile

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<(trainyard/[^>]+)>)')

NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]*) ?\{")
MOST_LINES = 300  # of a class: a longer one has two ideas
MOST_HEADERS = 10  # of ours that a source reads, in the median: each is why it is compiled again
CLASS = re.compile(r"( *)(?:struct|class) (?:alignas\(\w+\) )?(\w+)[^;]*\{$")
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum(?: class)?) (\w+)(?: final)?(?: : [^;]*)?(?: \{|$)")


def read_layers(path):
    """folder -> the set of folders it may include, in the order of the file: all lines above but those named; and the
    folders that may include every public header, as programs outside do."""
    layers, doors = {}, set()
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, only, allowed = line.partition("=")
        name, _, excepted = name.strip().partition(":")
        for word in (excepted + allowed).split():
            if word not in layers:
                raise SystemExit(f"{path}: {name} names {word}, which is not a line above it")
        layers[name] = set(allowed.split()) if only else set(layers) - set(excepted.split())
        if only and "trainyard" in layers[name]:
            doors.add(name)
    return layers, doors


def read_owners(path):
    """public header, or folder of them -> the folder that defines what it declares."""
    lines = path.read_text().splitlines() if path.exists() else []
    return dict(re.split(r":\s*", line) for line in lines if line and not line.startswith("#"))


def folder_of(path, layers, owners):
    """The folder that owns this public header, or the longest folder of the table that holds this path, or None."""
    parts = path.split("/")
    for end in range(len(parts), 0, -1):
        if "/".join(parts[:end]) in owners:
            return owners["/".join(parts[:end])]
    parts.pop()
    while parts and "/".join(parts) not in layers:
        parts.pop()
    return "/".join(parts) or None


def read_includes(root):
    """file -> [(line, what it includes)], both as paths from src/ or include/."""
    includes = {}
    for base in ("include", "src"):
        for path in sorted((root / base).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".hpp", ".inc"):
                continue
            name = path.relative_to(root / base).as_posix()
            found = []
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    found.append((number, match[1] or match[2]))
            includes[f"{base}/{name}"] = found
    return includes


def find_cycle(includes):
    """A ring of headers that include each other, or None."""
    state = {}  # file -> 1 while on the path, 2 when done
    path = []

    def visit(name):
        state[name] = 1
        path.append(name)
        for _, target in includes[name]:
            for base in ("include/", "src/"):
                header = base + target
                if state.get(header) == 1:
                    return path[path.index(header):] + [header]
                if header in includes and header not in state:
                    ring = visit(header)
                    if ring:
                        return ring
        path.pop()
        state[name] = 2
        return None

    for name in includes:
        if name not in state:
            ring = visit(name)
            if ring:
                return ring
    return None


def headers_of(name, includes):
    """Headers of ours that a file reads: its includes, and theirs."""
    seen, left = set(), [name]
    while left:
        for _, target in includes[left.pop()]:
            found = {base + target for base in ("include/", "src/")} & includes.keys() - seen
            seen |= found
            left += found
    return seen


def find_wide(includes):
    """A complaint where sources read too many headers in the median, with some that one fewer would mend."""
    widths = {name: len(headers_of(name, includes)) for name in includes if name.endswith(".cpp")}
    median = statistics.median(widths.values()) if widths else 0
    if median <= MOST_HEADERS:
        return []
    near = sorted(name for name, width in widths.items() if width == MOST_HEADERS + 1)
    return [f"sources read {median:g} headers of ours in the median, and {MOST_HEADERS} are the most; one too many: " + " ".join(near[:8])]


def types_of(text):
    """[(line, name with its namespaces)] of the types that other sources would mean by that name, too."""
    found, spaces = [], []
    for number, line in enumerate(text.splitlines(), 1):
        opened = NAMESPACE.match(line)
        if opened:
            spaces.append(opened[1])
        elif spaces and line.startswith("}  // namespace"):
            spaces.pop()
        elif "" not in spaces:
            match = TYPE.match(line)
            if match:
                found.append((number, "::".join([*spaces, match[1]])))
    return found


def find_twins(root, files):
    """Complaints of types that are defined in two files."""
    first, complaints = {}, []
    for name in files:
        for number, type_name in types_of((root / name).read_text()):
            if first.setdefault(type_name, name) != name:
                complaints.append(f"{name}:{number}: {first[type_name]} defines another {type_name}")
    return complaints


def find_long(root, files):
    """Complaints of classes that are longer than MOST_LINES, those inside of others and of functions too."""
    complaints = []
    for name in files:
        lines = (root / name).read_text().splitlines()
        for begin, line in enumerate(lines):
            opened = CLASS.match(line)
            if not opened:
                continue
            end = next((n for n in range(begin, len(lines)) if lines[n].startswith(opened[1] + "};")), begin)
            if end - begin + 1 > MOST_LINES:
                complaints.append(f"{name}:{begin + 1}: {opened[2]} has {end - begin + 1} lines, and {MOST_LINES} are the most")
    return complaints


def check(root):
    """All complaints, one line each."""
    layers, doors = read_layers(root / "tools" / "layers.txt")
    owners = read_owners(root / "tools" / "public_headers.txt")
    includes = read_includes(root)
    complaints = [f"tools/public_headers.txt: {owner} is not in tools/layers.txt" for owner in owners.values() if owner not in layers]
    complaints += [f"tools/public_headers.txt: there is no {name}" for name in owners if not (root / "include" / name).exists()]
    for name, found in includes.items():
        folder = folder_of(name.split("/", 1)[1], layers, owners)
        if folder is None:
            complaints.append(f"{name}:1: its folder is not in tools/layers.txt")
            continue
        for number, target in found:
            where = f"{name}:{number}"
            other = folder_of(target, layers, owners)
            if other is None:
                complaints.append(f'{where}: write "{target}" from src/: "{folder}/..." (layers.txt knows no such folder)')
            elif other != folder and other not in layers[folder] and not (folder in doors and target.startswith("trainyard/")):
                complaints.append(f"{where}: {folder} may not include {other} ({target})")
    ring = find_cycle(includes)
    if ring:
        complaints.append("headers include each other: " + " -> ".join(ring))
    return complaints + find_twins(root, includes) + find_long(root, includes) + find_wide(includes)


def self_test():
    def complaints(files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {"tools/layers.txt": "trainyard\nbase\nmodel\nmodel/inner\ncost: model/inner\n", **files}
            for name, text in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(root)

    good = {"include/trainyard/u.h": "", "src/base/a.h": "#include <vector>\n", "src/model/m.cpp": '#include "base/a.h"\n'}
    assert complaints(good) == []
    assert complaints({**good, "src/base/b.h": '\n#include "model/m.h"'}) == ["src/base/b.h:2: base may not include model (model/m.h)"]
    assert complaints({"include/trainyard/u.h": '#include "base/a.h"'}) != []
    assert complaints({"src/base/a.h": "#include <trainyard/u.h>"}) == []
    assert "knows no such folder" in complaints({"src/base/b.h": '#include "a.h"'})[0]
    assert "not in tools/layers.txt" in complaints({"src/utils/a.h": ""})[0]
    inner = {"src/model/inner/i.h": "", "src/model/m.h": "", "src/model/deep/d.h": ""}
    assert complaints({**inner, "src/model/inner/j.h": '#include "model/m.h"', "src/cost/c.h": '#include "model/deep/d.h"'}) == []
    assert "model may not include model/inner" in complaints({**inner, "src/model/n.h": '#include "model/inner/i.h"'})[0]
    assert "cost may not include model/inner" in complaints({**inner, "src/cost/c.h": '#include "model/inner/i.h"'})[0]
    owned = {"include/trainyard/c.h": "", "tools/public_headers.txt": "trainyard/c.h: cost\n"}
    assert complaints({**owned, "src/cost/c.cpp": '#include "trainyard/c.h"'}) == []
    assert "base may not include cost" in complaints({**owned, "src/base/b.cpp": '#include "trainyard/c.h"'})[0]
    assert "no trainyard/d.h" in complaints({"tools/public_headers.txt": "trainyard/d.h: cost\n"})[0]
    door = {**owned, "tools/layers.txt": "trainyard\nbase\ncost\ndoor = trainyard\n", "src/base/a.h": ""}
    assert complaints({**door, "src/door/d.cpp": '#include "trainyard/c.h"'}) == []
    assert "door may not include base" in complaints({**door, "src/door/d.cpp": '#include "base/a.h"'})[0]
    ring = {"src/base/a.h": '#include "base/b.h"', "src/base/b.h": '#include "base/a.h"'}
    assert complaints(ring) == ["headers include each other: src/base/a.h -> src/base/b.h -> src/base/a.h"]
    twin = "namespace t {{\n{}\n}}  // namespace t\n"
    one = {"src/base/a.h": twin.format("struct A {"), "src/base/c.h": twin.format("struct A;\nenum class C : int {")}
    assert complaints(one) == []
    assert complaints({**one, "src/base/b.cpp": twin.format("namespace {\nstruct A {\n}  // namespace")}) == []
    assert complaints({**one, "src/model/m.h": twin.format("class A : public B {")}) == [
        "src/model/m.h:2: src/base/a.h defines another t::A"]
    inside = "namespace t {{\n  class A final : public B {{\n{}  }};\n}}  // namespace t\n"
    assert complaints({"src/base/a.cpp": inside.format("\n" * 298)}) == []
    assert complaints({"src/base/a.cpp": inside.format("\n" * 299)}) == [
        "src/base/a.cpp:2: A has 301 lines, and 300 are the most"]
    chain = {f"src/base/h{n}.h": f'#include "base/h{n + 1}.h"' for n in range(10)}
    chain = {**chain, "src/base/h10.h": "", "src/base/ten.cpp": '#include "base/h1.h"', "src/base/eleven.cpp": '#include "base/h0.h"'}
    assert complaints({**chain, "src/base/none.cpp": ""}) == []  # in the median ten
    assert complaints(chain) == ["sources read 10.5 headers of ours in the median, and 10 are the most; one too many: src/base/eleven.cpp"]
    try:
        complaints({"tools/layers.txt": "base: model\nmodel\n"})
        raise AssertionError("a folder leaves out one that is not above it, and passes")
    except SystemExit:
        pass


def main():
    if "--self-test" in sys.argv:
        self_test()
        print("check_layers: self-test passes")
        return
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    complaints = check(root)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
