"""Every function gives what the program's verb writes with --json."""
import csv
import io
import json
import tempfile
import unittest

import trainyard
from program import GRID, answer, run, without_costs

FREE = {
    "facility": {"devices": 64, "hb_domain": "dgx-h100"},
    "model": {"name": "llama3-8b"},
    "mapping": {"tensor": {"search": [1, 2, 4, 8]}, "pipeline": {"search": [1, 2]}},
    "search": {"objective": "step_time", "ranked": 4},
}

GPPD = """country,country_long,name,gppd_idnr,capacity_mw,latitude,longitude,primary_fuel
NOR,Norway,Aurland,NOR1,840,60.9,7.3,Hydro
NOR,Norway,Kvilldal,NOR2,1240,59.5,6.6,Hydro
"""


class Verbs(unittest.TestCase):
    maxDiff = 2000

    def same(self, result, *words, status=0):
        self.assertEqual(without_costs(result), answer(*words, status=status))

    def test_plan(self):
        self.same(trainyard.plan("llama3-405b"), "plan", "llama3-405b")
        self.same(
            trainyard.plan("llama3-405b", set={"mapping.tensor": 4, "facility.load": 0.9}),
            *["plan", "llama3-405b", "--set", "mapping.tensor=4", "--set", "facility.load=0.9"],
        )

    def test_explain(self):
        self.same(trainyard.explain("llama3-405b", "step.mfu"), "plan", "llama3-405b", "--explain", "step.mfu")

    def test_network(self):
        self.same(trainyard.network("topologies"), "network", "topologies")
        self.same(trainyard.network("topologies", design="dragonfly"), "network", "topologies", "--design", "dragonfly")

    def test_network_search(self):
        name = "llama3-405b-network"
        self.same(trainyard.network(name, optimize=True), "network", name, "--optimize")

    def test_sweep_scaling_rail_and_traffic(self):
        self.same(trainyard.sweep("hotnets24-dense"), "sweep", "hotnets24-dense")
        self.same(
            trainyard.sweep("llama3-405b", key="mapping.tensor", values=[4, 8], quantity="step.mfu"),
            *["sweep", "llama3-405b", "--key", "mapping.tensor", "--values", "4,8", "--quantity", "step.mfu"],
        )
        self.same(trainyard.scaling("hotnets24-dense"), "scaling", "hotnets24-dense")
        self.same(trainyard.rail("railonly23-palm"), "rail", "railonly23-palm")
        self.same(trainyard.traffic("hotnets24-dense"), "traffic", "hotnets24-dense")
        self.same(trainyard.traffic("railonly23-gpt3", rail=True), "traffic", "railonly23-gpt3", "--rail")

    def test_simulate(self):
        self.same(trainyard.simulate("ndp-permutation"), "simulate", "ndp-permutation")
        self.same(
            trainyard.simulate("ndp-permutation", network="flow", set=["simulation.seed=7"]),
            *["simulate", "ndp-permutation", "--network", "flow", "--seed", "7"],
        )

    def test_step(self):
        self.same(trainyard.step("llama3-405b"), "step", "llama3-405b")
        self.same(
            trainyard.step("llama3-405b", network="flow", set={"step.gradient_overlap": "after_batch"}),
            *["step", "llama3-405b", "--network", "flow", "--set", "step.gradient_overlap=after_batch"],
        )

    def test_step_trace(self):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            run("step", "llama3-405b", "--trace", file.name, "--trace-length", "all")
            with open(file.name, "rb") as written:  # in place of the first one
                self.assertEqual(trainyard.step_trace("llama3-405b"), written.read())

    def test_search(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(trainyard.to_toml(FREE))
            file.flush()
            self.same(
                trainyard.search(file.name, why_not={"mapping.tensor": 1}),
                *["search", file.name, "--why-not", "mapping.tensor=1"],
            )
            self.same(
                trainyard.search(file.name, why_not=["mapping.tensor = 1"]),
                *["search", file.name, "--why-not", "mapping.tensor=1"],
            )
            ranked = trainyard.search(FREE, threads=2)["ranked"]
            self.assertEqual(ranked, answer("search", file.name)["ranked"])
            self.assertGreater(len(ranked), 1)

    def test_goodput_and_circuits(self):
        self.same(
            trainyard.goodput("llama3-405b-months", set={"resilience.runs": 50}),
            *["goodput", "llama3-405b-months", "--runs", "50"],
        )
        self.same(trainyard.circuits("llama3-circuits"), "circuits", "llama3-circuits")

    def test_operate(self):
        self.same(trainyard.operate("llama3-day"), "operate", "llama3-day")

    def test_years(self):
        self.same(trainyard.years("two-generations"), "years", "two-generations")

    def test_every_verb_that_answers_has_a_function(self):
        verbs = {row["verb"].split()[0].replace("-", "_") for row in answer("help")}
        about_the_program = {"serve", "new", "completion", "manual", "help"}
        self.assertEqual(verbs - about_the_program - {*trainyard.__all__}, set())

    def test_site(self):
        settings = ['site.radius="150 km"', "site.reserve=unit", "site.spare=installed"]
        settings += ["site.least_share=0.2", "site.sites=2"]
        words = ["site", "hotnets24-dense", *(w for s in settings for w in ("--set", s))]
        self.same(trainyard.site("hotnets24-dense", set=settings), *words)
        place = trainyard.site("hotnets24-dense", at=[(45.7, -120.7)], radius_km=150, set={"site.power": "100 MW"})
        self.same(
            place, "site", "hotnets24-dense", "--at", "45.7,-120.7", "--radius", "150", "--set", 'site.power="100 MW"'
        )

    def test_a_site_that_cannot_be_has_its_result(self):
        with self.assertRaises(trainyard.Infeasible) as raised:
            trainyard.site("hotnets24-dense", grid=GRID)
        self.same(raised.exception.result, "site", "hotnets24-dense", "--grid", GRID, status=3)

    def test_schedule(self):
        words = ["schedule", "synthetic", "--jobs", "300", "--days", "9", "--weekend", "0.4"]
        result = trainyard.schedule(count=300, days=9, weekend=0.4)
        self.same(result, *words)
        rows = list(csv.DictReader(io.StringIO(run(*words, "--csv"))))
        table = result.tables["jobs"]
        self.assertEqual(table["name"].tolist(), [row["name"] for row in rows])
        self.assertEqual(table["end_s"].tolist(), [float(row["end_s"]) for row in rows])
        self.assertEqual(set(table), set(rows[0]))

    def test_wide_area(self):
        self.same(trainyard.wide_area("hotnets24-moe"), "wide-area", "hotnets24-moe")

    def test_validate(self):
        self.same(trainyard.validate(), "validate")
        name = trainyard.validate()["runs"][0]["id"]
        self.same(trainyard.explain_run(name), "validate", "--explain", name)

    def test_reproduce(self):
        told = []
        rows = trainyard.reproduce("railonly23", progress=lambda done, all: told.append((done, all)))
        self.same(rows, "reproduce", "railonly23")
        self.assertTrue(all(row["status"] == "ok" for row in rows))
        self.same(trainyard.reproduce("circuits"), "reproduce", "circuits")

    def test_results_are_plain(self):
        plan = trainyard.plan("llama3-405b")
        self.assertIsInstance(plan, dict)
        self.assertEqual(json.loads(json.dumps(plan)), dict(plan))
        self.assertEqual(trainyard.__version__, plan["provenance"]["program_version"])

    def test_catalog(self):
        self.same(trainyard.catalog(), "catalog", "list")
        self.same(
            trainyard.catalog("accelerators", where={"vendor": "AMD"}),
            *["catalog", "list", "accelerators", "--where", "vendor=AMD"],
        )
        self.same(
            trainyard.catalog("accelerators", where="vendor = AMD"),
            *["catalog", "list", "accelerators", "--where", "vendor=AMD"],
        )
        self.same(trainyard.catalog("accelerators", "h100-sxm"), "catalog", "show", "accelerators", "h100-sxm")

    def test_describe(self):
        self.same(trainyard.describe("mapping"), "describe", "mapping")
        with self.assertRaisesRegex(trainyard.InputError, "mapping"):
            trainyard.describe("maping")

    def test_collective(self):
        self.same(trainyard.collective("all_reduce"), "collective", "all_reduce")
        self.same(
            trainyard.collective("alltoall", devices=4, size=1048576, channels=8),
            *["collective", "alltoall", "--devices", "4", "--bytes", "1 MiB", "--channels", "8"],
        )
        with self.assertRaisesRegex(trainyard.InputError, "ring"):
            trainyard.collective("all_reduce", algorithm="rin")

    def test_results(self):
        with tempfile.TemporaryDirectory() as folder:
            store, scenario = folder + "/store.db", folder + "/free.toml"
            with open(scenario, "w") as file:
                file.write(trainyard.to_toml(FREE))
            run("search", scenario, "--resume", store)
            self.same(trainyard.results(store), "results", store)
            self.same(trainyard.results(store, 1, most=2), "results", store, "--question", "1", "--best", "2")
            self.same(
                trainyard.results(store, 1, where=["mapping.tensor>=2"]),
                *["results", store, "--question", "1", "--where", "mapping.tensor>=2"],
            )
            self.same(trainyard.compare_results(store, 1, 1), "results", store, "--compare", "1", "1")

    def test_import_grid(self):
        with tempfile.TemporaryDirectory() as folder:
            plants = folder + "/plants.csv"
            with open(plants, "w") as file:
                file.write(GPPD)
            made = trainyard.import_grid(folder + "/grid", gppd=plants, country="NOR")
            again = answer("import-grid", folder + "/grid", "--gppd", plants, "--country", "NOR", "--replace")
            self.assertEqual(dict(made), again)
            with self.assertRaises(TypeError):
                trainyard.import_grid(folder + "/other", gpdp=plants)
