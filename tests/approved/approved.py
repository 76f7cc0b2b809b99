#!/usr/bin/env python3
"""Answers of the program beside those that a person approved.

    approved.py PROGRAM [GROUP...]            compare; each key that differs, stored and seen
    approved.py PROGRAM --update [GROUP...]   write the answers anew, and cases for values that have none
    approved.py PROGRAM --update --fresh GROUP...   choose all cases of a group anew
    approved.py PROGRAM --settings            every setting of the program stands in a case
    approved.py --self-test

A group is questions/GROUP.toml, which says what is combined, and answers/GROUP.txt, cases and answers. The first
answer of a command line is whole; others name what they have beside it.
"""
import argparse
import concurrent.futures
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import answers
import every_setting
import questions

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HEAD = "# Written by tests/approved/update; to be read as a difference.\n"
LONGEST_SECONDS = 600  # on the clock: other limits are who runs it
SHOWN = 12  # differences of a case


def groups_of(names):
    found = {path.stem: path for path in sorted((HERE / "questions").glob("*.toml"))}
    unknown = [name for name in names if name not in found]
    if unknown:
        raise SystemExit(f"approved: no group {', '.join(unknown)}; there are {' '.join(found)}")
    return [questions.Group(found[name]) for name in names or found]


class Place:
    """A folder with the files that a group's questions name."""

    def __init__(self, program, group):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = tempfile.TemporaryDirectory(prefix="trainyard-approved-")
        at = pathlib.Path(self.folder.name)
        for name, text in group.files.items():
            (at / name).write_text(text, encoding="utf-8")
        for name in group.copies:
            source, to = ROOT / name, at / pathlib.Path(name).name
            if source.is_dir():
                shutil.copytree(source, to)
            else:
                shutil.copy(source, to)

    def run(self, words):
        """(answer, status, stderr, seconds)."""
        before = time.monotonic()
        ran = subprocess.run([self.program, *words], cwd=self.folder.name, stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=LONGEST_SECONDS)
        out, err = ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")
        lines = answers.answer_of(ran.returncode, out, err)
        return lines, ran.returncode, err, time.monotonic() - before


def stored_of(group):
    """[(words, answer)] of a group's file."""
    path = HERE / "answers" / f"{group.name}.txt"
    cases, bases = [], []
    if not path.is_file():
        return cases
    for part in path.read_text(encoding="utf-8").split("\n## ")[1:]:
        head, *rest = part.rstrip("\n").split("\n")
        words = shlex.split(head)
        base = next((answer for ask, answer in bases if ask == words[: len(ask)]), {})
        changed = answers.read_lines(rest)
        answer = answers.with_changes(base, changed)
        if words in group.ask:
            bases.append((words, answer))
            bases.sort(key=lambda base: -len(base[0]))
        cases.append((words, answer))
    return cases


def write(group, cases):
    bases, out = [], [HEAD]
    order = {shlex.join(ask): i for i, ask in enumerate(group.ask)}
    for words, answer in sorted(cases, key=lambda case: (shlex.join(case[0]) not in order)):
        base = next((known for ask, known in bases if ask == words[: len(ask)]), {})
        out.append(f"\n## {shlex.join(words)}\n")
        out += answers.written_lines(answers.changes(base, answer))
        if words in group.ask:
            bases.append((words, answer))
            bases.sort(key=lambda base: -len(base[0]))
    (HERE / "answers" / f"{group.name}.txt").write_text("".join(out), encoding="utf-8")


def update(program, group, fresh, jobs):
    place = Place(program, group)

    def answered(words, of):
        _, status, err, seconds = place.run(words)
        return status in of.answers and seconds <= of.seconds, err

    stored = [] if fresh else [words for words, _ in stored_of(group)]
    new = group.designed(stored, answered) if not stored or group.missing(stored) else []
    with concurrent.futures.ThreadPoolExecutor(1 if group.writes else jobs) as pool:
        seen = list(pool.map(place.run, [*stored, *new]))
    write(group, [(words, ran[0]) for words, ran in zip([*stored, *new], seen)])
    lacking = group.missing([*stored, *new])
    if lacking:
        print(f"{group.name}: no case has " + ", ".join(f"{k} = {v}" for k, v in lacking), file=sys.stderr)
    print(f"{group.name}: {len(stored)} cases and {len(new)} new ones, {sum(ran[3] for ran in seen):.1f} s", file=sys.stderr)


def compare(program, groups, jobs, first):
    """How many cases differ."""
    found = cases = 0
    for group in groups:
        place = Place(program, group)
        stored = stored_of(group)
        if not stored:
            raise SystemExit(f"approved: {group.name} has no answers; run tests/approved/update {group.name}")
        with concurrent.futures.ThreadPoolExecutor(1 if group.writes else jobs) as pool:
            for number, ((words, answer), ran) in enumerate(zip(stored, pool.map(place.run, [w for w, _ in stored]))):
                cases += 1
                different = answers.differences(answer, ran[0])
                if not different:
                    continue
                found += 1
                print(f"[  FAILED  ] approved.{group.name}/{number}\n  trainyard {shlex.join(words)}")
                for key, was, seen in different[:SHOWN]:
                    print(f"    {key}: stored {was}, seen {seen}")
                if len(different) > SHOWN:
                    print(f"    and {len(different) - SHOWN} more")
                if first:
                    pool.shutdown(cancel_futures=True)
                    return found
    print(f"approved: {cases} cases, {found} differ" + (
        "; if they should: tests/approved/update, then review the diff" if found else ""))
    return found


def self_test():
    answers.self_test()
    questions.self_test()
    every_setting.self_test()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("groups", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--settings", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--gtest_fail_fast", action="store_true", help="end at the first case that differs (tools/mutants)")
    parser.add_argument("--gtest_brief", help=argparse.SUPPRESS)
    arguments = parser.parse_intermixed_args()
    if arguments.self_test:
        self_test()
        print("approved: self-test passes")
        return 0
    groups = groups_of(arguments.groups)
    if arguments.update:
        for group in groups:
            update(arguments.program, group, arguments.fresh, arguments.jobs)
        return 0
    if arguments.settings:
        complaints = every_setting.complaints(arguments.program, [(group, stored_of(group)) for group in groups])
        print("\n".join(complaints) or "approved: every setting and every kind stands in a case")
        return 1 if complaints else 0
    return 1 if compare(arguments.program, groups, arguments.jobs, arguments.gtest_fail_fast) else 0


if __name__ == "__main__":
    sys.exit(main())
