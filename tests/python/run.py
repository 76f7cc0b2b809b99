#!/usr/bin/env python3
"""Runs one of the tests of this folder; ends with 77, which ctest shows as skipped, where its packages are missing.

    PYTHONPATH=build/release/python TRAINYARD_PROGRAM=build/release/trainyard tests/python/run.py test_verbs
"""
import importlib.util
import sys
import unittest

NEEDS = {"test_frames": ["pandas"], "test_pages": ["pandas", "matplotlib"]}

if __name__ == "__main__":
    name = sys.argv[1]
    missing = [p for p in ["numpy", *NEEDS.get(name, [])] if importlib.util.find_spec(p) is None]
    if missing:
        print(f"skipped: {sys.executable} has no {' and no '.join(missing)} (tools/bootstrap test installs them)")
        sys.exit(77)
    unittest.main(module=name, argv=[sys.argv[0], *sys.argv[2:]])
