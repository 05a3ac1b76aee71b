# List the instances of each module with Yosys: one file a module, lines "parent/instance". Runs alone:
#
#   RY_VERILOG="a.v b.v" RY_TOP=my_switch RY_MODULES="fifo arbiter" RY_OUT=out yosys -c scripts/flow/hierarchy.tcl
yosys -import
foreach file $::env(RY_VERILOG) { read_verilog $file }
hierarchy -check -top $::env(RY_TOP)
foreach module $::env(RY_MODULES) { select -write $::env(RY_OUT)/$module.instances t:$module }
