#!/usr/bin/env python3
"""Compiles the transport of docs/extending.md as the page has it, and counts the files that it touches.

    tools/check_extending.py COMPILER      exit status 1 where the page's code does not compile with the program's,
                                           or where more than its own files and one list are touched

Files of the page lie over the tree in a folder of their own: nothing in the tree changes. The sources that read the list
are compiled with it (their syntax and types; no objects are made).
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
READER = ROOT / "src" / "network" / "packet" / "transports" / "transports.cpp"
SCENARIO = """#include "scenario/choices.h"
#include "scenario/scenario.h"
void read(trainyard::TransportsInput& all) {
  trainyard::each_transport_section(all, [](const char*, auto&, const auto&) {});
}
static_assert(trainyard::Choices<trainyard::Transport>::kAll[16].name == "constant");
"""
BLOCK = re.compile(r"`((?:src|include)/[\w/]+\.(?:h|cpp|def))`[^\n]*(?:\n[^\n`]+[^\n]*)*\n\n```cpp\n(.*?)```", re.DOTALL)


def files_of_page():
    """path -> content: a file of its own, or a list with the page's entry at its end."""
    page = (ROOT / "docs" / "extending.md").read_text()
    found = dict(BLOCK.findall(page[page.index("**A control law is enough**"):]))
    for name in [name for name in found if name.endswith(".def")]:
        text = (ROOT / name).read_text()
        end = text.index("\n#undef")
        found[name] = text[:end] + "\n" + found[name] + text[end:]
    return found


def main():
    compiler = sys.argv[1]
    files = files_of_page()
    changed = [name for name in files if (ROOT / name).exists()]
    if len(changed) != 1 or len(files) != 4:
        sys.exit(f"docs/extending.md: a transport takes three files of its own and one list, and the page has {sorted(files)}")
    with tempfile.TemporaryDirectory() as folder:
        over = pathlib.Path(folder)
        for name, text in files.items():
            (over / name).parent.mkdir(parents=True, exist_ok=True)
            (over / name).write_text(text)
        roots = [f"-I{base / part}" for base in (over, ROOT) for part in ("src", "include")]
        (over / "scenario.cpp").write_text(SCENARIO)
        sources = [over / name for name in files if name.endswith(".cpp")] + [READER, over / "scenario.cpp"]
        for source in sources:
            subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *roots, source], check=True)
    print(f"docs/extending.md: the transport compiles; it adds {len(files) - 1} files and changes {changed[0]}")


main()
