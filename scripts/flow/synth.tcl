# Synthesise one module to a Liberty library with Yosys. Runs alone:
#
#   RY_VERILOG="a.v b.v" RY_TOP=my_switch RY_LIBERTY=lib.lib RY_OUT=out yosys -c scripts/flow/synth.tcl
#
# RY_VERILOG   Verilog files, separated by blanks
# RY_TOP       module to synthesise
# RY_LIBERTY   Liberty file (not compressed)
# RY_OUT       folder for netlist.v, stat.txt, stat.json, abc.script, abc.constr
# optional:
# RY_INCLUDE   folder of files that the Verilog includes
# RY_MACROS    Verilog file of black boxes (memory macros), left as they are
# RY_MAPPING   Liberty file with the cells that may be used (default: RY_LIBERTY)
# RY_DRIVER    cell that drives each input (default BUF_X2); RY_LOAD load of each output in fF (default 7)
# RY_TARGET    delay target of mapping and sizing in ps (default 1: as fast as it goes)
# RY_RECIPE    speed (default), balanced, area, or yosys (Yosys' own script; RY_TARGET is then 100 if not set)
# RY_JSON      1: also netlist.json, for linking (a module whose sub-modules are among RY_MACROS is then only the glue between them)
# RY_BUFFER    "cell input output" of a buffer, for outputs that are constants or each other
# RY_TIE_HIGH, RY_TIE_LOW   "cell pin" of the cells for constants (default: constants stay)
yosys -import

proc setting {name default} {
    if {[info exists ::env($name)] && $::env($name) ne ""} { return $::env($name) }
    return $default
}
set out $::env(RY_OUT)
set top $::env(RY_TOP)
set liberty $::env(RY_LIBERTY)
set mapping [setting RY_MAPPING $liberty]
set target [setting RY_TARGET 1]

# ABC. Yosys' own script maps for area (&nf), which costs half of the speed, and it does not put the target into a
# script that comes from a file. Here: lower the depth of the logic (if -g), look for other structures (dch), map for
# delay with the library's gain model, buffer high fan-out, then size every gate for the target.
set clean "strash; &get -n; &fraig -x; &put; scorr; dc2; strash"
set size "topo; buffer -c; upsize -D $target; dnsize -D $target; stime -p"
set recipes [dict create \
    speed    "$clean; if -g -K 6; strash; dch -f; map -B 0.9 -D $target; $size" \
    balanced "$clean; dch -f; map -B 0.9 -D $target; $size" \
    area     "$clean; &get -n; &dch -f; &nf; &put; $size"]
set recipe [setting RY_RECIPE speed]
if {$recipe eq "yosys"} {
    set mapper [list -D [expr {$target > 1 ? $target : 100}]]
} else {
    set script [open $out/abc.script w]
    puts $script [dict get $recipes $recipe]
    close $script
    set mapper [list -script $out/abc.script]
}
set constr [open $out/abc.constr w]
puts $constr "set_driving_cell [setting RY_DRIVER BUF_X2]\nset_load [setting RY_LOAD 7]"
close $constr

set include [setting RY_INCLUDE ""]
# Register files in their form for standard cells.
foreach file $::env(RY_VERILOG) { read_verilog -DRAILYARD_ASIC {*}[expr {$include eq "" ? {} : [list -I$include]}] $file }
if {[setting RY_MACROS ""] ne ""} { read_verilog -lib $::env(RY_MACROS) }
hierarchy -check -top $top
# Down to gates module by module, then flat: a module with many instances is worked on once.
synth -top $top -noabc
flatten
opt -fast -full
dfflibmap -liberty $mapping
opt
abc -liberty $mapping -constr $out/abc.constr {*}$mapper

# OpenSTA reads a plain netlist only.
setundef -zero
if {[setting RY_TIE_HIGH ""] ne ""} {
    hilomap -hicell {*}$::env(RY_TIE_HIGH) -locell {*}$::env(RY_TIE_LOW)
}
splitnets
opt_clean -purge
# OpenSTA does not read assignments to concatenations, which stand for outputs that are constants or each other: these get buffers.
if {[setting RY_BUFFER ""] ne ""} {
    write_verilog -noattr -noexpr -nohex -nodec $out/netlist.v
    set netlist [open $out/netlist.v]
    set joined [regexp -line {^\s*assign \{} [read $netlist]]
    close $netlist
    if {$joined} {
        insbuf -buf {*}$::env(RY_BUFFER)
        opt_clean -purge
    }
}
tee -o $out/stat.txt stat -liberty $liberty -top $top
tee -q -o $out/stat.json stat -json -top $top
write_verilog -noattr -noexpr -nohex -nodec $out/netlist.v
if {[setting RY_JSON 0]} { write_json $out/netlist.json }
