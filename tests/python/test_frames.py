"""DataFrames in one call."""
import unittest

import pandas

import trainyard


class Frames(unittest.TestCase):
    def test_a_plan_has_a_row_for_each_number(self):
        plan = trainyard.plan("llama3-405b")
        frame = plan.to_frame().set_index("key")["value"]
        self.assertEqual(frame["step.mfu"], plan["step"]["mfu"])
        part = plan.to_frame("step")
        self.assertEqual(list(part.columns), ["key", "value"])

    def test_flows(self):
        done = trainyard.simulate("ndp-permutation")
        frame = done.to_frame()
        self.assertEqual(len(frame), done["flows"])
        self.assertAlmostEqual(frame["finished_s"].max(), done["fct_s"]["max"], places=12)
        self.assertEqual(list(done.to_frame("link_use")["tier"]), [u["tier"] for u in done["link_use"]])
        pandas.testing.assert_frame_equal(frame, trainyard.frame(done))
        pandas.testing.assert_frame_equal(frame, done.tables["flows"].to_frame())

    def test_operations_by_kind(self):
        step = trainyard.step("llama3-405b")
        operations = step.to_frame("operations")
        took = (operations.finish_s - operations.start_s).groupby(operations.work).sum()
        self.assertGreater(took["backward"], took["forward"])
        self.assertEqual(list(step.to_frame()["stage"]), list(range(16)))
        self.assertIn("exposed.pipeline_s", step.to_frame().columns)

    def test_lists_of_records(self):
        designs = trainyard.network("topologies").to_frame()
        self.assertIn("dragonfly", set(designs["name"]))
        runs = trainyard.validate()
        self.assertEqual(len(runs.to_frame()), len(runs["runs"]))
        self.assertEqual(len(runs.to_frame("by_source")), len(runs["by_source"]))
        self.assertEqual(list(runs.to_frame("step")["key"][:1]), ["runs"])
        rows = trainyard.reproduce("railonly23")
        self.assertEqual(set(rows.to_frame()["status"]), {"ok"})
        self.assertEqual(len(trainyard.frame(rows)), len(rows))

    def test_a_part_that_is_none(self):
        with self.assertRaisesRegex(KeyError, "flows"):
            trainyard.simulate("ndp-permutation").to_frame("flow")
