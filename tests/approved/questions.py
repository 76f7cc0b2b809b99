"""Questions of the approval tests: which settings and flags of a verb are combined, and how cases are chosen of them.

A file of questions/ says what is asked (`ask`, a list of command lines), over which files (`[files]`), and which values
each setting or flag may have (`[values]`). `[when]` names settings that only matter beside a value of another one,
`[elements]` the tables of sections that stand several times: the last is the one that settings change.
"""
import itertools
import json
import random
import re
import shlex
import tomllib

CANDIDATES = 8   # of which the one with most new pairs is taken
TRIES = 16       # to make a question that is refused one that is answered


def toml(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


class Group:
    """A file of questions."""

    def __init__(self, path):
        self.name = path.stem
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        unknown = set(read) - {"ask", "cases", "share", "seconds", "files", "copies", "values", "when", "elements", "answers", "writes"}
        if unknown:
            raise SystemExit(f"approved: {path}: unknown {', '.join(sorted(unknown))}")
        self.ask = [shlex.split(line) for line in read["ask"]]
        self.cases = read.get("cases", 40)      # of each command line
        self.share = read.get("share", 0.4)     # of the settings that a case changes
        self.seconds = read.get("seconds", 0.3)  # most that a case may take
        self.files = read.get("files", {})
        self.copies = read.get("copies", [])    # folders and files of the repository that are read
        self.values = read.get("values", {})
        self.when = read.get("when", {})
        self.elements = read.get("elements", {})
        self.answers = set(read.get("answers", [0]))  # statuses that a case may have
        self.writes = read.get("writes", False)  # cases write what others write: one after the other

    def words(self, ask, chosen):
        """The command line of chosen values: {key: value}."""
        words, elements = list(ask), {}
        for key, value in chosen.items():
            section, _, name = key.partition(".")
            if key.startswith("--"):
                words += [key] if value is True else [key, str(value)]
            elif section in self.elements:
                elements.setdefault(section, {})[name] = value
            else:
                words += ["--set", f"{key}={toml(value)}"]
        for section, changed in elements.items():
            *others, last = self.elements[section]
            words += ["--set", f"{section}={toml([*others, {**last, **changed}])}"]
        return words

    def applies(self, key, chosen):
        """Whether a setting matters beside those that are chosen."""
        for pattern, needed in self.when.items():
            if re.fullmatch(pattern, key):
                other, _, value = needed.partition("=")
                return str(chosen.get(other)) in value.split("|")
        return True

    def candidate(self, draw, seeded):
        """A random choice with the pairs of `seeded` in it."""
        chosen = dict(seeded)
        for key in seeded:  # what makes them matter
            for pattern, needed in self.when.items():
                if re.fullmatch(pattern, key):
                    other, _, value = needed.partition("=")
                    if str(chosen.get(other)) not in value.split("|"):
                        chosen[other] = draw.choice([v for v in self.values[other] if str(v) in value.split("|")])
        keys = [k for k in self.values if k not in chosen]
        draw.shuffle(keys)
        keys.sort(key=lambda key: any(re.fullmatch(p, key) for p in self.when))  # what others depend on first
        for key in keys:
            depends = any(re.fullmatch(p, key) for p in self.when)
            if self.applies(key, chosen) and draw.random() < (0.7 if depends else self.share):
                chosen[key] = draw.choice(self.values[key])
        return {key: chosen[key] for key in self.values if key in chosen and self.applies(key, chosen)}

    def present(self, words):
        """The values that a command line has: {(key, text)}."""
        out, last = set(), {s: "" for s in self.elements}
        for word in words:
            section, _, text = word.partition("=")
            if section in last:
                last[section] = text[text.rfind("{"):]
        for key, values in self.values.items():
            section, _, name = key.partition(".")
            for value in values:
                if key.startswith("--"):
                    there = key in words and (value is True or words[words.index(key) + 1] == str(value))
                elif section in self.elements:
                    there = any(f"{before}{name} = {toml(value)}{after}" in last[section] for before in "{ " for after in ",}")
                else:
                    there = f"{key}={toml(value)}" in words
                if there:
                    out.add((key, toml(value)))
        return out

    def designed(self, stored, answered):
        """Command lines beyond those stored, such that all values stand in one and meet each other in pairs; `answered`
        says of a question whether the program answers it, and what it said."""
        out = []
        wanted = {(k, toml(v)) for k, vs in self.values.items() for v in vs}
        for ask in self.ask:
            draw = random.Random(f"{self.name} {shlex.join(ask)}")
            mine = [words for words in stored if words[: len(ask)] == ask]
            if ask not in mine:
                mine.append(ask)
                out.append(ask)
            met = set().union(*(pairs_of(self.present(words)) for words in mine))
            alone = wanted - set().union(*(self.present(words) for words in mine))
            tries = 0
            while wanted and (len(mine) < self.cases or alone) and tries < 3 * len(wanted) + 3 * self.cases:
                tries += 1
                seed = draw.choice(sorted(alone)) if alone else None
                best = max((self.candidate(draw, {seed[0]: self.value_of(seed)} if seed else {}) for _ in range(CANDIDATES)),
                           key=lambda chosen: len(pairs_of((k, toml(v)) for k, v in chosen.items()) - met))
                chosen = self.repaired(ask, best, seed and seed[0], draw, answered)
                words = self.words(ask, chosen) if chosen else ask
                new = self.present(words)
                if words in mine or (len(mine) >= self.cases and not new & alone):
                    continue
                mine.append(words)
                out.append(words)
                met |= pairs_of(new)
                alone -= new
        return out

    def value_of(self, pair):
        return next(v for v in self.values[pair[0]] if toml(v) == pair[1])

    def missing(self, stored):
        """Values that no command line has."""
        has = set().union(*(self.present(words) for words in stored)) if stored else set()
        return [(k, v) for k, vs in self.values.items() for v in vs if (k, toml(v)) not in has]

    def repaired(self, ask, chosen, kept, draw, answered):
        """The choice without what the program refuses, or None."""
        for _ in range(TRIES):
            fine, said = answered(self.words(ask, chosen), self)
            if fine:
                return chosen
            named = [k for k in chosen if k != kept and k in said] or [
                k for k in chosen if k != kept and re.search(rf"\b{re.escape(k.partition('.')[2])}\b", said)]
            rest = [k for k in chosen if k != kept]
            if not rest:
                return None
            gone = draw.choice(named) if named else None
            drop = {gone} if gone else set(draw.sample(rest, max(1, len(rest) // 4)))
            chosen = {k: v for k, v in chosen.items() if k not in drop}
            chosen = {k: v for k, v in chosen.items() if self.applies(k, chosen)}
        return None


def pairs_of(values):
    return {frozenset(pair) for pair in itertools.combinations(sorted(values), 2)}


def self_test():
    assert toml({"a": [1, "b"], "c": True}) == '{a = [1, "b"], c = true}'
