# Wrap a design that fpga.tcl wrote, for place and route, in registers behind three pins. Runs alone:
#
#   RY_FPGA=synth_ice40 RY_OUT=out yosys -c scripts/flow/fpga_harness.tcl
#
# RY_OUT holds design.json (by fpga.tcl) and harness.v, whose top module is `harness`. Writes harness.json there.
yosys -import
read_json $::env(RY_OUT)/design.json
read_verilog $::env(RY_OUT)/harness.v
{*}$::env(RY_FPGA) -top harness
write_json $::env(RY_OUT)/harness.json
