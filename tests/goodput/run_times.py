#!/usr/bin/env python3
"""Days to the target beside a simulator that shares no line with the program's.

    run_times.py PROGRAM

Servers fail, `crews` repair them, racks lose their power, and a job that lacks a server waits: runs lie far apart, so
that the time after which the mean run has done the work is not the mean time of the runs.
"""
import heapq
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

SERVERS = 128
RECOVERY_S = 360.0
DAY_S = 86400.0
RACK = 16  # servers
RACK_REPAIR_DAYS = 0.5
SCENARIO = """title = "servers that fail"
[facility]
devices = {devices}
hb_domain = "dgx-h100"
[model]
name = "llama3-8b"
[training]
tokens = {tokens}
[catalog.failures.servers]
based_on = "default"
source = "a test"
{none}
host = {per_year}
hang_share = 0
detection = "60 s"
restart = "300 s"
hot_swap = "0 s"
manual_share = 0
repair = "1 day"
facility_repair = "12 h"
rack_power = {rack_per_year}
[resilience]
failures = "servers"
rack_hosts = {rack}
spares = {spares}
crews = {crews}
shrink = false
write_time = "0 s"
runs = 1000
"""
NONE = ["gpu", "memory", "nic", "transceiver", "cable", "switch_chip", "plane", "power_feed", "cooling",
        "site", "software", "silent", "straggler", "planned"]


def answer(program, per_day, crews, spares, days, racks_per_day=0):
    def asked(tokens):
        text = SCENARIO.format(devices=8 * SERVERS, tokens=tokens, none="\n".join(f"{cause} = 0" for cause in NONE),
                               per_year=per_day * 365 / SERVERS, spares=spares, crews=crews, rack=RACK,
                               rack_per_year=racks_per_day * 365 / (SERVERS / RACK))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "servers.toml"
            path.write_text(text)
            ran = subprocess.run([program, "goodput", path, "--json"], capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr + ran.stdout
        return json.loads(ran.stdout)
    tokens = 1e12
    return asked(tokens * days / asked(tokens)["ideal_days"])


def run_days(dice, per_day, crews, spares, work, longest, racks_per_day=0):
    """One run, event by event, in days; infinite beyond the longest."""
    now = done = recovered = 0.0
    gone = racks = 0
    under_repair = []
    racks_back = []
    next_rack = lambda: now + dice.expovariate(racks_per_day) if racks_per_day else math.inf
    failure = dice.expovariate(per_day)
    rack_failure = next_rack()
    while now < longest:
        until = min(failure, rack_failure, *under_repair[:1], *racks_back[:1])
        if gone + RACK * racks <= spares and until > max(now, recovered):
            begins = max(now, recovered)
            if done + until - begins >= work:
                return begins + work - done
            done += until - begins
        now = until
        if until in racks_back[:1]:
            heapq.heappop(racks_back)
            racks -= 1
        elif until in under_repair[:1]:
            heapq.heappop(under_repair)
            gone -= 1
        elif until == rack_failure:
            racks += 1
            heapq.heappush(racks_back, now + dice.expovariate(1 / RACK_REPAIR_DAYS))
            recovered = max(recovered, now + RECOVERY_S / DAY_S)
            rack_failure = next_rack()
        else:
            gone += 1
            recovered = max(recovered, now + RECOVERY_S / DAY_S)
            failure = now + dice.expovariate(per_day)
        while len(under_repair) < min(crews or gone, gone):
            heapq.heappush(under_repair, now + dice.expovariate(1))
    return math.inf


class Runs:
    def __init__(self, dice, per_day, crews, spares, work, longest, racks_per_day=0, count=1500):
        times = sorted(run_days(dice, per_day, crews, spares, work, longest, racks_per_day) for _ in range(count))
        ends = [time for time in times if time < math.inf]
        self.ended = len(ends) / count
        self.median = times[count // 2]
        self.mean = statistics.fmean(ends)
        self.deviation = statistics.stdev(ends)
        self.error = self.deviation / math.sqrt(len(ends))
        fourth = statistics.fmean((time - self.mean) ** 4 for time in ends) / self.deviation ** 4
        self.error_of_deviation = self.deviation * math.sqrt((fourth - 1) / 4 / len(ends))


def expect_near(what, value, expected, within):
    assert abs(value - expected) <= within, f"{what}: {value}, not {expected} +- {within}"


def check_all_end(program, per_day, crews, spares, days, racks_per_day=0):
    """The closed form is the mean of the runs, to four standard errors."""
    got = answer(program, per_day, crews, spares, days, racks_per_day)
    own = Runs(random.Random(1), per_day, crews, spares, got["ideal_days"], 100 * days, racks_per_day)
    name = f"{per_day} failures and {racks_per_day} of racks a day, {crews} crews, {spares} spares"
    assert own.ended == 1, name
    expect_near(name + ": closed form", got["days"]["closed_form"], own.mean, 4 * own.error + 0.003 * own.mean)
    # Failures scatter the runs by some percent more than what they wait for servers does.
    expect_near(name + ": deviation", got["days"]["closed_form_deviation"], own.deviation,
                4 * own.error_of_deviation + 0.05 * own.deviation)
    own_error = math.hypot(own.error, got["days"]["standard_error"])
    expect_near(name + ": simulated", got["days"]["mean"], own.mean, 4 * own_error + 0.003 * own.mean)
    expect_near(name + ": median", got["days"]["median"], own.median, 6 * own_error + 0.003 * own.median)
    print(f"{name}: closed form {got['days']['closed_form']:.2f}, of the mean work "
          f"{got['days']['of_mean_work']:.2f}, simulated {got['days']['mean']:.2f}, own {own.mean:.2f} +- {own.error:.2f}; deviation {got['days']['closed_form_deviation']:.2f}, own {own.deviation:.2f}")
    return got["days"]["closed_form"] / got["days"]["of_mean_work"]


def check_some_never_end(program, per_day, crews, spares, days):
    got = answer(program, per_day, crews, spares, days)
    own = Runs(random.Random(2), per_day, crews, spares, got["ideal_days"], 10 * got["days"]["of_mean_work"])
    name = f"{per_day} failures a day, {crews} crews, {spares} spares"
    spread = math.sqrt(own.ended * (1 - own.ended))
    within = 4 * spread * math.sqrt(1 / 1500 + 1 / got["days"]["runs"])
    expect_near(name + ": runs that end", got["days"]["ended_share"], own.ended, within)
    assert got["days"]["mean"] is None and got["days"]["closed_form"] is None, name
    assert "never end" in got["days"]["note"], name
    if own.ended > 0.55:
        expect_near(name + ": median", got["days"]["median"], own.median, 0.05 * own.median)
        assert got["usd"] > got["ideal_usd"], name
    if own.ended < 0.45:
        assert got["days"]["median"] is None and got["usd"] is None, name
    print(f"{name}: {got['days']['ended_share']:.3f} end, own {own.ended:.3f}; median {got['days']['median']}, "
          f"own {own.median:.2f}")


def main():
    program = sys.argv[1]
    # Crews that keep up, hardly, and all that are wanted.
    longer = [check_all_end(program, *case)
              for case in [(7, 9, 20, 40), (7, 8, 12, 40), (7, 8, 12, 15), (5.7, 6, 16, 70), (5, 6, 2, 20), (7, 0, 8, 40)]]
    assert max(longer) > 1.2, longer  # else the cases do not tell the two times apart
    # Spares for a rack, and not for two or three at once.
    for racks, spares in [(0.3, 26), (0.6, 26)]:
        for crews in [0, 9]:
            check_all_end(program, 7, crews, spares, 40, racks)
    check_some_never_end(program, 7, 6, 30, 20)
    check_some_never_end(program, 7, 6, 30, 26)


main()
