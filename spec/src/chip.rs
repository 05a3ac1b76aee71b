//! `<name>_chip`: the top module that joins a switch with what stands around it, as numbers and pins.
//!
//! A port of the switch is either a *link*, whose pins are those of the switch, or a *stream*. The pins of links have
//! an element for each link, those of streams for each stream, both in the order of the ports.
//!
//! A packet of a stream has the header of every packet, made by the adapter: address or list of ports, and the
//! multicast bit. A field behind it says how many bytes of the last flit are padding. It lies in one flit.

use crate::config::{Chip, RegisterPort};
use crate::pins::{pins, Direction, Meaningful, Pin};
use crate::registers::{registers, APB_ADDRESS_BITS};
use crate::shape::{RoutingShape, Shape};
use serde::Serialize;
use Direction::{Input, Output};
use Meaningful::{Always, While};

/// What stands around a switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChipShape {
    /// There is a reset synchronizer.
    pub reset_synchronizer: bool,
    /// What reaches the registers, if there are any.
    pub register_port: Option<RegisterPort>,
    /// The streams, if there are any.
    pub streams: Option<StreamShape>,
}

/// The streams of a chip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamShape {
    /// Ports that are streams, ascending.
    pub ports: Vec<usize>,
    /// Packets enter the switch before they are whole, and all their bytes count.
    pub cut_through: bool,
    /// Width of `tdest`: an address, or a list of ports.
    pub destination_bits: u32,
    /// Flits of the header of a packet.
    pub header_flits: u32,
    /// Lowest bit of the number of padding bytes, counted from the first bit of the header.
    pub padding_low: u32,
    /// Width of the number of padding bytes.
    pub padding_bits: u32,
    /// Bytes of a flit.
    pub flit_bytes: u32,
    /// Flits that an adapter stores before they enter the switch.
    pub store_flits: u32,
}

impl ChipShape {
    pub(crate) fn new(chip: &Chip, shape: &Shape) -> ChipShape {
        ChipShape {
            reset_synchronizer: chip.reset_synchronizer,
            register_port: (!registers(shape).is_empty()).then_some(chip.register_port),
            streams: chip.streams.as_ref().map(|streams| {
                let all = || (0..shape.ports as u32).collect();
                let ports = streams.ports.clone().unwrap_or_else(all).into_iter().map(|port| port as usize).collect();
                StreamShape::new(ports, streams.cut_through, shape)
            }),
        }
    }

    /// Whether a port of the switch is a stream.
    pub fn is_stream(&self, port: usize) -> bool {
        self.streams.as_ref().is_some_and(|streams| streams.ports.contains(&port))
    }

    /// Number of ports that are links.
    pub fn links(&self, shape: &Shape) -> usize {
        shape.ports - self.streams.as_ref().map_or(0, |streams| streams.ports.len())
    }
}

impl StreamShape {
    fn new(ports: Vec<usize>, cut_through: bool, shape: &Shape) -> StreamShape {
        let destination_bits = match &shape.routing {
            RoutingShape::Source(source) => source.route_bits,
            RoutingShape::Dragonfly(dragonfly) => dragonfly.header().bits,
            RoutingShape::Table(_) | RoutingShape::Algorithmic(_) => shape.address_bits().unwrap_or(0),
        };
        let flit_bytes = shape.flit_bits / 8;
        let padding_bits = flit_bytes.max(2).next_power_of_two().ilog2();
        let used = destination_bits + u32::from(shape.multicast.is_some());
        let fits = used % shape.flit_bits + padding_bits <= shape.flit_bits && used % shape.flit_bits > 0;
        let padding_low = if fits { used } else { used.next_multiple_of(shape.flit_bits) };
        let end = if cut_through { used } else { padding_low + padding_bits };
        let header_flits = end.div_ceil(shape.flit_bits);
        let store_flits = (2 * shape.max_flits).next_power_of_two();
        StreamShape {
            ports,
            cut_through,
            destination_bits,
            header_flits,
            padding_low,
            padding_bits,
            flit_bytes,
            store_flits,
        }
    }
}

/// The pins of the top module that a description asks for: the chip, or the switch if it has none.
pub fn top_pins(shape: &Shape, chip: Option<&ChipShape>) -> Vec<Pin> {
    chip.map_or_else(|| pins(shape), |chip| chip_pins(shape, chip))
}

/// The pins of a chip in the order of the Verilog port list.
pub fn chip_pins(shape: &Shape, chip: &ChipShape) -> Vec<Pin> {
    let links = chip.links(shape);
    let is_link = |pin: &Pin| pin.name.starts_with("rx_") || pin.name.starts_with("tx_");
    let kept = |pin: &Pin| match pin.name {
        name if name.starts_with("apb_") => chip.register_port == Some(RegisterPort::Apb),
        _ => !is_link(pin) || links > 0,
    };
    let of_chip = |pin: Pin| match pin.name {
        _ if is_link(&pin) => Pin { count: pin.count / shape.ports * links, ..pin },
        "reset" if chip.reset_synchronizer => Pin { meaning: SYNCHRONIZED_HIGH, ..pin },
        "reset_n" if chip.reset_synchronizer => Pin { meaning: SYNCHRONIZED_LOW, ..pin },
        _ => pin,
    };
    let mut list: Vec<Pin> = pins(shape).into_iter().filter(kept).map(of_chip).collect();
    let pin = &mut |name, direction, count, bits, meaningful, meaning| {
        list.push(Pin { name, direction, count, bits, meaningful, meaning })
    };
    if chip.register_port == Some(RegisterPort::AxiLite) {
        axi_lite_pins(pin);
    }
    if let Some(streams) = &chip.streams {
        stream_pins(pin, shape, streams);
    }
    list
}

const SYNCHRONIZED_HIGH: &str = "Reset, active high: may change at any time.";
const SYNCHRONIZED_LOW: &str = "Reset, active low: may change at any time.";

type Add<'a> = dyn FnMut(&'static str, Direction, usize, u32, Meaningful, &'static str) + 'a;

fn axi_lite_pins(pin: &mut Add) {
    pin("axil_awvalid", Input, 1, 1, Always, "AXI4-Lite: an address to write to.");
    pin("axil_awready", Output, 1, 1, Always, "AXI4-Lite: the address to write to is taken, with its data.");
    pin("axil_awaddr", Input, 1, APB_ADDRESS_BITS, While("axil_awvalid"), "AXI4-Lite: byte address to write to.");
    pin("axil_wvalid", Input, 1, 1, Always, "AXI4-Lite: data to write.");
    pin("axil_wready", Output, 1, 1, Always, "AXI4-Lite: the data are taken, with their address.");
    pin("axil_wdata", Input, 1, 32, While("axil_wvalid"), "AXI4-Lite: data to write.");
    pin("axil_wstrb", Input, 1, 4, While("axil_wvalid"), "AXI4-Lite: bytes to write; others than all are an error.");
    pin("axil_bvalid", Output, 1, 1, Always, "AXI4-Lite: answer to a write.");
    pin("axil_bready", Input, 1, 1, Always, "AXI4-Lite: the answer to a write is taken.");
    pin("axil_bresp", Output, 1, 2, While("axil_bvalid"), "AXI4-Lite: 0, or 2 (SLVERR): nothing was written.");
    pin("axil_arvalid", Input, 1, 1, Always, "AXI4-Lite: an address to read.");
    pin("axil_arready", Output, 1, 1, Always, "AXI4-Lite: the address to read is taken.");
    pin("axil_araddr", Input, 1, APB_ADDRESS_BITS, While("axil_arvalid"), "AXI4-Lite: byte address to read.");
    pin("axil_rvalid", Output, 1, 1, Always, "AXI4-Lite: answer to a read.");
    pin("axil_rready", Input, 1, 1, Always, "AXI4-Lite: the answer to a read is taken.");
    pin("axil_rdata", Output, 1, 32, While("axil_rvalid"), "AXI4-Lite: data read.");
    pin("axil_rresp", Output, 1, 2, While("axil_rvalid"), "AXI4-Lite: 0, or 2 (SLVERR): there is no such register.");
}

fn stream_pins(pin: &mut Add, shape: &Shape, streams: &StreamShape) {
    let (n, data, keep) = (streams.ports.len(), shape.flit_bits, streams.flit_bytes);
    let given = While("axis_in_tvalid");
    pin("axis_in_tvalid", Input, n, 1, Always, "Stream into the switch: a beat is there.");
    pin("axis_in_tready", Output, n, 1, Always, "The beat is taken, if there is one.");
    pin("axis_in_tdata", Input, n, data, given, "Payload.");
    if !streams.cut_through {
        pin("axis_in_tkeep", Input, n, keep, given, "Bytes that count: all, or the lowest ones of the last beat.");
    }
    pin("axis_in_tlast", Input, n, 1, given, "The beat is the last of a packet.");
    pin("axis_in_tid", Input, n, shape.vc_bits, given, "Virtual channel, in the first beat.");
    let meaning = match shape.routing {
        RoutingShape::Source(_) => "List of output ports, in the first beat.",
        _ => "Destination address, in the first beat.",
    };
    pin("axis_in_tdest", Input, n, streams.destination_bits, given, meaning);
    if shape.multicast.is_some() {
        let meaning = "Multicast: `axis_in_tdest` is a group, in the first beat.";
        pin("axis_in_tuser", Input, n, 1, given, meaning);
    }
    let given = While("axis_out_tvalid");
    pin("axis_out_tvalid", Output, n, 1, Always, "Stream out of the switch: a beat is there, and stays until taken.");
    pin("axis_out_tready", Input, n, 1, Always, "The beat is taken, if there is one.");
    pin("axis_out_tdata", Output, n, data, given, "Payload.");
    pin("axis_out_tkeep", Output, n, keep, given, "Bytes that count; none of a packet that was a header only.");
    pin("axis_out_tlast", Output, n, 1, given, "The beat is the last of a packet.");
    pin("axis_out_tid", Output, n, shape.vc_bits, given, "Virtual channel of the packet.");
    if shape.buffer_code.is_some() {
        let meaning = "The packet has an error that was not corrected, up to this beat.";
        pin("axis_out_tuser", Output, n, 1, given, meaning);
    }
    pin("error_stream", Output, n, 1, Always, "Sticky: a packet of the stream was dropped, or cut off.");
}
