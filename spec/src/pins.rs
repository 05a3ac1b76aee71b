//! The pins of the top module: the one list that the hardware, the golden model, the test bench and the manifest share.

use crate::config::FlowControl;
use crate::registers::{registers, APB_ADDRESS_BITS};
use crate::shape::{Shape, TableShape};
use serde::Serialize;
use Direction::{Input, Output};
use Meaningful::{Always, While};

/// Width of a port's counter of dropped packets.
pub const DROP_COUNT_BITS: u32 = 16;

/// Direction of a pin, seen from the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Driven from outside.
    Input,
    /// Driven by the switch.
    Output,
}

/// When an output's value means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaningful {
    /// In every cycle.
    Always,
    /// Element by element, while the same element of the named pin is 1.
    While(&'static str),
}

/// A pin (or a vector of them): `count` elements of `bits` bits, element `i` at `[i * bits +: bits]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// Name in the Verilog.
    pub name: &'static str,
    /// Direction.
    pub direction: Direction,
    /// Number of elements: 1, the ports, or ports x VCs (VC v of port p is element p * k + v).
    pub count: usize,
    /// Bits of an element.
    pub bits: u32,
    /// When its value counts; inputs follow the same rule.
    pub meaningful: Meaningful,
    /// Meaning.
    pub meaning: &'static str,
}

impl Pin {
    /// Total width in bits.
    pub fn width(&self) -> u32 {
        self.count as u32 * self.bits
    }
}

/// Takes a pin: name, direction, elements, bits of each, when it is meaningful, meaning.
type Add<'a> = dyn FnMut(&'static str, Direction, usize, u32, Meaningful, &'static str) + 'a;

/// The pins of a switch in the order of the Verilog port list. Timing: `docs/`, switch reference.
pub fn pins(shape: &Shape) -> Vec<Pin> {
    let mut list = Vec::new();
    let pin = &mut |name, direction, count, bits, meaningful, meaning| {
        list.push(Pin { name, direction, count, bits, meaningful, meaning })
    };
    link_pins(pin, shape);
    if let Some(table) = shape.table().filter(|t| t.external_cam) {
        cam_pins(pin, shape, table);
    }
    if shape.table().is_some() {
        lookup_pins(pin, shape);
    }
    if let Some(word) = shape.group_parity() {
        let n = shape.ports;
        let meaning = "A packet read a word of the group table with wrong parity, and is dropped.";
        pin("group_parity", Output, n, 1, Always, meaning);
        if word.fault_pins {
            let meaning = "Bit of the word that is stored inverted if the group table is written in the current cycle.";
            pin("group_flip", Input, n, word.bits, Always, meaning);
        }
    }
    if !registers(shape).is_empty() {
        register_pins(pin);
    }
    report_pins(pin, shape);
    if let Some(bits) = shape.memory_test_bits {
        pin("memory_test", Input, 1, bits, Always, "Goes to the macro of each memory as it is.");
        let meaning = "All memories sleep: they keep their words, and neither write nor read.";
        pin("memory_sleep", Input, 1, 1, Always, meaning);
    }
    list
}

/// Clock, reset, and the links.
fn link_pins(pin: &mut Add, shape: &Shape) {
    let (n, nk) = (shape.ports, shape.ports * shape.vcs);
    let credit_meaning = match shape.flow_control {
        FlowControl::Absolute => "Running total of flits freed, modulo the width of the pin.",
        FlowControl::Relative => "Number of flits freed: 0, 1 or 2.",
    };

    pin("clock", Input, 1, 1, Always, "Clock; all registers change at the rising edge.");
    pin(shape.reset.pin(), Input, 1, 1, Always, shape.reset.meaning());
    let cleared = if shape.events {
        "Clears all sticky error flags, and all events in the registers."
    } else {
        "Clears all sticky error flags."
    };
    pin("error_clear", Input, 1, 1, Always, cleared);

    pin("rx_valid", Input, n, 1, Always, "A flit arrives.");
    pin("rx_vc", Input, n, shape.vc_bits, While("rx_valid"), "Virtual channel of the flit.");
    pin("rx_head", Input, n, 1, While("rx_valid"), "The flit is the first of a packet.");
    pin("rx_tail", Input, n, 1, While("rx_valid"), "The flit is the last of a packet.");
    pin("rx_flit", Input, n, shape.flit_bits, While("rx_valid"), "Bits of the flit.");
    if let Some(code) = shape.buffer_code {
        pin("rx_bad", Input, n, 1, While("rx_valid"), "The packet of the flit has an error that was not corrected.");
        if code.fault_pins {
            pin("rx_flip", Input, n, code.bits, While("rx_valid"), "Bits of the code word that are stored inverted.");
        }
    }
    pin("rx_credit_valid", Output, nk, 1, Always, "Buffer space of VC v became free, and a credit report leaves.");
    pin("rx_credit", Output, nk, shape.credit_bits, Always, credit_meaning);
    let min_credits = shape.dragonfly().is_some_and(|built| built.min_credits);
    let minimal = "Running total of flits of minimal packets freed, modulo the width of the pin; 0 at ports of nodes.";
    if min_credits {
        pin("rx_min_credit", Output, nk, shape.credit_bits, Always, minimal);
    }

    pin("tx_valid", Output, n, 1, Always, "A flit leaves.");
    pin("tx_vc", Output, n, shape.vc_bits, While("tx_valid"), "Virtual channel of the flit.");
    pin("tx_head", Output, n, 1, While("tx_valid"), "The flit is the first of a packet.");
    pin("tx_tail", Output, n, 1, While("tx_valid"), "The flit is the last of a packet.");
    pin("tx_flit", Output, n, shape.flit_bits, While("tx_valid"), "Bits of the flit.");
    if shape.buffer_code.is_some() {
        let bad = "The packet of the flit has an error that was not corrected, up to this flit.";
        pin("tx_bad", Output, n, 1, While("tx_valid"), bad);
        pin("tx_corrected", Output, n, 1, While("tx_valid"), "A wrong bit of the flit was corrected.");
    }
    pin("tx_credit_valid", Input, nk, 1, Always, "A credit report of the next buffer arrives.");
    pin("tx_credit", Input, nk, shape.credit_bits, While("tx_credit_valid"), credit_meaning);
    if min_credits {
        pin("tx_min_credit", Input, nk, shape.credit_bits, While("tx_credit_valid"), minimal);
    }
}

/// The external CAM.
fn cam_pins(pin: &mut Add, shape: &Shape, table: &TableShape) {
    pin("cam_request_valid", Output, 1, 1, Always, "A lookup for the CAM is there, and stays until accepted.");
    pin("cam_request_ready", Input, 1, 1, Always, "The CAM accepts the lookup in the current cycle.");
    pin(
        "cam_request_tag",
        Output,
        1,
        table.tag_bits,
        While("cam_request_valid"),
        "Tag of the request, which the answer repeats: port, VC, slot.",
    );
    pin("cam_request_address", Output, 1, table.address_bits, While("cam_request_valid"), "Destination to look up.");
    pin("cam_response_valid", Input, 1, 1, Always, "The CAM answers, and the answer is always taken.");
    pin(
        "cam_response_tag",
        Input,
        1,
        table.tag_bits,
        While("cam_response_valid"),
        "Tag of the request that is answered.",
    );
    pin("cam_response_hit", Input, 1, 1, While("cam_response_valid"), "The address has a route.");
    pin("cam_response_port", Input, 1, shape.port_bits, While("cam_response_valid"), "Output port of the route.");
    if shape.next_vc {
        let answered = While("cam_response_valid");
        pin("cam_response_vc_set", Input, 1, 1, answered, "Packets leave on `cam_response_vc`, not on their own VC.");
        pin("cam_response_vc", Input, 1, shape.vc_bits, answered, "VC on which packets leave.");
    }
    let answered = While("cam_response_valid");
    if let Some(groups) = &shape.link_aggregation {
        pin("cam_response_group_set", Input, 1, 1, answered, "Packets leave by a link of a group.");
        pin("cam_response_group", Input, 1, groups.group_bits, answered, "Link aggregation group.");
    }
    if shape.candidates > 1 {
        let (more, bits) = (shape.candidates - 1, shape.candidates_bits());
        pin("cam_response_candidates", Input, 1, bits, answered, "Number of further candidate ports.");
        pin(
            "cam_response_candidate",
            Input,
            more,
            shape.port_bits,
            answered,
            "Further candidate ports, from number 1.",
        );
        pin("cam_response_in_order", Input, 1, 1, answered, "The address alone selects the candidate.");
    }
}

/// What lookups do.
fn lookup_pins(pin: &mut Add, shape: &Shape) {
    let n = shape.ports;
    pin("lookup_hit", Output, n, 1, Always, "A lookup was answered by the routing cache.");
    pin(
        "lookup_miss",
        Output,
        n,
        1,
        Always,
        "A lookup missed the routing cache, and goes to forwarding table or CAM or joins one that does.",
    );
    if let Some(word) = shape.cache_parity() {
        pin("lookup_parity", Output, n, 1, Always, "A lookup read a word of the routing cache with wrong parity.");
        if word.fault_pins {
            let meaning = "Bit of the word that is stored inverted if a fill of the port writes in the current cycle.";
            pin("cache_flip", Input, n, word.bits, Always, meaning);
        }
    }
    if let Some(word) = shape.table_parity() {
        pin("table_parity", Output, 1, 1, Always, "A request read a word of the forwarding table with wrong parity.");
        if word.fault_pins {
            let meaning = "Bit of the word that is stored inverted if the table is written in the current cycle.";
            pin("table_flip", Input, 1, word.bits, Always, meaning);
        }
    }
}

/// The registers.
fn register_pins(pin: &mut Add) {
    pin("apb_psel", Input, 1, 1, Always, "APB: a transfer addresses the registers of the switch.");
    pin("apb_penable", Input, 1, 1, Always, "APB: the transfer is in its access phase.");
    pin("apb_pwrite", Input, 1, 1, While("apb_psel"), "APB: the transfer writes.");
    pin("apb_paddr", Input, 1, APB_ADDRESS_BITS, While("apb_psel"), "APB: byte address.");
    pin("apb_pwdata", Input, 1, 32, While("apb_psel"), "APB: data to write.");
    pin("apb_pready", Output, 1, 1, Always, "APB: always 1, as no transfer waits.");
    pin("apb_prdata", Output, 1, 32, Always, "APB: data read.");
    pin("apb_pslverr", Output, 1, 1, Always, "APB: the access is illegal and changes nothing.");
}

/// Drops and errors.
fn report_pins(pin: &mut Add, shape: &Shape) {
    let (n, nk) = (shape.ports, shape.ports * shape.vcs);
    pin("drop_valid", Output, nk, 1, Always, "A packet without a route was dropped.");
    pin("drop_count", Output, n, DROP_COUNT_BITS, Always, "Packets dropped since reset, modulo 65,536.");
    pin("error_vc", Output, n, 1, Always, "Sticky: a flit came on a VC that does not exist.");
    pin("error_framing", Output, n, 1, Always, "Sticky: a head came inside a packet, or a flit outside one.");
    pin("error_overflow", Output, n, 1, Always, "Sticky: a flit came without credit.");
    pin("error_length", Output, n, 1, Always, "Sticky: a packet was over the maximum, or shorter than its header.");
    pin("error_credit", Output, n, 1, Always, "Sticky: a credit report was for flits that were never sent.");
    if shape.external_cam() {
        pin(
            "error_cam",
            Output,
            1,
            1,
            Always,
            "Sticky: a CAM answer matched no request, or named a port or VC that does not exist.",
        );
    }
    if shape.events {
        pin("event_interrupt", Output, 1, 1, Always, "An event that is enabled has happened, and is not yet cleared.");
    }
}
