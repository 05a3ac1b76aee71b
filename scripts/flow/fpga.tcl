# Count LUTs, flip-flops and block RAM on an FPGA with Yosys. Runs alone:
#
#   RY_VERILOG="a.v b.v" RY_TOP=my_switch RY_FPGA=synth_ecp5 RY_OUT=out yosys -c scripts/flow/fpga.tcl
#
# RY_FPGA is the command of Yosys for the family: synth_ecp5, synth_ice40, or synth_xilinx with its options. Writes
# stat.txt, stat.json and design.json (for nextpnr) to RY_OUT.
yosys -import
foreach file $::env(RY_VERILOG) { read_verilog $file }
{*}$::env(RY_FPGA) -top $::env(RY_TOP)
write_json $::env(RY_OUT)/design.json
tee -o $::env(RY_OUT)/stat.txt stat
tee -q -o $::env(RY_OUT)/stat.json stat -json -top $::env(RY_TOP)
