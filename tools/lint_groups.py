#!/usr/bin/env python3
"""Groups sources that clang-tidy can read as one, so that it reads the headers they share once.

    tools/lint_groups.py COMPILE_COMMANDS FOLDER | --self-test

FOLDER gets one source for each group, which includes its members, and a compile_commands.json; the standard
output gets a line for each group: the group's source and its members. All are read with the flags of all
together, as folders differ in include folders and definitions that add up. No name that is a member's alone means
something to another; one that hides another is g++'s to find. (Should names clash all the same, tools/lint looks at
the members one by one.)
"""
import hashlib
import json
import pathlib
import re
import shlex
import sys
import tempfile

MOST_MEMBERS = 96
MOST_LINES = 14000
# What changes how others are read. Lists (registries/*.def, verbs) undefine what they are read with.
ALONE = re.compile(r"^\s*#\s*(?:pragma|(?:define|undef)\s+(?!TRAINYARD_|VERB\b))", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
INNER = re.compile(r"^namespace trainyard::(\w+)", re.M)
LEAKS = re.compile(r"^using namespace (?!trainyard;)", re.M)  # to what is read after it
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|using|union)\s+(\w+)", re.M)
ENUM = re.compile(r"^enum(?: \w+)?(?: : [\w:]+)? \{(.*?)\}", re.M | re.S)  # its enumerators need no name before them
STATIC = re.compile(r"^static [^\n]*?(\w+)\s*[(=\[{;]", re.M)
# A line without indent that declares something: its last word before (, =, [, { or ;.
OTHER = re.compile(r"^(?![\s}/#*]|namespace |struct |class |enum |using |union |template)[^\n]*?(\w+)\s*[(=\[{;]", re.M)


def names_of(text):
    """What the unnamed namespaces of a source declare and what is static, and some more."""
    names = set(STATIC.findall(text))
    for body in UNNAMED.findall(text):
        names.update(TYPE.findall(body), OTHER.findall(body))
        for enumerators in ENUM.findall(body):
            names.update(re.findall(r"\w+", enumerators))
    return names


class Shown:
    """What headers declare, and the namespaces within ours that they open."""

    def __init__(self, text=""):
        self.names = {*TYPE.findall(text), *OTHER.findall(text)}
        self.spaces = set(INNER.findall(text))

    def add(self, other):
        self.names |= other.names
        self.spaces |= other.spaces

    def has(self, names):
        return bool(names & self.names or names & self.spaces)

    def clashes(self, other):
        """Whether what is a namespace here is something else there."""
        return bool(self.spaces & other.names or other.spaces & self.names)


def flags_of(entries):
    """The compiler and the flags of all entries, in the order of the first that has them."""
    flags = {}  # an ordered set; -isystem goes with its folder
    for entry in entries:
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if re.search(r"(\+\+|g?cc|clang)(-\d+)?$", word)):]
        while words:
            count = 2 if words[0] in ("-isystem", "-o", "-c") else 1
            if words[0] not in ("-o", "-c"):
                flags[tuple(words[:count])] = None
            words = words[count:]
    return [word for flag in flags for word in flag]


def headers_of(path, root, known):
    """The headers of ours that a file includes, however deep."""
    if path not in known:
        known[path] = set()
        for name in INCLUDE.findall(path.read_text()):
            for folder in (root / "src", root / "include"):
                if (folder / name).exists():
                    known[path] |= {folder / name} | headers_of(folder / name, root, known)
    return known[path]


class Group:
    """Sources that are read as one."""

    def __init__(self):
        self.closed = False
        self.lines = 0
        self.members = []
        self.own = {}  # a name that is one source's alone: the headers that its source reads
        self.headers = set()
        self.shown = Shown()

    def takes(self, own, headers, lines, shown):
        """Whether a source may join: no name of either is the other's own, or what a header shows the other alone."""
        if self.closed or len(self.members) >= MOST_MEMBERS or self.lines + lines > MOST_LINES:
            return False
        return not (own & self.own.keys()
                    or any(shown[header].has(own) for header in self.headers - headers)
                    or any(shown[header].has({name}) for name, read in self.own.items() for header in headers - read)
                    or any(self.shown.clashes(shown[header]) for header in headers - self.headers))

    def add(self, entry, own, headers, lines, shown):
        for header in headers - self.headers:
            self.shown.add(shown[header])
        self.own.update((name, headers) for name in own)
        self.headers |= headers
        self.lines += lines
        self.members.append(entry)


def grouped(entries, root):
    """Lists of entries, each a group."""
    groups, known, shown = [], {}, {}
    texts = {entry["file"]: pathlib.Path(entry["file"]).read_text() for entry in entries}
    for entry in sorted(entries, key=lambda entry: bool(LEAKS.search(texts[entry["file"]]))):
        path, text = pathlib.Path(entry["file"]), texts[entry["file"]]
        own, lines = names_of(text), text.count("\n")
        headers = headers_of(path, root, known)
        for header in headers - shown.keys():
            shown[header] = Shown(header.read_text())
        alone = ALONE.search(text) is not None
        group = next((g for g in groups if not alone and g.takes(own, headers, lines, shown)), None)
        if group is None:
            group = Group()
            group.closed = alone
            groups.append(group)
        group.add(entry, own, headers, lines, shown)
        group.closed |= LEAKS.search(text) is not None
    groups.sort(key=lambda group: -group.lines)  # the longest first, so that the last ones end together
    return [group.members for group in groups]


def main(commands, folder):
    root = pathlib.Path.cwd()
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    entries = [e for e in json.loads(pathlib.Path(commands).read_text())
               if pathlib.Path(e["file"]).is_relative_to(root / "src") and e["file"].endswith(".cpp")]
    entries = sorted({e["file"]: e for e in entries}.values(), key=lambda e: e["file"])  # some are of two targets
    flags = flags_of(entries)
    written = []
    for members in grouped(entries, root):
        files = [str(pathlib.Path(e["file"]).relative_to(root)) for e in members]
        name = hashlib.sha256(" ".join(files).encode()).hexdigest()[:16]
        source = folder / f"{name}.cpp"
        source.write_text("".join(f'#include "{root / f}"  // NOLINT(bugprone-suspicious-include)\n' for f in files))
        written.append({"directory": members[0]["directory"], "file": str(source),
                        "arguments": [*flags, "-Wno-shadow", "-c", str(source)]})
        print(source.relative_to(root), *files)
    (folder / "compile_commands.json").write_text(json.dumps(written, indent=1))


def self_test():
    """Sources go together unless a name of one would be another's: of the source, of a header, or a namespace's."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        texts = {
            "a.h": "int shown(int x);\n",
            "b.h": "namespace trainyard::room {\n",
            "c.h": "int room();\n",
            "1.cpp": '#include "a.h"\nnamespace {\nint own() {\n}\n}  // namespace\n',
            "2.cpp": '#include "b.h"\nnamespace {\nint other() {\n}\n}  // namespace\n',
            "3.cpp": "namespace {\nint own() {\n}\n}  // namespace\n",           # as 1.cpp's
            "4.cpp": "namespace {\nenum {\n  shown,\n};\n}  // namespace\n",    # as a.h's, which 1.cpp reads
            "5.cpp": '#include "c.h"\n',                                        # no namespace, as in b.h
            "6.cpp": "#define TRAINYARD_KIND(name) name,\n",
            "7.cpp": "#define TOML_KIND\n",
            "8.cpp": "using namespace room;\n",  # the last of its group
            "9.cpp": "",
        }
        (root / "src").mkdir()
        for name, text in texts.items():
            (root / "src" / name).write_text(text)
        sources = [{"file": str(root / "src" / name)} for name in texts if name.endswith(".cpp")]
        groups = {"".join(pathlib.Path(e["file"]).stem for e in group) for group in grouped(sources, root)}
        assert groups == {"12698", "345", "7"}, groups


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        main(*sys.argv[1:])
