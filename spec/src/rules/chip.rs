//! Rules of what stands around the switch.

use super::Rule;
use crate::chip::ChipShape;
use crate::config::{Chip, Config, RegisterPort, Streams};
use crate::registers::registers;
use crate::shape::Shape;

pub(super) fn rules(rule: &mut Rule, config: &Config, chip: &Chip, shape: &Shape) {
    rule(
        &["/chip/register_port", "/registers"],
        chip.register_port != RegisterPort::AxiLite || !registers(shape).is_empty(),
        "\"axi_lite\"".into(),
        "needs registers that it reaches, and the switch has none".into(),
        "\"none\"".into(),
    );
    // Without registers at all, the rules of each of these say so.
    let is_out_of_reach = chip.register_port == RegisterPort::None && config.registers;
    let useless = if is_out_of_reach { set_or_read(config, shape) } else { Vec::new() };
    rule(
        &["/chip/register_port", "/registers", "/events", "/counters", "/virtual_channels", "/routing"],
        useless.is_empty(),
        "\"none\"".into(),
        format!("leaves no way to the registers of {}, which need them", useless.join(", ")),
        "\"apb\"".into(),
    );
    if let Some(streams) = &chip.streams {
        stream_rules(rule, streams, chip, shape);
        let around = ChipShape::new(chip, shape);
        let has_link = (0..shape.ports).any(|port| !around.is_stream(port));
        rule(
            &["/buffer_ecc/fault_pins", "/chip/streams", "/ports"],
            has_link || !config.buffer_ecc.as_ref().is_some_and(|ecc| ecc.fault_pins),
            "true".into(),
            "must be false: `rx_flip` is a pin of links, and all ports are streams".into(),
            "false".into(),
        );
    }
}

/// What does nothing unless software sets or reads it: the same as what needs registers at all.
fn set_or_read(config: &Config, shape: &Shape) -> Vec<&'static str> {
    let built = [
        ("events", config.events),
        ("counters", config.counters.is_some()),
        ("multicast groups", shape.multicast.is_some()),
        ("barrier groups", shape.barrier.is_some()),
        ("node reduction", shape.reduction().is_some()),
        ("link aggregation", shape.link_aggregation.is_some()),
        ("a forwarding table", shape.forwarding_table().is_some()),
        ("a default route", shape.default_route()),
        ("Dragonfly routing", shape.dragonfly().is_some()),
    ];
    built.into_iter().filter(|(_, is_built)| *is_built).map(|(name, _)| name).collect()
}

/// Rules of streams.
fn stream_rules(rule: &mut Rule, streams: &Streams, chip: &Chip, shape: &Shape) {
    let bits = shape.flit_bits;
    rule(
        &["/chip/streams", "/flit_bits"],
        bits % 8 == 0,
        "streams".into(),
        format!("need flits of whole bytes, and flit_bits is {bits}"),
        "null".into(),
    );
    if let Some(ports) = &streams.ports {
        rule(
            &["/chip/streams/ports", "/ports"],
            ports.is_sorted_by(|a, b| a < b) && ports.iter().all(|port| (*port as usize) < shape.ports),
            format!("{ports:?}"),
            format!("must name ports below {}, each once, in ascending order", shape.ports),
            "[0, 1]".into(),
        );
    }
    if let Some(built) = shape.dragonfly().filter(|built| built.min_credits) {
        let around = ChipShape::new(chip, shape);
        let link = (built.node_ports..shape.ports).find(|&port| around.is_stream(port));
        rule(
            &["/chip/streams", "/routing/adaptive/min_credits"],
            link.is_none(),
            link.map_or("streams".into(), |port| format!("port {port}")),
            "must be a port to a node: with min_credits, other ports report flits of minimal packets".into(),
            "null".into(),
        );
    }
    let header = ChipShape::new(chip, shape).streams.map_or(0, |streams| streams.header_flits);
    rule(
        &["/packet/max_flits", "/chip/streams", "/flit_bits"],
        bits % 8 != 0 || shape.max_flits > header,
        shape.max_flits.to_string(),
        format!("must hold a flit of payload behind the {header} flits of the header that a stream makes"),
        (header + 1).to_string(),
    );
}
