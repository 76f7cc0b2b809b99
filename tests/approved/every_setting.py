"""Whether every setting, enumerator, kind of the catalog and verb stands in an approved case, by the program's own lists."""
import json
import pathlib
import re
import subprocess
import tomllib

# Verbs that answer no question about a datacenter.
NO_ANSWERS = {"serve", "catalog", "describe", "schema", "scenarios", "example", "new", "completion", "manual", "help", "results"}
# Kinds of the catalog that a scenario names; others are parts of these.
KINDS = ["hb_domains", "models", "software", "failures", "circuit_switches", "switches", "prices"]
# What a list allows and every run refuses.
WITHOUT = {
    "long_haul.exchange=best": "packets know all_pairs, scatter and ring",
    "long_haul.exchange=tree": "the same",
    "long_haul.exchange=regions": "the same",
}
SHIPPED = pathlib.Path(__file__).resolve().parent.parent.parent / "scenarios"


def said(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def verbs_of(program):
    part = said(program, "--help").split("\nVerbs:\n")[1].split("\n\n")[0]
    return [m[1] for m in re.finditer(r"^  (\S+)", part, re.M)]


def leaves(value, path=""):
    """Pairs of a setting and its value, of a scenario."""
    if isinstance(value, dict) and value.keys() != {"search"}:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
            yield (f"{path}.{key}" if path else key), inner
    elif isinstance(value, list):
        for inner in value:
            yield path, inner
            yield from leaves(inner, path)
    else:
        yield path, value


def settings_of(words, files):
    """What a command line and its scenario say: {(setting, text of the value)}."""
    out = set()
    for word in words:
        shipped = SHIPPED / f"{word}.toml"
        text = files.get(word, "") if word.endswith(".toml") else shipped.read_text(encoding="utf-8") if shipped.is_file() else ""
        out |= {(key, text_of(value)) for key, value in leaves(tomllib.loads(text))}
    for flag, word in zip(words, words[1:]):
        if flag == "--set":
            key, _, value = word.partition("=")
            try:
                read = tomllib.loads(f"value = {value}")["value"]
            except tomllib.TOMLDecodeError:
                read = value
            out |= {(k, text_of(v)) for k, v in leaves({key: read})} | {(key, text_of(read))}
    return out


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value)


def choices_of(field):
    """The enumerators of a choice. Sentences behind them may hold semicolons, which no enumerator follows."""
    return re.findall(r"(?:^|; )([a-z0-9_]+): ", field["allowed"]) if field["type"].endswith("choice") else []


def complaints(program, groups):
    """Sentences, each of what no case has; `groups` are those of questions/ with their cases."""
    asked = [(words, settings_of(words, group.files)) for group, cases in groups for words, answer in cases
             if answer["status"] == "0"]
    stand = set().union(*(settings for _, settings in asked))
    keys = {key for key, _ in stand}
    every_value = {value for _, value in stand} | {word for words, _ in asked for word in words}
    out = []
    fields = json.loads(said(program, "describe", "--json"))
    defaults = {field["default"] for field in fields}
    for field in fields:
        key = field["key"]
        values = {value for name, value in stand if name == key} - {field["default"]}
        if key not in keys or not values:
            out.append(f"no case sets {key} to another value than its default: add it with values to [values] of a file of "
                       "tests/approved/questions whose verb reads it, then tests/approved/update")
        for choice in choices_of(field):
            if f"{key}={choice}" not in WITHOUT and choice not in values and choice not in re.findall(r"\w+", field["default"]):
                out.append(f"no case sets {key} to {choice}: add it to the values of {key} in tests/approved/questions, "
                           "then tests/approved/update")
    for kind in KINDS:
        for entry in said(program, "catalog", "list", kind, "--csv").splitlines()[1:]:
            name = entry.split(",")[0]
            if name not in every_value | defaults:
                out.append(f"no case has {name} of the catalog's {kind}: add it to a list of values in tests/approved/questions, "
                           "then tests/approved/update")
    for verb in verbs_of(program):
        if verb not in NO_ANSWERS and not any(words[0] == verb for words, _ in asked):
            out.append(f"no case asks `trainyard {verb}`: add a file to tests/approved/questions, or name the verb in NO_ANSWERS")
    return out


def self_test():
    files = {"a.toml": '[model]\nname = "x"\n[[design]]\nname = "d"\nplanes = 2\n'}
    found = settings_of(["plan", "a.toml", "--set", "mapping.tensor=4", "--set", 'tier=[{tier = 1, queue = 2}]'], files)
    assert {("model.name", "x"), ("design.planes", "2"), ("mapping.tensor", "4"), ("tier.queue", "2")} <= found
    assert choices_of({"type": "choice", "allowed": "a: one; b_c: two: three; or four"}) == ["a", "b_c"]
