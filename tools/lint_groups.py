#!/usr/bin/env python3
"""Groups sources that clang-tidy can read as one, so that it reads the headers they share once.

    tools/lint_groups.py COMPILE_COMMANDS FOLDER

FOLDER gets one source for each group, which includes its members, and a compile_commands.json; the standard
output gets a line for each group: the group's source and its members. All are read with the flags of all
together, as folders differ in include folders and definitions that add up. Members of a group share no name that is
theirs alone. (Should the names clash all the same, tools/lint looks at the members one by one.)
"""
import hashlib
import json
import pathlib
import re
import shlex
import sys

MOST_MEMBERS = 20
MOST_LINES = 3000
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|using|union)\s+(\w+)", re.M)
STATIC = re.compile(r"^static [^\n]*?(\w+)\s*[(=\[{;]", re.M)
# A line without indent that declares something: its last word before (, =, [, { or ;.
OTHER = re.compile(r"^(?![\s}/#*]|struct |class |enum |using |union |template)[^\n]*?(\w+)\s*[(=\[{;]", re.M)


def names_of(text):
    """What the unnamed namespaces of a source declare and what is static, and some more."""
    names = set(STATIC.findall(text))
    for body in UNNAMED.findall(text):
        names.update(TYPE.findall(body), OTHER.findall(body))
    return names


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


def grouped(entries):
    """Lists of entries, each a group."""
    groups = []  # dictionaries: whether it is closed, names, lines, members
    for entry in entries:
        text = pathlib.Path(entry["file"]).read_text()
        names, lines = names_of(text), text.count("\n")
        alone = re.search(r"^\s*#\s*(define|undef|pragma)", text, re.M) is not None
        for group in groups:
            if (not alone and not group["closed"] and len(group["members"]) < MOST_MEMBERS
                    and group["lines"] + lines <= MOST_LINES and not names & group["names"]):
                break
        else:
            group = {"closed": alone, "names": set(), "lines": 0, "members": []}
            groups.append(group)
        group["names"] |= names
        group["lines"] += lines
        group["members"].append(entry)
    groups.sort(key=lambda group: -group["lines"])  # the longest first, so that the last ones end together
    return [group["members"] for group in groups]


def main(commands, folder):
    root = pathlib.Path.cwd()
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    entries = [e for e in json.loads(pathlib.Path(commands).read_text())
               if pathlib.Path(e["file"]).is_relative_to(root / "src") and e["file"].endswith(".cpp")]
    entries.sort(key=lambda e: e["file"])
    flags = flags_of(entries)
    written = []
    for members in grouped(entries):
        files = [str(pathlib.Path(e["file"]).relative_to(root)) for e in members]
        name = hashlib.sha256(" ".join(files).encode()).hexdigest()[:16]
        source = folder / f"{name}.cpp"
        source.write_text("".join(f'#include "{root / f}"  // NOLINT(bugprone-suspicious-include)\n' for f in files))
        written.append({"directory": members[0]["directory"], "file": str(source),
                        "arguments": [*flags, "-c", str(source)]})
        print(source.relative_to(root), *files)
    (folder / "compile_commands.json").write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
