"""Scenarios that are dicts ask what their files ask."""
import datetime
import random
import tomllib
import unittest

import numpy

import trainyard


def planned(scenario):
    """The plan without the scenario's name, or why there is none."""
    try:
        plan = trainyard.plan(scenario)
    except (trainyard.Infeasible, trainyard.InputError) as error:
        return type(error).__name__
    plan["provenance"].pop("scenario")
    return plan


class Scenarios(unittest.TestCase):
    def test_every_shipped_scenario_comes_back(self):
        self.assertIn("llama3-405b", trainyard.scenarios())
        for name in trainyard.scenarios():
            with self.subTest(name):
                self.assertEqual(tomllib.loads(trainyard.to_toml(trainyard.example(name))), trainyard.example(name))

    def test_dicts_are_planned_as_their_files(self):
        for name in ("llama3-405b", "hotnets24-moe", "deepseek-v3", "topologies", "llama3-405b-months", "best-100b"):
            with self.subTest(name):
                self.assertEqual(planned(trainyard.example(name)), planned(name))

    def test_a_simulation_of_a_dict(self):
        a = trainyard.simulate(trainyard.example("ndp-permutation"))
        b = trainyard.simulate("ndp-permutation")
        self.assertEqual(a["settings_hash"], b["settings_hash"])
        numpy.testing.assert_array_equal(a.tables["flows"]["finished_s"], b.tables["flows"]["finished_s"])

    def test_random_documents(self):
        dice = random.Random(1)
        texts = ["", "a b", "ä\u2028\x7f", 'q"uo\\te', "new\nline\ttab", "x", "[y]", "# z"]

        def value(depth):
            kind = dice.randrange(8 if depth else 5)
            if kind == 0:
                return dice.choice(texts)
            if kind == 1:
                return dice.randrange(-(2**62), 2**62)
            if kind == 2:
                return dice.choice([0.1, -1e300, 5e-324, 1e16, float("inf"), 3.0])
            if kind == 3:
                return dice.random() < 0.5
            if kind == 4:
                return datetime.date(2024, 2, 29)
            if kind == 5:
                return [value(depth - 1) for _ in range(dice.randrange(4))]
            if kind == 6:
                return {dice.choice([*texts, "search", "b-c_1"]): value(depth - 1) for _ in range(dice.randrange(4))}
            return [{"k": value(depth - 1), "m": {"n": 1}} for _ in range(dice.randrange(1, 3))]

        for _ in range(500):
            document = {f"s{i}": value(3) for i in range(4)}
            text = trainyard.to_toml(document)
            self.assertEqual(tomllib.loads(text), document, text)

    def test_changes_of_an_entry_stand_before_or_behind_their_source(self):
        key = "catalog.accelerators.h100-sxm."
        changes = {key + "memory": "96 GB", key + "source": "a test"}
        ahead = trainyard.plan("llama3-405b", set=changes)
        behind = trainyard.plan("llama3-405b", set=dict(reversed(changes.items())))
        self.assertEqual(ahead, behind)

    def test_numbers_of_numpy(self):
        settings = {"mapping.tensor": numpy.int64(4), "facility.load": numpy.float64(0.5)}
        self.assertEqual(
            trainyard.plan("llama3-405b", set=settings),
            trainyard.plan("llama3-405b", set=["mapping.tensor=4", "facility.load=0.5"]),
        )

    def test_the_schema_knows_the_settings(self):
        self.assertIn("facility", trainyard.schema()["properties"])
