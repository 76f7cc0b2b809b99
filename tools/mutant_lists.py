"""What tools/mutants found: a table of all changes that were judged, kept from run to run, and a page of it."""
import csv

import mutant_sites

FIELDS = ["file", "line", "column", "original", "new", "outcome", "by", "seconds", "source"]
COUNTED = ("caught", "survived")


def key(row):
    """Of a row or of its mutant's row: a change is judged once, for as long as its line stays where it is."""
    return row["file"], int(row["line"]), int(row["column"]), row["original"], row["new"], row["source"]


def row_of(mutant, outcome="", by="", seconds=0.0):
    return {"file": mutant.file, "line": mutant.line, "column": mutant.column, "original": mutant.original,
            "new": mutant.new, "outcome": outcome, "by": by, "seconds": seconds, "source": mutant.source}


def read(path):
    """The rows of mutants.csv, the earliest first; none if there is no such file."""
    if not path.is_file():
        return []
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def place(root, row):
    """The mutant that a row speaks of, wherever its line has moved to in the file; None if the line is gone."""
    source = root / row["file"]
    found = mutant_sites.mutants_of(row["file"], source.read_text()) if source.is_file() else []
    same = [m for m in found if (m.source, m.original, m.new) == (row["source"], row["original"], row["new"])]
    return min(same, key=lambda m: (abs(m.line - int(row["line"])), abs(m.column - int(row["column"]))), default=None)


def survivors(root, rows):
    """Those that no test noticed, where the sources still have them."""
    return [m for row in rows if row["outcome"] == "survived" and (m := place(root, row))]


def merged(rows, row):
    """The table with a row more, which replaces an older one of the same change."""
    return [r for r in rows if key(r) != key(row)] + [row]


def counted(rows):
    return tuple(sum(r["outcome"] == outcome for r in rows) for outcome in COUNTED)


def summary(rows):
    caught, survived = counted(rows)
    judged = caught + survived
    share = f"{100 * caught / judged:.0f}%" if judged else "none"
    return f"{caught} of {judged} changes are noticed ({share}); {len(rows) - judged} do not count"


def write(folder, rows):
    """mutants.csv and mutants.md; a run that is ended in between leaves one of them whole."""
    table = folder / "mutants.csv"
    new = folder / "mutants.csv.new"
    with new.open("w", newline="") as out:
        writer = csv.DictWriter(out, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    new.replace(table)
    lines = ["# Changes to the program, and which test notices", "", summary(rows) + ".", "",
             "| place | change | outcome | line |", "| --- | --- | --- | --- |"]
    for r in sorted(rows, key=lambda r: (r["outcome"] != "survived", r["file"], int(r["line"]))):
        cells = [f"{r['file']}:{r['line']}", f"`{r['original']}` to `{r['new']}`",
                 r["outcome"] + (f" by {r['by']}" if r["by"] else ""), f"`{r['source']}`"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    (folder / "mutants.md").write_text("\n".join(lines) + "\n")
