#!/usr/bin/env python3
"""Waits of every job beside a queue that shares no line with the program's.

    easy_backfill.py PROGRAM

Jobs of whole HB domains, so that any free devices do: in the order of arrival, and with EASY backfill (Lifka 1995).
"""
import csv
import heapq
import io
import pathlib
import random
import subprocess
import sys
import tempfile

DEVICES = 2048  # of shared-cluster
DOMAIN = 8


def drawn_jobs(seed, count=400):
    dice = random.Random(seed)
    now = 0
    jobs = []
    for _ in range(count):
        now += int(dice.expovariate(1 / 600))
        run = int(dice.lognormvariate(8.5, 1.2)) + 1
        estimate = int(run * dice.choice([1, 1, 1.5, 3, 10]))
        jobs.append((now, DOMAIN * 2 ** dice.randrange(0, 9), run, max(run, estimate)))
    return jobs


def own_waits(jobs, backfill):
    """Event by event. `ends`: of running jobs, as their users said."""
    events = [(job[0], 1, i) for i, job in enumerate(jobs)]
    heapq.heapify(events)
    free = DEVICES
    queue, ends, start = [], {}, {}

    def begin(i, now):
        nonlocal free
        _, devices, run, estimate = jobs[i]
        free -= devices
        start[i], ends[i] = now, now + estimate
        heapq.heappush(events, (now + run, 0, i))

    while events:
        now = events[0][0]
        while events and events[0][0] == now:
            _, arrives, i = heapq.heappop(events)
            if arrives:
                queue.append(i)
            else:
                free += jobs[i][1]
                del ends[i]
        while queue and jobs[queue[0]][1] <= free:
            begin(queue.pop(0), now)
        if not backfill or not queue:
            continue
        wants = jobs[queue[0]][1]
        free_by = lambda time: free + sum(jobs[i][1] for i, end in ends.items() if end <= time)
        turn = min(time for time in ends.values() if free_by(time) >= wants)
        beside = free_by(turn) - wants
        for i in queue[1:]:
            devices = jobs[i][1]
            ends_before = now + jobs[i][3] <= turn
            if devices > free or not (ends_before or devices <= beside):
                continue
            if not ends_before:
                beside -= devices
            queue.remove(i)
            begin(i, now)
    return [start[i] - job[0] for i, job in enumerate(jobs)]


def waits(program, path, backfill):
    settings = [f"backfill={'easy' if backfill else 'none'}", "contention=false", "failures_per_1000_days=0"]
    command = [program, "schedule", path, "--csv"] + [word for s in settings for word in ("--set", "schedule." + s)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [float(row["wait_s"]) for row in csv.DictReader(io.StringIO(ran.stdout))]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "jobs.csv"
        for seed in range(1, 6):
            jobs = drawn_jobs(seed)
            path.write_text("submit_s,devices,run_s,estimate_s\n" + "".join("%d,%d,%d,%d\n" % job for job in jobs))
            for backfill in (False, True):
                own = own_waits(jobs, backfill)
                assert sum(wait > 0 for wait in own) > len(jobs) / 2, "the queue is too short to tell"
                got = waits(sys.argv[1], path, backfill)
                wrong = [(i, a, b) for i, (a, b) in enumerate(zip(own, got, strict=True)) if abs(a - b) > 1e-6]
                assert not wrong, f"seed {seed}, backfill {backfill}: job, own wait, wait: {wrong[:5]}"


main()
