#!/usr/bin/env python3
"""Runs the commands of README.md and docs/*.md, page by page, in a copy of the files that they name.

    docs_commands.py PROGRAM [--slow] [--page NAME]... [--times] [--limit SECONDS]

A command is a line of a fenced or indented block that begins with `trainyard`, with the lines that a backslash joins
to it. It has to end with status 0. Comments of HTML before a block, which readers do not see, say what is otherwise:

    <!-- commands: 3 -->                         of all commands of a block: their exit status; `slow`: they take longer than
                                                 30 s, so that --slow alone runs them; `skip REASON`: they are not run
    <!-- commands: /site/ 3; /fig5/ slow -->     the same of those commands that hold a text
    <!-- run: SHELL -->                          what a reader is told in words: runs before what follows
    <!-- file: NAME -->                          the block is this file from here on; `+ NAME`: is added to it
    <!-- output: COMMAND -->                     the block is printed by this command, "..." standing for lines left out
    <!-- figures: TEXT | TEXT: COMMAND -->       a command printed these, which sentences and tables cite: one of the page, or
                                                 one that runs for them alone

Printed numbers may differ by 2%, cited shares by 2% of what is nearer, nothing or all: 95.2% is not 94.6%. Pages do not share
their folders.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import limits  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COPIED = ("data", "scenarios", "examples", "catalog")
QUICK_S = 30
SLOW_S = 1800
LIMIT_S = 6 * QUICK_S  # of the processor, until a quick command counts as hanging
TOLERANCE = 0.02
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")
COMMENT = re.compile(r"^<!-- (commands|run|file|output|figures): (.*?) -->$")


def blocks_of(text):
    """(directives, language, lines) of every block, in the order of the page."""
    said, fence, language, lines, indented = [], False, "", [], []
    for line in [*text.splitlines(), ""]:
        if fence:
            if line.startswith("```"):
                yield said, language, lines
                fence, said = False, []
            else:
                lines.append(line)
            continue
        if line.startswith("    ") and (indented or line.startswith("    trainyard ")):
            indented.append(line[4:])
            continue
        if indented:
            yield said, "", indented
            indented, said = [], []
        comment = COMMENT.match(line)
        if comment:
            said.append(comment.groups())
        elif line.startswith("```"):
            fence, language, lines = True, line[3:].strip(), []
        elif line.strip():
            for word, rest in said:
                if word in ("run", "figures"):
                    yield [(word, rest)], "", []
            said = []


def commands_of(lines):
    """Lines joined at backslashes that begin with the program."""
    for command in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        command = re.sub(r"^(\$ )?(build/release/)?trainyard\b", "trainyard", command.strip())
        if command.startswith("trainyard"):
            yield command


def wishes(said, commands):
    """What the page says of each command of a block."""
    text = next((rest for word, rest in said if word == "commands"), "0")
    if not text.startswith("/"):
        return [text] * len(commands)
    items = re.findall(r"/(.+?)/ ([^;]+)", text)
    for part, _ in items:
        if not any(part in command for command in commands):
            raise SystemExit(f"docs_commands: no command holds '{part}'")
    return [next((wish for part, wish in items if part in command), "0") for command in commands]


def plain(command):
    """Without a comment, its blanks single."""
    return " ".join(re.sub(r"\s+# .*", "", command).split())


def same_line(shown, printed):
    """Whether the words are equal and the numbers within the tolerance."""
    if NUMBER.sub("#", shown).split() != NUMBER.sub("#", printed).split():
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed))
    as_number = lambda text: float(text.replace(",", ""))
    return all(abs(as_number(a) - as_number(b)) <= TOLERANCE * abs(as_number(a)) for a, b in pairs)


def missing_lines(shown, printed):
    at = 0
    for line in shown:
        if line.strip() in ("", "..."):
            continue
        found = next((i for i in range(at, len(printed)) if same_line(line, printed[i])), None)
        if found is None:
            yield line
        else:
            at = found + 1


def cited_numbers(figure):
    """Each number, and by how much what is printed may differ."""
    for found in NUMBER.finditer(figure):
        value = float(found[0].replace(",", ""))
        within = TOLERANCE * abs(value)
        if figure[found.end():found.end() + 1] == "%" and 0 < value < 100:
            digits = len(found[0].partition(".")[2])
            within = max(TOLERANCE * min(value, 100 - value), 0.501 * 10 ** -digits)
        yield value, within


def holds(printed, figure):
    """Whether the text has the figure, its numbers within the tolerance: "3.292 s" or "$30.06M"."""
    shape = NUMBER.sub(lambda _: "\0", figure)
    pattern = r"(?<![\d.])" + re.escape(shape).replace("\0", f"({NUMBER.pattern})").replace(r"\ ", r"\s+") + r"(?![\w%])"
    as_number = lambda text: float(text.replace(",", ""))
    wanted = list(cited_numbers(figure))
    return any(all(abs(as_number(n) - w) <= within for n, (w, within) in zip(found.groups(), wanted))
               for found in re.finditer(pattern, printed))


class Page:
    def __init__(self, path, program, slow, limit_s):
        self.path, self.slow, self.limit_s, self.times = path, slow, limit_s, []
        self.printed = {}  # by command, without its comment
        self.left_out = set()  # of these, as slow or not to be run
        self.complaints, self.ran, self.skipped, self.left = [], 0, 0, 0
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="trainyard-docs-"))
        for name in COPIED:
            shutil.copytree(ROOT / name, self.folder / name)
        tools = self.folder / ".tools"
        tools.mkdir()
        shutil.copy2(program, tools / "trainyard")  # a build may replace the other
        self.environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}

    def shell(self, command, limit_s):
        return limits.run(["bash", "-c", command], limit_s, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)

    def run(self, command, wish):
        if wish.startswith("skip"):
            self.skipped += 1
            self.left_out.add(plain(command))
            return
        slow = "slow" in wish.split()
        if slow and not self.slow:
            self.left += 1
            self.left_out.add(plain(command))
            return
        self.ran += 1
        begin = time.monotonic()
        status = next((int(w) for w in wish.split() if w.isdigit()), 0)
        try:
            ran = self.shell(command, SLOW_S if slow else self.limit_s)
        except subprocess.TimeoutExpired:
            self.complaints.append(f"{command}: did not end")
            return
        finally:
            self.times.append((time.monotonic() - begin, command))
        self.printed[plain(command)] = ran.stdout
        if ran.returncode != status:
            self.complaints.append(f"{command}: status {ran.returncode}, not {status}: {ran.stderr.strip()[:300]}")

    def compare(self, command, lines):
        ran = self.shell(command, self.limit_s)
        self.ran += 1
        for line in missing_lines(lines, (ran.stdout + ran.stderr).splitlines()):
            self.complaints.append(f"{command}: does not print: {line}")

    def check_figures(self, figures, command):
        if command in self.left_out:
            return
        if command not in self.printed:
            self.run(command, "0")
        for figure in figures.split(" | "):
            if not holds(self.printed.get(command, ""), figure.strip()):
                self.complaints.append(f"{command}: does not print {figure}")

    def block(self, said, language, lines):
        for word, rest in said:
            if word == "figures":
                self.check_figures(*rest.split(": ", 1))
            if word == "run":
                ran = self.shell(rest, self.limit_s)
                if ran.returncode != 0:
                    self.complaints.append(f"{rest}: {ran.stderr.strip()[:300]}")
            elif word == "file":
                name = rest.removeprefix("+ ")
                with open(self.folder / name, "a" if rest.startswith("+ ") else "w") as file:
                    file.write("\n".join(lines) + "\n")
            elif word == "output":
                self.compare(rest, lines)
        if language not in ("", "sh", "bash") or any(word in ("file", "output") for word, _ in said):
            return
        commands = list(commands_of(lines))
        for command, wish in zip(commands, wishes(said, commands)):
            self.run(command, wish)

    def work(self):
        try:
            for block in blocks_of(self.path.read_text()):
                self.block(*block)
        finally:
            shutil.rmtree(self.folder)
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--page", action="append")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--limit", type=float, default=LIMIT_S)
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    paths = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    pages = [Page(p, program, arguments.slow, arguments.limit) for p in paths if not arguments.page or p.name in arguments.page]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(Page.work, pages))
    for page in done:
        for seconds, command in page.times if arguments.times else ():
            print(f"{seconds:6.1f} s  {page.path.name}: {command}")
        for complaint in page.complaints:
            print(f"{page.path.relative_to(ROOT)}: {complaint}")
    ran, left, skipped, wrong = (sum(f(p) for p in done) for f in (
        lambda p: p.ran, lambda p: p.left, lambda p: p.skipped, lambda p: len(p.complaints)))
    print(f"docs_commands: {ran} run, {left} left for --slow, {skipped} not run, {wrong} complaints")
    return 1 if wrong or not ran else 0


sys.exit(main())
