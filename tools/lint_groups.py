#!/usr/bin/env python3
"""Groups sources that clang-tidy can read as one, so that it reads the headers they share once.

    tools/lint_groups.py COMPILE_COMMANDS FOLDER

FOLDER gets one source for each group, which includes its members, and a compile_commands.json; the standard
output gets a line for each group: the group's source and its members. Members of a group are compiled with
the same flags and share no name of an unnamed namespace. (Should the names clash all the same, tools/lint
looks at the members one by one.)
"""
import hashlib
import json
import pathlib
import re
import sys

MOST_MEMBERS = 10
MOST_LINES = 2000
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.S | re.M)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|using|union)\s+(\w+)", re.M)
# A line without indent that declares something: its last word before (, =, [, { or ;.
OTHER = re.compile(r"^(?![\s}/#*]|struct |class |enum |using |union |template)[^\n]*?(\w+)\s*[(=\[{;]", re.M)


def names_of(text):
    """What the unnamed namespaces of a source declare, and some more."""
    names = set()
    for body in UNNAMED.findall(text):
        names.update(TYPE.findall(body), OTHER.findall(body))
    return names


def flags_of(entry):
    """The command without the names of its input and output."""
    return tuple(w for w in entry["command"].split() if not w.endswith((".cpp", ".cpp.o")) and w not in ("-o", "-c"))


def grouped(entries):
    """Lists of entries, each a group."""
    groups = []  # dictionaries: flags, names, lines, members
    for entry in entries:
        text = pathlib.Path(entry["file"]).read_text()
        names, flags, lines = names_of(text), flags_of(entry), text.count("\n")
        alone = re.search(r"^\s*#\s*(define|undef|pragma)", text, re.M) is not None
        for group in groups:
            if (not alone and group["flags"] == flags and len(group["members"]) < MOST_MEMBERS
                    and group["lines"] + lines <= MOST_LINES and not names & group["names"]):
                break
        else:
            group = {"flags": None if alone else flags, "names": set(), "lines": 0, "members": []}
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
    written = []
    for members in grouped(entries):
        files = [str(pathlib.Path(e["file"]).relative_to(root)) for e in members]
        name = hashlib.sha256(" ".join(files).encode()).hexdigest()[:16]
        source = folder / f"{name}.cpp"
        source.write_text("".join(f'#include "{root / f}"  // NOLINT(bugprone-suspicious-include)\n' for f in files))
        written.append({"directory": members[0]["directory"], "file": str(source),
                        "command": " ".join([*flags_of(members[0]), "-c", str(source)])})
        print(source.relative_to(root), *files)
    (folder / "compile_commands.json").write_text(json.dumps(written, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
