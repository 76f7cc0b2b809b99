"""What is written down holds: examples of docs/python.md, the gallery, and the stubs."""
import ast
import contextlib
import inspect
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import trainyard
from program import ROOT

PAGE = (ROOT / "docs/python.md").read_text()


class Pages(unittest.TestCase):
    def test_the_page_runs_as_printed(self):
        names, said = {}, io.StringIO()
        with contextlib.redirect_stdout(said):
            for block in re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M):
                exec(compile(block, "docs/python.md", "exec"), names)
        for part in ("of the peak", "mapping.tensr tensor 0", "device memory |", "mapping.tensor"):
            self.assertIn(part, said.getvalue())

    def test_the_page_names_every_function(self):
        for name in trainyard.__all__:
            if inspect.isfunction(getattr(trainyard, name)):
                self.assertRegex(PAGE, rf"\b{name}\(", name)
                self.assertTrue(getattr(trainyard, name).__doc__, name)

    def test_the_gallery_draws_every_figure(self):
        for paper, figures in (("hotnets24", 6), ("railonly23", 8)):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(
                    [sys.executable, ROOT / f"examples/python/{paper}.py", folder], check=True, capture_output=True
                )
                drawn = sorted(pathlib.Path(folder).iterdir())
                self.assertEqual([f.stem for f in drawn], [f"fig{n}" for n in range(1, figures + 1)])
                for file in drawn:
                    self.assertGreater(file.stat().st_size, 5000, file)

    def test_stubs_are_those_of_the_functions(self):
        folder = pathlib.Path(trainyard.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        stubs = {f.name: f.args for f in ast.parse((folder / "__init__.pyi").read_text()).body if hasattr(f, "args")}
        functions = {n for n in trainyard.__all__ if inspect.isfunction(getattr(trainyard, n))} - {"frame"}
        self.assertEqual(functions, set(stubs))
        for name, args in stubs.items():
            parameters = inspect.signature(getattr(trainyard, name)).parameters.values()
            by_place = [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD]
            by_name = [p.name for p in parameters if p.kind == p.KEYWORD_ONLY]
            stubbed = [a.arg for a in args.kwonlyargs]
            self.assertEqual([a.arg for a in args.args], by_place, name)
            if any(p.kind == p.VAR_KEYWORD for p in parameters):  # import_grid(): the originals that there are
                by_name += [n for n in stubbed if hasattr(trainyard._trainyard.GridOriginals, n)]
            self.assertEqual(sorted(stubbed), sorted(by_name), name)
