"""Answers of the program as lines `key: value` that a person can read and that are compared number by number."""
import json
import math
import re
import zlib

DIGITS = 7            # of a stored number
RELATIVE = 1e-6       # by which compilers and their libraries may differ
ABSOLUTE = 1e-13      # what is left of differences of equals
RELATIVE_IN_TEXT = 2e-3  # texts round
WHOLE_LISTS = 4       # longer lists of numbers and texts are stored as count, sum, first and last
WHOLE_TABLES = 3      # the same of records
LONGEST_TEXT = 240
OF_THE_MACHINE = re.compile(r"(^|\.)(cpu_s|wall_s|peak_rss_bytes|ns_per_hop|hops_per_s\w*|events_per_s\w*)$")
LEFT_OUT = {"provenance", "settings"}  # versions, hashes and words of what is asked: no answer
CHECKSUM = re.compile(r"\bx[0-9a-f]{8}\b")
NUMBER = re.compile(r"-?\d+(?:[',]\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")


def number(value):
    text = str(value) if isinstance(value, int) else f"{value:.{DIGITS}g}"
    return text if isinstance(value, int) or not text.lstrip("-").isdigit() else text + ".0"


def scalar(value):
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return number(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} ... x{zlib.crc32(text.encode()):08x}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def reduced(values):
    """A long list in few words. The turned sum tells orders apart."""
    numbers = [v for v in values if is_number(v)]
    if len(numbers) == len(values):
        turned = sum((i + 1) / len(values) * v for i, v in enumerate(values))
        total = sum(values) if all(isinstance(v, int) for v in values) else math.fsum(values)
        words = [len(values), total, turned, values[0], values[-1]]
        return "{} numbers: sum {}, turned {}, from {} to {}".format(*map(number, words))
    if numbers:  # beside words and gaps, whose places a checksum knows
        rest = [None if is_number(v) else v for v in values]
        gaps = zlib.crc32(json.dumps([is_number(v) for v in values] + rest).encode())
        return f"{len(values) - len(numbers)} others x{gaps:08x}; " + reduced(numbers)
    text = json.dumps(values)
    return f"{len(values)} values: x{zlib.crc32(text.encode()):08x}, from {scalar(values[0])} to {scalar(values[-1])}"


def flat(value, path=""):
    """Pairs of a key and a scalar or list of scalars."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not (path == "" and key in LEFT_OUT):
                yield from flat(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value):
        if len(value) <= WHOLE_TABLES:
            for i, inner in enumerate(value):
                yield from flat(inner, f"{path}[{i}]")
            return
        columns = {}
        for inner in value:
            for key, one in flat(inner, f"{path}[*]"):
                columns.setdefault(key, []).extend(one if isinstance(one, list) else [one])
        yield f"{path}.count", len(value)
        yield from columns.items()
    else:
        yield path, value


def lines_of(answer):
    """key -> text."""
    out = {}
    for key, value in flat(answer if isinstance(answer, dict) else {"answer": answer}):
        key = key.replace(": ", " - ")  # ends a key in the file
        if OF_THE_MACHINE.search(key):
            continue
        if isinstance(value, list) and len(value) > WHOLE_LISTS:
            out[key] = reduced(value)
        elif isinstance(value, list):
            out[key] = "[" + ", ".join(map(scalar, value)) + "]"
        else:
            out[key] = scalar(value)
    return out


def answer_of(status, out, err):
    """What a run said, its warnings included."""
    lines = {"status": str(status)}
    lines.update({f"stderr[{i}]": line for i, line in enumerate(err.splitlines())})
    try:
        lines.update(lines_of(json.loads(out)))
    except ValueError:
        lines.update({f"stdout[{i}]": line for i, line in enumerate(out.splitlines())})
    return lines


def same(stored, seen):
    """Whether two texts say the same: equal words, and numbers as near as compilers bring them."""
    if stored == seen:
        return True
    if stored is None or seen is None or NUMBER.sub("#", stored) != NUMBER.sub("#", seen):
        return False
    if CHECKSUM.findall(stored) != CHECKSUM.findall(seen):
        return False
    stored, seen = CHECKSUM.sub("", stored), CHECKSUM.sub("", seen)
    is_text = '"' in stored or not NUMBER.fullmatch(stored) and "numbers: sum " not in stored and not stored.startswith("[")
    relative = RELATIVE_IN_TEXT if is_text else RELATIVE
    for one, other in zip(NUMBER.findall(stored), NUMBER.findall(seen)):
        a, b = (float(re.sub("[',]", "", text)) for text in (one, other))
        whole = one.lstrip("-").isdigit() and other.lstrip("-").isdigit()
        if a != b and (whole or abs(a - b) > max(relative * max(abs(a), abs(b)), ABSOLUTE)):
            return False
    return True


def changes(base, lines):
    """What an answer has beside the base's: key -> text; None where the base's key is missing."""
    out = {key: text for key, text in lines.items() if not same(base.get(key), text)}
    out.update({key: None for key in base if key not in lines})
    return out


def written_lines(changed):
    """A line that begins with a dot is of the same part as the one before."""
    part = None
    for key, text in changed.items():
        above, dot, last = key.rpartition(".")
        shown = f".{last}" if dot and above == part else key
        part = above if dot else None
        yield f"{shown}: {text}\n" if text is not None else f"- {shown}\n"


def read_lines(lines):
    out, part = {}, None
    for line in lines:
        key, found, text = (line[2:], "", "") if line.startswith("- ") else line.partition(": ")
        if key.startswith("."):
            key = part + key
        part = key.rpartition(".")[0]
        out[key] = text if found else None
    return out


def with_changes(base, changed):
    out = {**base, **changed}
    return {key: text for key, text in out.items() if text is not None}


def differences(stored, seen):
    """(key, stored, seen) of each key that is not the same."""
    keys = list(stored) + [key for key in seen if key not in stored]
    return [(key, stored.get(key), seen.get(key)) for key in keys if not same(stored.get(key), seen.get(key))]


def self_test():
    assert lines_of({"provenance": 1, "a": {"b": 1.5, "c": None, "d": 2}}) == {"a.b": "1.5", "a.c": "null", "a.d": "2"}
    assert lines_of([1]) == {"answer": "[1]"}
    assert lines_of({"a": [1, 2, 3, 4, 5]}) == {"a": "5 numbers: sum 15, turned 11.0, from 1 to 5"}
    assert lines_of({"a": [{"b": 1}, {"b": 2}]}) == {"a[0].b": "1", "a[1].b": "2"}
    assert lines_of({"a": [{"b": float(i)} for i in range(5)]})["a[*].b"].startswith("5 numbers: sum 10.0")
    assert same("1.2345678", "1.2345679") and not same("1.23456", "1.23457")
    assert not same("1000001", "1000002") and not same("a 5 s", "b 5 s") and same('"5.001 s"', '"5.002 s"')
    assert not same("1.0", None) and same("1e-15", "0.0") and not same("true", "false")
    base, lines = {"a": "1", "b": "2"}, {"a": "1", "c": "3"}
    assert with_changes(base, changes(base, lines)) == lines
    changed = {"a.b": "1: 2", "a.c": None, "d": "3"}
    assert read_lines(line[:-1] for line in written_lines(changed)) == changed
    assert differences({"a": "1"}, {"a": "2", "b": "3"}) == [("a", "1", "2"), ("b", None, "3")]
