"""Work runs without the global lock, can be stopped, says how far it is, and is the same each time."""
import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import numpy

import trainyard
from program import without_costs

# Minutes of work, and how soon it has to end on a busy machine.
LONG = {"simulation.bytes": "1 GB"}
SOON_S = 15


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()
    return timer


class Waiting(unittest.TestCase):
    def setUp(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def tearDown(self):
        signal.signal(signal.SIGINT, self.before)

    def test_another_thread_counts_meanwhile(self):
        for ask in (lambda: trainyard.simulate("ndp-permutation"), lambda: trainyard.reproduce("railonly23")):
            ticks, over = [], threading.Event()

            def count():
                while not over.is_set():
                    ticks.append(time.monotonic())
                    time.sleep(0.002)

            counter = threading.Thread(target=count)
            counter.start()
            begin = time.monotonic()
            ask()
            end = time.monotonic()
            over.set()
            counter.join()
            meanwhile = sum(begin < tick < end for tick in ticks)
            self.assertGreater(meanwhile, 5, f"{end - begin} s")

    def test_several_threads_ask_at_once(self):
        want = trainyard.plan("llama3-405b")
        found = []
        threads = [threading.Thread(target=lambda: found.append(trainyard.plan("llama3-405b"))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [want] * 8)

    def test_an_interrupt_ends_a_simulation(self):
        for threads in (1, 2):
            interrupt_after(0.3)
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                trainyard.simulate("ndp-permutation", threads=threads, set=LONG)
            self.assertLess(time.monotonic() - begin, SOON_S)

    def test_an_interrupt_ends_a_search(self):
        interrupt_after(0.3)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            trainyard.search("best-100b", threads=2, set={"mapping.microbatch": {"search": list(range(1, 25))}})
        self.assertLess(time.monotonic() - begin, SOON_S)

    def test_a_site_can_be_interrupted(self):
        radii = [f"{r / 100} km" for r in range(1, 17_500)]  # 17 s of work
        interrupt_after(0.3)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            trainyard.site("hotnets24-dense", set={"site.radii": radii})
        self.assertLess(time.monotonic() - begin, SOON_S)

    def test_months_can_be_interrupted(self):
        interrupt_after(0.3)
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            trainyard.goodput("llama3-405b-months", threads=2, set={"resilience.runs": 900_000})
        self.assertLess(time.monotonic() - begin, SOON_S)

    def test_an_interrupted_run_goes_on_from_its_checkpoint(self):
        settings = {"simulation.bytes": "20 MB"}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.checkpoint"
            interrupt_after(0.5)
            with self.assertRaises(KeyboardInterrupt):
                trainyard.simulate("ndp-permutation", set=settings, checkpoint=file)
            self.assertTrue(file.exists())
            resumed = trainyard.simulate("ndp-permutation", set=settings, resume=file)
        whole = trainyard.simulate("ndp-permutation", set=settings)
        numpy.testing.assert_array_equal(resumed.tables["flows"]["finished_s"], whole.tables["flows"]["finished_s"])

    def test_progress(self):
        told = []
        trainyard.simulate(
            "ndp-permutation", set={"simulation.bytes": "10 MB"}, progress=lambda *now: told.append(now)
        )
        self.assertGreater(len(told), 1)
        self.assertEqual(told, sorted(told))
        self.assertEqual({all for _, all in told}, {1024})

        def fail(done, all):
            raise ZeroDivisionError("of progress")

        with self.assertRaisesRegex(ZeroDivisionError, "of progress"):
            trainyard.simulate("ndp-permutation", set=LONG, progress=fail)

    def test_the_same_seed_gives_the_same_bytes(self):
        a, b, c, d = (
            trainyard.simulate("ndp-permutation", threads=threads, set={"simulation.seed": seed})
            for threads, seed in ((1, 5), (1, 5), (2, 5), (1, 6))
        )
        for other in (b, c):
            self.assertEqual(without_costs(a), without_costs(other))
            for name, column in a.tables["flows"].items():
                self.assertEqual(column.tobytes(), other.tables["flows"][name].tobytes(), name)
        self.assertNotEqual(a.tables["flows"]["to"].tobytes(), d.tables["flows"]["to"].tobytes())
