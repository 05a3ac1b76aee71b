"""Runs a test of streams.py on the Verilog of a folder: run.py FOLDER SETTING TEST. Exit code 1: a check failed."""

import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

folder = Path(sys.argv[1])
os.environ["RAILYARD_STREAMS"] = sys.argv[2]
sources = [folder / name for name in (folder / "files.f").read_text().split()]
runner = get_runner("icarus")
runner.build(sources=sources, hdl_toplevel="bench", build_dir=folder / "build", build_args=["-DRAILYARD_ASSERT"])
results = runner.test(
    test_module="streams", testcase=sys.argv[3], hdl_toplevel="bench", build_dir=folder / "build", test_dir=Path(__file__).parent,
    results_xml=str(folder / "results.xml"),
)
sys.exit(get_results(results)[1] > 0)
