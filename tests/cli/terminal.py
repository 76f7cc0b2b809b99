#!/usr/bin/env python3
"""What a person sees: the program on a terminal of 80 columns, its completion and its man pages.

    terminal.py PROGRAM
"""
import csv
import fcntl
import io
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading

COLUMNS = 80
PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
GRID = pathlib.Path(__file__).resolve().parent.parent.parent / "data" / "grid-small"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Words that no line can hold: paths, formulas, lists without blanks.
LONGEST_WORD = 60
PICTURE = re.compile(r"[FBWHO.\d]{60,}")  # a step in time
QUESTIONS = [
    "", "help", "--help", "help units", "help start", "help questions", "help output", "help status", "help mapping",
    "plan llama3-405b", "plan hotnets24-dense", "plan deepseek-v3", "plan llama3-405b --explain",
    "plan llama3-405b --explain step.mfu", "sweep hotnets24-dense", "scaling hotnets24-dense", "rail railonly23-gpt3",
    "traffic hotnets24-dense", "wide-area hotnets24-moe", "network topologies", "network llama3-405b-network",
    "network topologies --traffic permutation", "network topologies --design rail-only --route 0 9",
    "simulate ndp-permutation --network flow", "step llama3-405b", "collective all_reduce",
    "goodput llama3-405b-months --runs 10", "goodput --published", "circuits llama3-circuits",
    "schedule synthetic --jobs 200 --compare", "operate llama3-day", "operate llama3-day --set operation.weekend_caps=[0.9]",
    "years two-generations",
    "search megatron-175b --set mapping.microbatch={search=[1,2]}", f"site hotnets24-dense --grid {GRID}",
    "site --at 45.6,-121.1 --radius 50", "reproduce railonly23", "validate", "catalog list",
    "catalog list accelerators", "catalog list switches", "catalog show h100-sxm", "describe network", "scenarios",
]
# What is refused: verbs, flags, names, settings, and a file at whose line a mark stands.
REFUSED = ["plann", "plan", "schedule", "plan nosuch", "plan llama3-405b --set mapping.tensro=3", "plan llama3-405b --jsn",
           "simulate ndp-permutation --transport foo", "goodput hotnets24-dense", "plan llama3-405b --set mapping.zero_stage=0",
           "catalog show h10", "step llama3-405b --schedule foo", "search llama3-405b"]
BAD = """[facility]
devices = 64
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
layers = { this = "is a table that is longer", than = "a terminal is wide", which = "goes on and on" }
[mapping]
tensor = { search = [1, 2, 4, 8, 16], note = "a list behind which there is a word that is", unknown = "here" }
[[design]]
name = "a"
kiind = 3
"""
failures = []


def check(true, message):
    if not true:
        failures.append(message)


# After all that the child wrote: where the last end of a terminal closes, what is still under way may be lost.
LAST = b"\x00the child has ended\x00"


def asked(words, environment, typed=b""):
    """Status and output, errors with it, on a terminal that is 80 columns wide."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    child = subprocess.Popen([PROGRAM, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.write(ours, typed)
    threading.Thread(target=lambda: (child.wait(), os.write(theirs, LAST))).start()
    out = b""
    while not out.endswith(LAST):
        out += os.read(ours, 1 << 16)
    os.close(ours)
    os.close(theirs)
    return child.wait(), out.removesuffix(LAST).decode().replace("\r\n", "\n")


def on_terminal(words, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE")}
    environment.update(TERM="xterm", **variables)
    return asked(words, environment)


def piped(words, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE")}
    environment.update(variables)
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environment)


def letters(text):
    return set(re.findall(r"[A-Za-z]{3,}", text))


def check_widths():
    help_of_all = [f"help {row['verb']}" for row in csv.DictReader(io.StringIO(piped(["help", "--csv"]).stdout))]
    for question in QUESTIONS + sorted(set(help_of_all)):
        words = question.split()
        status, text = on_terminal(words)
        check(status in (0, 3), f"{question!r}: status {status}")
        check(COLOUR.search(text), f"{question!r}: no colour on a terminal")
        check(question not in help_of_all or "Examples:" in text, f"{question!r}: no example")
        plain = COLOUR.sub("", text)
        for line in plain.splitlines():
            long_words = [word for word in line.split() if len(word) >= LONGEST_WORD and not PICTURE.fullmatch(word)]
            wide = len(line) > COLUMNS and not long_words
            check(not wide, f"{question!r}: {len(line)} columns: {line}")
        lost = letters(piped(words).stdout) - letters(plain)
        check(not lost, f"{question!r}: on a terminal these are missing: {sorted(lost)[:5]}")


def check_refusals():
    """On a terminal no wider than it is, with marks below what they mean; in a pipe a finding is a line."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bad.toml"
        path.write_text(BAD)
        for question in [*REFUSED, f"plan {path}"]:
            status, text = on_terminal(question.split())
            lines = COLOUR.sub("", text).splitlines()
            check(status in (2, 3), f"{question!r}: status {status}")
            for line in lines:
                check(len(line) <= COLUMNS or any(len(word) >= LONGEST_WORD for word in line.split()), f"{question!r}: {len(line)} columns: {line}")
            for quoted, mark in zip(lines, lines[1:]):
                if re.fullmatch(r" +\| +\^", mark):
                    check(re.match(r"[\w\[{\"]", quoted[len(mark) - 1:]), f"{question!r}: a mark below {quoted!r}")
            refused = piped(question.split())
            check(letters(refused.stderr) - letters("\n".join(lines)) <= letters(BAD), f"{question!r}: a terminal leaves words out")
            check("\n    " not in re.sub(r"\n +\d* \| .*", "", refused.stderr), f"{question!r}: a pipe is wrapped: {refused.stderr}")


def check_files_stay():
    for question in ("plan llama3-405b --json", "network topologies --csv", "example llama3-405b", "schema",
                     "completion bash", "manual plan", "help --csv"):
        words = question.split()
        check(on_terminal(words)[1] == piped(words).stdout, f"{question!r}: a terminal changes it")


def check_colours():
    question = ["catalog", "list"]
    for variables, terminal, pipe in (({}, True, False), ({"NO_COLOR": "1"}, False, False), ({"NO_COLOR": ""}, True, False),
                                      ({"CLICOLOR": "0"}, False, False), ({"CLICOLOR_FORCE": "1"}, True, True),
                                      ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False, False), ({"TERM": "dumb"}, False, False)):
        variables = {"TERM": "xterm"} | variables
        check(bool(COLOUR.search(on_terminal(question, **{k: v for k, v in variables.items() if k != "TERM"})[1]
                                 if variables["TERM"] == "xterm" else "")) == terminal, f"{variables}: on a terminal")
        check(bool(COLOUR.search(piped(question, **variables).stdout)) == pipe, f"{variables}: in a pipe")
    check(COLOUR.search(piped([*question, "--color", "always"]).stdout), "--color always in a pipe")
    check(COLOUR.search(piped(["--color=always", *question]).stdout), "--color before the verb")
    check(not COLOUR.search(on_terminal([*question, "--color=never"])[1]), "--color=never on a terminal")
    refused = piped([*question, "--color=purple"])
    check(refused.returncode == 2 and "purple" in refused.stderr, "--color=purple")
    check("\x1b[1;31merror:" in on_terminal(["plan", "no-such"])[1], "an error is red")


def check_bash():
    script = pathlib.Path(tempfile.mkdtemp()) / "completion.bash"
    script.write_text(piped(["completion", "bash"]).stdout)
    for typed, offered in (("pl", "plan"), ("plan llama3-405b-n", "llama3-405b-network"), ("plan x --rep", "--report"),
                           ("plan x --set mapping.tens", "mapping.tensor="), ("catalog sh", "show"),
                           ("catalog list accel", "accelerators"), ("simulate x --network fl", "flow"),
                           ("simulate x --transport nd", "ndp"), ("completion z", "zsh"), ("plan x --set model.name = gpt3", "gpt3-175b"), ("schedule synthetic llama3-405b-n", "llama3-405b-network"),
                           ("schedule synth", "synthetic"), ("schedule x --jobs-format phil", "philly"), ("step x --network fl", "flow"),
                           ("plan x --explain step.mf", "step.mfu"), ("help mapping.micro", "mapping.microbatch mapping.microbatches"), ("plan x --report compl", script.name),
                           ("plan x --json megatron-1", "megatron-175b"), ("plan x --color ne", "never"),
                           ("simulate x --set simulation.transport = nd", "ndp"), ("step x --set mapping.sequence_parallel = tr", "true"),
                           ("plan --set = mapping.sequence_parallel = tr", "true"), ("plan x --report = compl", script.name)):
        words = " ".join(f"'{w}'" for w in ["trainyard", *typed.split()])
        ran = subprocess.run(["bash", "-c", f"source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); "
                              "_trainyard; echo \"${COMPREPLY[@]}\""], capture_output=True, text=True, cwd=script.parent)
        check(" ".join(ran.stdout.split()) == offered, f"bash: {typed!r}: {ran.stdout!r} {ran.stderr!r}")
    shutil.rmtree(script.parent)


def check_other_shells():
    for shell in ("zsh", "fish"):
        check("simulation.transport=ndp" in piped(["completion", shell]).stdout, f"{shell}: values of settings")
        if shutil.which(shell):
            ran = subprocess.run([shell, "-n"], input=piped(["completion", shell]).stdout, capture_output=True, text=True)
            check(ran.returncode == 0 and not ran.stderr, f"{shell}: {ran.stderr}")
    if shutil.which("fish"):
        with tempfile.NamedTemporaryFile("w", suffix=".fish") as script:
            script.write(piped(["completion", "fish"]).stdout)
            script.flush()
            ran = subprocess.run(["fish", "-c", f"source {script.name}; complete -C 'trainyard plan megatron-1'"],
                                 capture_output=True, text=True, env=os.environ | {"HOME": tempfile.gettempdir()})
            check(ran.stdout.split("\t")[0].strip() == "megatron-175b", f"fish: {ran.stdout!r} {ran.stderr!r}")
            ran = subprocess.run(["fish", "-c", f"source {script.name}; complete -C 'trainyard plan --set simulation.transport=nd'"],
                                 capture_output=True, text=True, env=os.environ | {"HOME": tempfile.gettempdir()})
            check("simulation.transport=ndp" in ran.stdout, f"fish: {ran.stdout!r} {ran.stderr!r}")


def check_new():
    """Answers on a terminal: a wrong name is asked again, Enter takes the default."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/my.toml"
        typed = b"h100-sxm\n512\nlama3-8b\nllama3-8b\n2T\n\n\nrail_only\n"
        status, out = asked(["new", path], os.environ, typed)
        text = pathlib.Path(path).read_text() if status == 0 else ""
        check("did you mean 'llama3-8b'?" in out, f"new: a wrong name: {out[-600:]}")
        for line in ("devices = 512 ", 'hb_domain = "dgx-h100" ', 'name = "llama3-8b" ', "tokens = 2000000000000 ",
                     "# batch_tokens = ", 'topology = "rail_only" '):
            check(line in text, f"new: {line!r} is missing")
        check(piped(["plan", path]).returncode == 0, "new: plan takes what it wrote")


def check_manual():
    with tempfile.TemporaryDirectory() as folder:
        check(piped(["manual", "--into", folder]).returncode == 0, "manual --into")
        pages = sorted(pathlib.Path(folder).glob("*.1"))
        verbs = {row["verb"].split()[0] for row in csv.DictReader(io.StringIO(piped(["help", "--csv"]).stdout))}
        check({p.name for p in pages} == {"trainyard.1"} | {f"trainyard-{v}.1" for v in verbs}, "a page for each verb")
        if not shutil.which("groff"):
            return
        for page in pages:
            ran = subprocess.run(["groff", "-ww", "-b", "-man", "-Tutf8", str(page)], capture_output=True, text=True)
            check(ran.returncode == 0 and not ran.stderr, f"{page.name}: {ran.stderr[:300]}")
        plan = COLOUR.sub("", subprocess.run(["groff", "-man", "-Tutf8", "-P-c", f"{folder}/trainyard-plan.1"],
                                             capture_output=True, text=True).stdout)
        plan = re.sub(r".\x08", "", plan)
        check("--report FILE" in plan and "trainyard plan llama3-405b" in plan, "what trainyard-plan(1) says")


def main():
    first = piped([])
    check(first.returncode == 0 and "16,384 H100" in first.stdout, "the program alone teaches")
    check(first.stdout.index("16,384 H100") < first.stdout.index("100 trillion"), "a cluster that people have comes first")
    check(len(first.stdout.splitlines()) <= 40, "the first page is one screen")
    for part in (check_widths, check_refusals, check_files_stay, check_colours, check_bash, check_other_shells, check_new, check_manual):
        part()
    print("\n".join(failures[:40]))
    print(f"terminal: {len(failures)} complaints")
    return 1 if failures else 0


sys.exit(main())
