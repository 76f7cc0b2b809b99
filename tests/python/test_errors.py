"""What goes wrong says where, what is allowed and what was probably meant."""
import os
import pickle
import tempfile
import unittest

import trainyard

TEXT = """[facility]
devices = 64
hb_domain = "dgx-h100"

[model]
name = "llama3-8b"

[mapping]
tensr = 2
zero_stage = 7
"""

ONE_STAGE = {"mapping.tensor": 8, "mapping.pipeline": 1, "mapping.virtual_stages": 1}


class Errors(unittest.TestCase):
    def input_error(self, ask):
        with self.assertRaises(trainyard.InputError) as raised:
            ask()
        return raised.exception

    def test_what_a_simulation_finds_stands_at_its_setting(self):
        error = self.input_error(lambda: trainyard.simulate("ndp-permutation", set={"simulation.traffic": "poison"}))
        self.assertEqual(error.file, "set simulation.traffic=\"poison\"")  # the change that says it
        self.assertIn("did you mean 'poisson'?", str(error))

    def test_an_unknown_key_of_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(TEXT)
            file.flush()
            error = self.input_error(lambda: trainyard.plan(file.name))
            self.assertEqual((error.file, error.line, error.column), (file.name, 9, 1))
        self.assertEqual((error.key, error.nearest), ("mapping.tensr", "tensor"))
        self.assertIn("tensr = 2", str(error))  # the line itself
        second = error.findings[1]
        self.assertEqual((second.line, second.key), (10, "mapping.zero_stage"))
        self.assertIn("3", second.allowed)
        self.assertIsInstance(error, ValueError)

    def test_a_dict_a_change_and_a_name(self):
        error = self.input_error(lambda: trainyard.plan({"facility": {"devices": -4, "hb_domain": "dgx-h100"}}))
        self.assertEqual((error.file, error.line, error.key), ("dict", 2, "facility.devices"))
        error = self.input_error(lambda: trainyard.plan("llama3-405b", set={"mapping.tensr": 2}))
        self.assertEqual((error.key, error.nearest), ("mapping.tensr", "tensor"))
        error = self.input_error(lambda: trainyard.plan("llama3-405"))
        self.assertEqual((error.file, error.nearest), ("llama3-405", "llama3-405b"))

    def test_a_setting_that_is_set_twice(self):
        error = self.input_error(lambda: trainyard.plan("llama3-405b", set=["mapping.tensor=8", "mapping.tensor = 4"]))
        self.assertIn("'mapping.tensor' is set already by set mapping.tensor=8", str(error))
        error = self.input_error(lambda: trainyard.plan("llama3-405b", set=["network={planes=2}", "network.planes=1"]))
        self.assertIn("'network.planes' is set already", str(error))

    def test_arguments_that_are_none(self):
        for ask in (
            lambda: trainyard.simulate("ndp-permutation", network="packets"),
            lambda: trainyard.step("llama3-405b", network="packt"),
            lambda: trainyard.step("llama3-405b", phases=["pipeline"]),
            lambda: trainyard.site("hotnets24-dense", at=[(float("nan"), 0)]),
            lambda: trainyard.site("hotnets24-dense", at=[(10, 10), (10, 10)]),
            lambda: trainyard.site("hotnets24-dense", at=[(10, 10)], radius_km=-1),
            lambda: trainyard.sweep("hotnets24-moe"),
            lambda: trainyard.sweep("hotnets24-moe", "scale-upp"),
            lambda: trainyard.sweep("llama3-405b", key="mapping.tensor"),
            lambda: trainyard.network("topologies", design="dragonfli"),
            lambda: trainyard.cables("topologies"),
            lambda: trainyard.traffic_matrix("railonly23-gpt3", rail=True, count=0),
            lambda: trainyard.figure("fig7"),
            lambda: trainyard.reproduce("hotnets25"),
            lambda: trainyard.explain("llama3-405b", "step.mfuu"),
            lambda: trainyard.validate("nowhere.csv"),
            lambda: trainyard.simulate("ndp-permutation", flows={"from": [0], "to": [1]}),
            lambda: trainyard.simulate("ndp-permutation", flows={"from": [0], "to": [1], "byts": [9]}),
            lambda: trainyard.simulate("ndp-permutation", threads=0),
            lambda: trainyard.goodput("llama3-405b-months", threads=-1),
            lambda: trainyard.search("best-100b", threads=1025),
            lambda: trainyard.schedule(threads=0),
            lambda: trainyard.search("llama3-405b"),
            lambda: trainyard.schedule(count=0),
            lambda: trainyard.schedule(days=float("nan")),
            lambda: trainyard.schedule(load=-1.0),
            lambda: trainyard.schedule("nowhere.csv"),
            lambda: trainyard.schedule(os.devnull, count=5),
            lambda: trainyard.schedule(format="acme"),
            lambda: trainyard.schedule(skip_bad_rows=True),
            lambda: trainyard.sweep("hotnets24-dense", values=[4]),
            lambda: trainyard.sweep("hotnets24-dense", "fig3", key="mapping.tensor", values=[4]),
            lambda: trainyard.sweep("llama3-405b", key="mapping.tensor", values=[4], set={"mapping.tensor": 8}),
            lambda: trainyard.network("topologies", design="dragonfly", optimize=True),
            lambda: trainyard.simulate("ndp-permutation", flows={"from": [0]}, connections=os.devnull),
            lambda: trainyard.collective("all_reduce", size="7 B", dtype="fp32"),
            lambda: trainyard.plan("llama3-405b", catalog="nowhere"),
        ):
            self.assertTrue(str(self.input_error(ask)))
        self.assertEqual(
            self.input_error(lambda: trainyard.simulate("ndp-permutation", network="packets")).nearest, "packet"
        )

    def test_types_that_no_scenario_has(self):
        for wrong in ({"facility": {"devices": None}}, {"facility": {"devices": object()}}, {1: 2}):
            with self.assertRaises(TypeError):
                trainyard.plan(wrong)
        with self.assertRaises(TypeError):
            trainyard.plan(7)
        with self.assertRaisesRegex(ValueError, "lengths"):
            trainyard.simulate("ndp-permutation", flows={"from": [0, 1], "to": [1], "bytes": [9, 9]})
        with self.assertRaises(KeyError):
            trainyard.example("llama3-405")

    def test_what_cannot_be(self):
        with self.assertRaises(trainyard.Infeasible) as raised:
            trainyard.plan("llama3-405b", set={"facility.devices": 8, **ONE_STAGE})
        error = raised.exception
        self.assertTrue(error.constraint and error.shortfall)
        self.assertIn(error.constraint, str(error))
        self.assertIsNone(error.result)

    def test_errors_are_pickled(self):
        error = self.input_error(lambda: trainyard.plan("llama3-405"))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.nearest), (str(error), error.nearest))
        with self.assertRaises(AttributeError):
            error.nothing
