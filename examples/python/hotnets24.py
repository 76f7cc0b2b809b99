#!/usr/bin/env python3
"""Every figure of "I've Got 99 Problems But FLOPS Ain't One" (HotNets '24), from what trainyard computes.

    python3 examples/python/hotnets24.py FOLDER       writes fig1.png to fig6.png
"""
import sys

import matplotlib.pyplot as plt
import trainyard
from pictures import COLOURS, column, draw_network, lines_of, log_ticks, rank_of, save, small_cluster, style

DAY = 86400
LAWS = {
    "kaplan": "Kaplan et al. 2020",
    "hoffmann1": "Hoffmann et al. 2022, approach 1",
    "hoffmann2": "approach 2 (the paper's)",
    "hoffmann3": "approach 3",
}


def fig1():
    """Loss-optimal sizes of models over the time that they train."""
    figure, axes = plt.subplots(figsize=(5, 3.4))
    for number, curve in enumerate(trainyard.scaling("hotnets24-dense")["curves"]):
        days = column(curve["points"], "duration_s") / DAY
        axes.plot(days, column(curve["points"], "parameters"), label=LAWS[curve["law"]], **style(number))
    axes.set(xscale="log", yscale="log", xlabel="training time, days", ylabel="parameters")
    axes.set_title("Fig. 1: loss-optimal model sizes")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def fig2():
    """One layer on one device, forward and backward, to scale: what is hidden and what is exposed."""
    plan = trainyard.plan("hotnets24-dense")
    step, wires = plan["step"], plan["communication"]
    lanes, hidden, exposed = ["compute", "scale-up: tensor", "scale-out: pipeline"], COLOURS[2], COLOURS[1]
    forward, tensor, hop = step["forward_s"], wires["tensor_forward_s"], wires["pipeline_transfer_s"]
    backward_from = forward + tensor + hop
    backward_to = backward_from + step["backward_s"]
    bars = [  # lane, from, length, colour
        (0, 0, forward, COLOURS[0]),
        (1, forward, tensor, exposed),
        (2, forward + tensor, hop, exposed),
        (0, backward_from, step["backward_s"], COLOURS[0]),
        (1, backward_to, wires["tensor_backward_s"], exposed),
        (2, backward_to + wires["tensor_backward_s"], hop, exposed),
    ]
    exchange = next(e for e in plan["gradient_exchanges"] if e["in_force"])
    for number, stage in enumerate(exchange["stages"], 1):
        lanes.append(f"gradients {number}: {stage['network'].replace('_', '-')}")
        start = backward_from + 0.02 * number * step["backward_s"]  # the stages are pipelined in small pieces
        bars.append((len(lanes) - 1, start, stage["time_s"], hidden))
    figure, axes = plt.subplots(figsize=(8, 3))
    for lane, start, length, colour in bars:
        axes.barh(lane, 1e3 * length, left=1e3 * start, color=colour, height=0.6)
        inside = lane == 0
        axes.text(1e3 * (start + length) + (-2 if inside else 2), lane, f"{1e3 * length:.3g}", va="center", fontsize=7,
                  ha="right" if inside else "left", color="white" if inside else "black")  # fmt: skip
    axes.set_yticks(range(len(lanes)), lanes)
    axes.invert_yaxis()
    axes.set(xlabel="ms", title="Fig. 2: forward and backward pass of a layer, and what its device sends")
    for colour, label in ((COLOURS[0], "computing"), (exposed, "exposed"), (hidden, "hidden")):
        axes.barh(0, 0, color=colour, label=label)
    axes.legend(loc="lower left")
    return figure


def fig3():
    """Exposed communication over the rates of the three networks."""
    sweeps = trainyard.sweep("hotnets24-dense")["sweeps"]
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.2), sharey=True)
    for axes, sweep in zip(panels, sweeps):
        for number, series in enumerate(sweep["series"]):
            points = series["points"]
            axes.plot(column(points, "x") / 1e9, 100 * column(points, "y"), label=series["label"], **style(number))
        rates = column(sweep["series"][0]["points"], "x") / 1e9
        axes.set_xscale("log")
        log_ticks(axes.xaxis, rates, [f"{rate:g}" for rate in rates])
        axes.tick_params(axis="x", labelrotation=60)
        axes.set(xlabel="Gbps for each GPU", title=sweep["title"].replace(" for each GPU", ""), ylim=(0, 100))
        axes.title.set_fontsize(8)
        axes.legend(fontsize=7)
    panels[0].set_ylabel("exposed communication, %")
    return figure


def fig4():
    """Rails and planes: who is joined to what, drawn from the cables of small networks."""
    cases = [
        ("Fat tree: a rack's GPUs share switches", {"topology": "fat_tree"}, lambda host: COLOURS[0]),
        ("Multi-rail: a network for each rank", {"topology": "rail_only", "radix": 4},
         lambda host: COLOURS[rank_of(host)]),
        ("Multi-rail, multi-plane: two for each rank", {"topology": "rail_only", "radix": 4, "planes": 2},
         lambda host: COLOURS[rank_of(host)]),
    ]  # fmt: skip
    figure, panels = plt.subplots(3, 1, figsize=(8, 7.5))
    for axes, (title, design, colour) in zip(panels, cases):
        cables = trainyard.cables(small_cluster(**design))
        draw_network(axes, cables, 8, lambda a, b: colour(a) if a.startswith("host") else "#999999", title)
    figure.suptitle("Fig. 4: topologies for AI and ML, of 32 GPUs", fontsize=10)
    return figure


def fig5():
    """Completion times of the pipeline's transfers, by transport."""
    figure, axes = plt.subplots(figsize=(6.5, 3.8))
    table = trainyard.figure("fig5")
    lines_of(axes, {**table, "x": 1e3 * table["x"], "y": 100 * table["y"]})
    axes.set(xlabel="completion time, ms", ylabel="flows, %", ylim=(0, 100))
    axes.set_title("Fig. 5: FCT of pipeline parallelism")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def fig6():
    """The last of 2 MB flows over the share of nodes that take part."""
    figure, axes = plt.subplots(figsize=(6.5, 3.6))
    table = trainyard.figure("fig6")
    lines_of(axes, {**table, "x": 100 * table["x"], "y": 1e6 * table["y"]})
    axes.set(xlabel="active nodes, %", ylabel="longest completion time, us", ylim=(0, None))
    axes.set_title("Fig. 6: FCT of 2 MB flows over load")
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for draw in (fig1, fig2, fig3, fig4, fig5, fig6):
        save(draw(), sys.argv[1], draw.__name__)
