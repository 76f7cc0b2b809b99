"""Long columns are NumPy arrays, with the values of the program's CSV."""
import csv
import io
import tempfile
import unittest

import numpy

import trainyard
from program import run


def column(text, name):
    """A column of a CSV text as numbers; what is empty is NaN."""
    return numpy.array([float(row[name] or "nan") for row in csv.DictReader(io.StringIO(text))])


class Arrays(unittest.TestCase):
    def test_flows_are_those_of_the_csv(self):
        flows = trainyard.simulate("ndp-permutation").tables["flows"]
        text = run("simulate", "ndp-permutation", "--csv")
        self.assertEqual(flows["bytes"].dtype, numpy.uint64)
        self.assertEqual(flows["finished_s"].dtype, numpy.float64)
        for name in ("from", "to", "bytes", "start_s", "began_s", "received_s", "finished_s", "slowdown"):
            numpy.testing.assert_allclose(flows[name], column(text, name), rtol=1e-12, err_msg=name)

    def test_flows_given_as_columns(self):
        # 1 MB at 100 Gbps takes 80 us alone; the second begins when the first is long over.
        flows = {"from": numpy.array([0, 1]), "to": [9, 8], "bytes": [10**6, 10**6], "start_s": [0.0, 0.001]}
        done = trainyard.simulate("ndp-permutation", flows=flows)
        self.assertEqual(done["flows"], 2)
        table = done.tables["flows"]
        self.assertEqual(table["from"].tolist(), [0, 1])
        took = table["finished_s"] - table["start_s"]
        numpy.testing.assert_allclose(took, 85e-6, rtol=0.1)
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("from,to,bytes,start_s\n0,9,1000000,0\n1,8,1000000,0.001\n")
            file.flush()
            again = trainyard.simulate("ndp-permutation", flows=file.name).tables["flows"]
        numpy.testing.assert_array_equal(table["finished_s"], again["finished_s"])

    def test_probes_and_traces(self):
        scenario = trainyard.example("ndp-permutation")
        scenario["probe"] = [{"node": "leaf 0", "interval": "10 us"}, {"flow": 3, "interval": "10 us"}]
        done = trainyard.simulate(scenario, trace_flows=[3])
        trace = done.tables["trace"]
        self.assertEqual(set(trace["flow"]), {3})
        received = (trace["event"] == "received") & (trace["kind"] == "data")
        self.assertGreater(received.sum(), 100)
        self.assertTrue(all(node.startswith("host") for node in trace["node"][received]))
        samples = done.tables["flow_samples"]
        self.assertEqual(samples["received_bytes"].max(), done.tables["flows"]["bytes"][3])
        self.assertIn("utilization", done.tables["queue_samples"])

    def test_operations_end_with_the_step(self):
        step = trainyard.step("llama3-405b")
        operations = step.tables["operations"]
        self.assertEqual(len(operations["work"]), step["operations"])
        self.assertAlmostEqual(operations["finish_s"].max(), step["step_s"], places=9)
        self.assertTrue((operations["finish_s"] >= operations["start_s"]).all())
        computing = (operations["stage"] == 0) & (operations["resource"] == "compute")
        busy = (operations["finish_s"] - operations["start_s"])[computing].sum()
        self.assertAlmostEqual(busy, step["stages"][0]["compute_s"], places=6)

    def test_memory_over_time_is_that_of_the_stages(self):
        step = trainyard.step("llama3-405b")
        memory = step.tables["memory"]
        for stage in (0, 15):
            peak = memory["bytes"][memory["stage"] == stage].max()
            self.assertEqual(peak, step["stages"][stage]["peak_memory_bytes"])

    def test_cables_are_those_of_the_file(self):
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            run("network", "topologies", "--design", "dragonfly", "--cables", file.name)
            with open(file.name) as written:  # in place of the first one
                rows = list(csv.DictReader(written))
        cables = trainyard.cables("topologies", design="dragonfly")
        self.assertEqual(cables["link"].dtype.kind, "i")
        self.assertEqual(cables["rate_bps"].tolist(), [float(row["rate_bps"]) for row in rows])
        self.assertEqual(cables["to"].tolist(), [row["to"] for row in rows])

    def test_the_matrix_holds_all_traffic(self):
        settings = {"facility.devices": 512}
        traffic = trainyard.traffic("railonly23-gpt3", rail=True, set=settings)
        devices = int(traffic["devices"])
        matrix = trainyard.traffic_matrix("railonly23-gpt3", rail=True, count=devices, set=settings)
        self.assertEqual(matrix.shape, (devices, devices))
        self.assertEqual(numpy.trace(matrix), 0)
        self.assertAlmostEqual(matrix.sum() / traffic["volume_bytes"], 1, places=9)

    def test_figures_of_stored_simulations(self):
        fig5 = trainyard.figure("fig5")
        for line in set(fig5["line"]):
            share = fig5["y"][fig5["line"] == line]
            self.assertEqual((share[0], share[-1]), (0, 1))
        self.assertGreater(len(set(trainyard.figure("fig6")["line"])), 1)
