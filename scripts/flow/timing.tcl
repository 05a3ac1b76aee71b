# Time a mapped netlist with OpenSTA: ideal clock, wires as the default wire load of the first library has them, if there
# is one. Runs alone, after synth.tcl:
#
#   RY_LIBERTY="lib.lib" RY_OUT=out RY_TOP=my_switch sta -no_splash -exit scripts/flow/timing.tcl
#
# RY_LIBERTY   Liberty files, separated by blanks (the cells first, then the memory macros)
# RY_OUT       folder with netlist.v; RY_TOP top module
# optional:
# RY_CLOCK     clock port (default clock)
# RY_PERIOD    clock period in ns that slack and power refer to (default 1)
# RY_DRIVER    cell that drives each input; RY_LOAD load of each output in fF
# RY_ACTIVITY  file of "name transitions-per-cycle duty" lines for registers, inputs and memory outputs;
#              without it: RY_TOGGLE (default 0.1) transitions per cycle at inputs, propagated
# RY_POWER     0: no power (OpenSTA 2.0.17 crashes in it on a netlist with hierarchy)
# RY_UNCERTAINTY  clock uncertainty in ns (default 0), taken off each period
#
# Lines for machines start with "ry:"; the last one is "ry:end". A group without a path has a line "ry:none".
proc setting {name default} {
    if {[info exists ::env($name)] && $::env($name) ne ""} { return $::env($name) }
    return $default
}
foreach file $::env(RY_LIBERTY) { read_liberty $file }
read_verilog $::env(RY_OUT)/netlist.v
link_design $::env(RY_TOP)
set_cmd_units -time ns -capacitance fF -power W
set period [setting RY_PERIOD 1]
set clock_port [get_ports -quiet [setting RY_CLOCK clock]]
if {[llength $clock_port] > 0} {
    create_clock -name clock -period $period $clock_port
} else {
    create_clock -name clock -period $period
}
set_clock_uncertainty [setting RY_UNCERTAINTY 0] [get_clocks clock]
set inputs {}
foreach port [all_inputs] {
    if {[get_full_name $port] ne [setting RY_CLOCK clock]} { lappend inputs $port }
}
if {[llength $inputs] > 0} {
    set_input_delay 0 -clock clock $inputs
    if {[setting RY_DRIVER ""] ne ""} { set_driving_cell -lib_cell $::env(RY_DRIVER) $inputs }
}
set_output_delay 0 -clock clock [all_outputs]
set_load [setting RY_LOAD 7] [all_outputs]

proc is_port {pin} { return [expr {[string first / [get_full_name $pin]] < 0}] }
proc cell_of {pin} {
    if {[is_port $pin]} { return port }
    return [get_name [get_property [get_cells -of_objects $pin] liberty_cell]]
}
# The nets at the outputs of the cell of a pin: for a flip-flop, the name of the register.
proc outputs_of {pin} {
    set names {}
    if {[is_port $pin]} { return $names }
    foreach output [get_pins -of_objects [get_cells -of_objects $pin]] {
        if {[get_property $output direction] ne "output"} { continue }
        foreach net [get_nets -of_objects $output] { lappend names [get_full_name $net] }
        if {[llength $names] >= 2} { break }
    }
    return $names
}
proc show_path {group from to} {
    set paths {}
    if {[llength $from] > 0 && [llength $to] > 0} { set paths [find_timing_paths -path_delay max -from $from -to $to] }
    if {[llength $paths] == 0} {
        puts "ry:none\t$group"
        return
    }
    set path [lindex $paths 0]
    puts "ry:path\t$group\t[get_property $path slack]"
    foreach point [get_property $path points] {
        set pin [get_property $point pin]
        set direction [get_property $pin direction]
        puts "ry:point\t[get_property $point arrival]\t[cell_of $pin]\t$direction\t[get_full_name $pin]\t[outputs_of $pin]"
    }
}
set clock_pins [all_registers -clock_pins]
set data_pins [all_registers -data_pins]
show_path register_to_register $clock_pins $data_pins
show_path input_to_register $inputs $data_pins
show_path register_to_output $clock_pins [all_outputs]
show_path input_to_output $inputs [all_outputs]

if {[setting RY_POWER 1]} {
    if {[setting RY_ACTIVITY ""] ne ""} {
        set file [open $::env(RY_ACTIVITY)]
        while {[gets $file line] >= 0} {
            lassign $line name rate duty
            set activity($name) [list $rate $duty]
        }
        close $file
        set known 0
        set asked 0
        foreach port $inputs {
            incr asked
            set name [get_full_name $port]
            if {[info exists activity($name)]} {
                incr known
                lassign $activity($name) rate duty
                set_power_activity -input_ports $port -activity $rate -duty $duty
            }
        }
        foreach pin [all_registers -output_pins] {
            incr asked
            # A register is found by the net at its output, a memory's output by <instance>.<port>.
            foreach name [concat [lindex [outputs_of $pin] 0] [string map {/ .} [get_full_name $pin]]] {
                if {[info exists activity($name)]} {
                    incr known
                    lassign $activity($name) rate duty
                    # set_power_activity -pins calls a procedure that OpenSTA 2.0.17 does not have.
                    sta::set_power_pin_activity $pin $rate $duty
                    break
                }
            }
        }
        puts "ry:activity\t$known\t$asked"
    } else {
        set_power_activity -input -activity [setting RY_TOGGLE 0.1] -duty 0.5
    }
    puts "ry:power"
    report_power -digits 6
}
puts "ry:end"
