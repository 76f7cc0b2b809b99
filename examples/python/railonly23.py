#!/usr/bin/env python3
"""Every figure of "Optimized Network Architectures for LLM Training with Billions of Parameters" (2023, rail-only
networks), from what trainyard computes.

    python3 examples/python/railonly23.py FOLDER       writes fig1.png to fig8.png
"""
import sys

import matplotlib.colors
import matplotlib.pyplot as plt
import numpy
import trainyard
from pictures import COLOURS, column, draw_network, log_ticks, rank_of, save, small_cluster, style

MODELS = {"GPT-3": "railonly23-gpt3", "OPT3-175B": "railonly23-opt", "PaLM-540B": "railonly23-palm"}
SHORT = {"model parallelism": "model parallel", "gradients, second stage": "gradients inside domains",
         "gradients, first stage": "gradients across domains"}  # fmt: skip


def network(title, colour, **design):
    figure, axes = plt.subplots(figsize=(8, 2.8))
    draw_network(axes, trainyard.cables(small_cluster(**design)), 8, colour, title)
    return figure


def by_rail(a, b):
    return COLOURS[rank_of(a)] if a.startswith("host") else "#AAAAAA"


def fig1():
    """A cluster of servers on a Clos network."""
    return network("Fig. 1: a Clos network of 32 servers", lambda a, b: COLOURS[0], topology="fat_tree")


def fig2():
    """Rails with spines above them."""
    return network("Fig. 2: rail-optimized, any to any", by_rail, topology="rail_optimized")


def fig3():
    """How many pairs talk, and how much, by kind of traffic."""
    traffic = trainyard.traffic("railonly23-gpt3", rail=True)
    names = [SHORT[c["name"]] for c in traffic["classes"]]
    figure, (pairs, volume) = plt.subplots(1, 2, figsize=(8.5, 2.8))
    shares = [100 * c["pair_share"] for c in traffic["classes"]] + [100 * traffic["silent_pair_share"]]
    bars = pairs.barh([*names, "no traffic"], shares, color=[*COLOURS[:3], "#BBBBBB"])
    pairs.bar_label(bars, [f"{share:.3g}%" for share in shares], padding=3, fontsize=8)
    pairs.set(xscale="log", xlabel="pairs of GPUs, %", xlim=(0.01, 1000), title="Fig. 3a: who talks")
    shares = [100 * c["volume_share"] for c in traffic["classes"]]
    bars = volume.barh(names, shares, color=COLOURS[:3])
    volume.bar_label(bars, [f"{share:.3g}%" for share in shares], padding=3, fontsize=8)
    volume.set(xlabel="bytes, %", xlim=(0, 80), title="Fig. 3b: how much")
    for axes in (pairs, volume):
        axes.invert_yaxis()
    figure.tight_layout()
    return figure


def fig4():
    """Heat maps of the traffic in one HB domain, and of four."""
    figure, panels = plt.subplots(2, 2, figsize=(8.5, 7.5), layout="constrained")
    cases = [("GPT-3", 256), ("OPT3-175B", 256), ("GPT-3", 1024), ("OPT3-175B", 1024)]
    for axes, letter, (model, count) in zip(panels.flat, "abcd", cases):
        matrix = trainyard.traffic_matrix(MODELS[model], rail=True, count=count)
        shown = numpy.where(matrix > 0, matrix, numpy.nan)
        # Lines one device wide are lost when a picture has fewer dots: the most of each block is shown.
        block = count // 256
        shown = numpy.nanmax(
            numpy.nan_to_num(shown).reshape(256, block, 256, block).swapaxes(1, 2).reshape(256, 256, -1), axis=2
        )
        scale = matplotlib.colors.LogNorm(1e6, 1e11)
        image = axes.imshow(numpy.where(shown > 0, shown, numpy.nan), norm=scale, cmap="viridis_r",
                            extent=(0, count, count, 0), interpolation="nearest")  # fmt: skip
        domains = "one HB domain" if count == 256 else "four HB domains"
        axes.set(title=f"Fig. 4{letter}: {model}, {domains}", xlabel="to GPU", ylabel="from GPU")
        axes.grid(False)
        axes.set_xticks(range(0, count + 1, count // 4))
        axes.set_yticks(range(0, count + 1, count // 4))
    figure.colorbar(image, ax=panels, label="bytes an iteration", shrink=0.6)
    return figure


def fig5():
    """Iteration times beside the same GPUs on one network of the HB domain's rate."""
    figure, axes = plt.subplots(figsize=(6, 3.2))
    rails = [trainyard.rail(name)["rail"] for name in MODELS.values()]
    kinds = [
        ("any to any, 400 Gbps", "total_s"),
        ("any to any, trimmed, 400 Gbps", "total_s"),  # no link that is left out carries anything
        ("any to any, 7.68 Tbps", "ideal_s"),
    ]
    for number, (label, key) in enumerate(kinds):
        places = numpy.arange(len(rails)) + 0.27 * (number - 1)
        bars = axes.bar(places, [rail[key] for rail in rails], 0.25, label=label, color=COLOURS[number])
        axes.bar_label(bars, [f"{rail[key]:.3g}" for rail in rails], fontsize=7)
    axes.set_xticks(range(len(rails)), MODELS)
    axes.set(ylabel="iteration, s", title="Fig. 5: computed iteration time")
    axes.legend()
    return figure


def fig6():
    """Rails alone."""
    return network("Fig. 6: rail-only", by_rail, topology="rail_only", radix=4)


def fig7():
    """Iteration time over the size of an HB domain."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4))
    for axes, letter, model in zip(panels, "ab", ("GPT-3", "OPT3-175B")):
        frame = trainyard.rail(MODELS[model]).to_frame("by_domain")
        for number, (gpus, points) in enumerate(frame.groupby("gpus")):
            axes.plot(points["domain"], points["iteration_s"], label=f"{gpus:,.0f} GPUs", **style(number))
            axes.axhline(points["ideal_s"].iloc[0], color=COLOURS[number], linestyle=":", linewidth=1)
        axes.set(xscale="log", xlabel="GPUs of an HB domain", ylabel="iteration, s", ylim=(0, None))
        sizes = sorted(set(frame["domain"]))
        log_ticks(axes.xaxis, sizes, [f"{size:g}" for size in sizes])
        axes.set_title(f"Fig. 7{letter}: {model} (dotted: any to any, 7.68 Tbps)", fontsize=9)
        axes.legend()
    figure.tight_layout()
    return figure


def fig8():
    """Iteration time and performance relative to the ideal over the batch of PaLM-540B."""
    figure, (times, relative) = plt.subplots(1, 2, figsize=(9, 3.4))
    points = trainyard.rail(MODELS["PaLM-540B"])["by_batch"]
    for number, domain in enumerate(sorted({point["domain"] for point in points})):
        own = [point for point in points if point["domain"] == domain]
        batch = column(own, "batch_tokens") / 2048  # sequences
        times.plot(batch, column(own, "iteration_s"), label=f"K = {domain:g}", **style(number))
        relative.plot(batch, 100 * column(own, "relative_performance"), label=f"K = {domain:g}", **style(number))
    times.plot(batch, column(own, "ideal_s"), label="any to any, 7.68 Tbps", color="#000000", linestyle=":")
    times.set(xlabel="batch, sequences", ylabel="iteration, s", ylim=(0, None), title="Fig. 8a: PaLM-540B")
    relative.set(xlabel="batch, sequences", ylabel="performance of the ideal's, %", ylim=(50, 100))
    relative.set_title("Fig. 8b: relative performance")
    for axes in (times, relative):
        axes.legend()
    figure.tight_layout()
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for draw in (fig1, fig2, fig3, fig4, fig5, fig6, fig7, fig8):
        save(draw(), sys.argv[1], draw.__name__)
