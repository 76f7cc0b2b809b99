"""Builds the module of Python by CMake, in build/release where the interpreter is Debian's own; else in a folder of
its own. `pip install .` calls this (pyproject.toml)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
SYSTEM = pathlib.Path("/usr/bin/python3")


def version():
    return re.search(r"project\(trainyard VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build_folder():
    """With the interpreter that it is for: a virtual environment's is a link to the real one."""
    python = pathlib.Path(sys.executable).resolve()
    if SYSTEM.exists() and SYSTEM.resolve() == python:
        return ROOT / "build/release", SYSTEM
    return ROOT / f"build/python-{sysconfig.get_config_var('py_version_nodot')}", python


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        folder, python = build_folder()
        configure = ["cmake", "--preset", "release", "-B", str(folder), f"-DTRAINYARD_PYTHON={python}"]
        subprocess.run(configure, cwd=ROOT, check=True)
        jobs = os.environ.get("JOBS", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", str(folder), "--target", "ty_python", "-j", jobs], check=True)
        built = folder / "python/trainyard" / f"_trainyard{sysconfig.get_config_var('EXT_SUFFIX')}"
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, target)


setup(
    version=version(),
    ext_modules=[Extension("trainyard._trainyard", [])],
    cmdclass={"build_ext": CMakeBuild},
)
