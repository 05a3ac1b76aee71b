# Count LUTs, flip-flops and block RAM on an FPGA with Yosys. Runs alone:
#
#   RY_VERILOG="a.v b.v" RY_TOP=my_switch RY_FPGA=ecp5 RY_OUT=out yosys -c scripts/flow/fpga.tcl
#
# RY_FPGA is ecp5 or ice40. Writes stat.txt, stat.json and design.json (for nextpnr) to RY_OUT.
yosys -import
foreach file $::env(RY_VERILOG) { read_verilog $file }
synth_$::env(RY_FPGA) -top $::env(RY_TOP) -json $::env(RY_OUT)/design.json
tee -o $::env(RY_OUT)/stat.txt stat
tee -q -o $::env(RY_OUT)/stat.json stat -json -top $::env(RY_TOP)
