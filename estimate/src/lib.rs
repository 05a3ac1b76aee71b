//! Area, clock and energy of a generated design, from Yosys synthesis and OpenSTA timing.
