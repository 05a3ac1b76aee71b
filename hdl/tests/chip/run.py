"""Runs a test of streams.py on the Verilog of a folder: run.py SIMULATOR FOLDER SETTING TEST.

The simulator is icarus or verilator. Exit code 1: a check failed.
"""

import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

simulator, folder, setting, test = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
build_args = []
if simulator == "verilator":
    sys.path.append(str(Path(__file__).parents[3] / "cocotb/example"))
    from bench import use_python_verilator

    use_python_verilator()
    build_args = ["--assert", "-Wno-fatal", "--output-split", "0"]
sources = [folder / name for name in (folder / "files.f").read_text().split()]
runner = get_runner(simulator)
runner.build(sources=sources, hdl_toplevel="bench", build_dir=folder / "build", build_args=build_args,
             defines={"RAILYARD_ASSERT": 1})
results = runner.test(test_module="streams", testcase=test, hdl_toplevel="bench", build_dir=folder / "build",
                      test_dir=Path(__file__).parent, results_xml=str(folder / "results.xml"),
                      extra_env={"RAILYARD_STREAMS": setting})
sys.exit(get_results(results)[1] > 0)
