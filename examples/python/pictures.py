"""What the galleries share: a look, axes in words, drawings of networks from their cables."""
import pathlib

import matplotlib
import numpy

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Okabe and Ito's colours, which everybody can tell apart, and some more, so that no two lines of a figure have the same.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B", "#7B5BD6", "#A61E5B", "#44AA99", "#999933"]
MARKERS = "osD^vP*X<>hp"
DASHES = ["-", "--", ":"]

plt.rcParams.update({
    "figure.dpi": 120, "font.size": 9, "axes.grid": True, "grid.alpha": 0.3, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
})  # fmt: skip


def save(figure, folder, name):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", bbox_inches="tight")
    plt.close(figure)
    print(folder / f"{name}.png")


def style(number):
    """Lines that differ in colour and marker, and in dashes once the colours are used up."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": DASHES[number // len(COLOURS) % len(DASHES)],
        "markersize": 4,
    }


def log_ticks(axis, values, texts):
    """A logarithmic axis with a tick at each value."""
    axis.set_ticks(values, texts)
    axis.set_minor_locator(matplotlib.ticker.NullLocator())


def _tier(name):
    """Hosts below, switches next to them, what joins those above."""
    return 0 if name.startswith("host") else 2 if name.startswith(("spine", "core")) else 1


def _number(name):
    """Where a node stands in its row: by network, number and plane."""
    words = name.replace(",", "").split()
    order = {words[i]: int(words[i + 1]) for i in range(len(words) - 1) if words[i + 1].isdigit()}
    return (order.get("network", 0), order.get(words[0], 0), order.get("plane", 0))


def draw_network(axes, cables, domain, colour_of, title):
    """Hosts in HB domains of `domain`, switches above them, every cable in the colour of its host or switch."""
    nodes = sorted({*cables["from"].tolist(), *cables["to"].tolist()}, key=lambda n: (_tier(n), _number(n)))
    hosts = [n for n in nodes if _tier(n) == 0]
    gap = 1.5  # between HB domains
    place = {h: (i + gap * (i // domain), 0) for i, h in enumerate(hosts)}
    width = max(x for x, _ in place.values())
    for tier in (1, 2):
        row = [n for n in nodes if _tier(n) == tier]
        for i, node in enumerate(row):
            place[node] = ((i + 0.5) / len(row) * (width + 1) - 0.5, 1.6 * tier)
    for a, b in zip(cables["from"].tolist(), cables["to"].tolist()):
        (x, y), (u, v) = place[a], place[b]
        axes.plot([x, u], [y, v], color=colour_of(a, b), linewidth=0.7, alpha=0.75, zorder=1)
    for first in range(0, len(hosts), domain):
        left, right = place[hosts[first]][0], place[hosts[min(first + domain, len(hosts)) - 1]][0]
        axes.add_patch(plt.Rectangle((left - 0.7, -0.45), right - left + 1.4, 0.9, fill=True, facecolor="#EEEEEE",
                                     edgecolor="#999999", zorder=0))  # fmt: skip
        axes.text((left + right) / 2, -0.95, f"HB domain {first // domain + 1}", ha="center", fontsize=7)
    for node, (x, y) in place.items():
        square = _tier(node) > 0
        axes.plot(x, y, marker="s" if square else "o", markersize=8 if square else 4, color="#333333", zorder=2)
    axes.set_title(title)
    axes.set_xlim(-1.5, width + 1.5)
    axes.set_ylim(-1.3, max(y for _, y in place.values()) + 0.6)
    axes.axis("off")


def small_cluster(**design):
    """32 devices in HB domains of eight, with switches of eight ports or as many as the design says, to be drawn."""
    return {
        "facility": {"devices": 32, "hb_domain": "dgx-h100"},
        "model": {"name": "llama3-8b"},
        "mapping": {"tensor": 8, "pipeline": 1},
        "design": [{"name": "drawn", "rate": "400 Gbps", "radix": 8, **design}],
    }


def rank_of(host, domain=8):
    return int(host.split()[1]) % domain


def lines_of(axes, table, labels=None):
    """A line for each label of a table line, x, y."""
    for number, label in enumerate(labels or dict.fromkeys(table["line"].tolist())):
        rows = table["line"] == label
        axes.plot(table["x"][rows], table["y"][rows], label=label, **style(number))


def column(points, key):
    return numpy.array([numpy.nan if point[key] is None else point[key] for point in points])
