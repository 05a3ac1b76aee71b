//! What an integrator must keep to.

use railyard_spec::chip::StreamShape;
use railyard_spec::{CheckedConfig, FlowControl, Shape};

/// The rules that hold at the pins of every design.
const AT_THE_PINS: [&str; 3] = [
    "There is no back-pressure at `tx_*`: take a flit in every cycle, into a buffer for which credit was given.",
    "All pins belong to the one clock. A link from another clock needs a crossing outside; credit reports must cross it, too.",
    "A sender without credit for a whole packet must not start it: virtual cut-through never stops in the middle of one.",
];

/// The notes of a switch.
pub fn of_switch(config: &CheckedConfig, shape: &Shape) -> Vec<String> {
    let chip = config.chip_shape();
    let has_links = chip.as_ref().is_none_or(|chip| chip.links(shape) > 0);
    let mut notes: Vec<String> = if has_links { AT_THE_PINS.map(String::from).into() } else { Vec::new() };
    notes.extend(shape.by_depth().into_iter().map(|(kind, shape)| {
        let link = kind.map_or("link".into(), |kind| format!("{} link", kind.name()));
        match (shape.full_link_cycles(), shape.full_link_flits(0)) {
            (Some(cycles), _) => {
                format!("One virtual channel alone keeps {link}s of up to {cycles} cycles each way full.")
            }
            (None, Some(needed)) => {
                format!("One virtual channel alone keeps no {link} full: that takes buffers of {needed} flits.")
            }
            (None, None) => "One virtual channel alone is as fast as its lookups are answered.".into(),
        }
    }));
    notes.push(match shape.flow_control {
        FlowControl::Absolute => {
            "A credit report is a running total: one may be lost if a later one gets through.".into()
        }
        FlowControl::Relative => "A credit report is a count: no report may be lost or repeated.".into(),
    });
    notes.push(
        "Routes decide whether a network of these switches can deadlock: `railyard network check` finds rings of channels that wait \
         for each other. Requests and answers that wait for each other need virtual channels of their own."
            .into(),
    );
    if shape.barrier.is_some() {
        notes.push("Flits of the barrier channel take no buffer and no credit.".into());
    }
    if let Some(streams) = chip.and_then(|chip| chip.streams) {
        notes.extend(of_streams(&streams, shape));
    }
    notes
}

/// The notes of streams.
fn of_streams(streams: &StreamShape, shape: &Shape) -> Vec<String> {
    let most = shape.max_flits - streams.header_flits;
    let mut notes = vec![
        "A stream out has one `tready` for all virtual channels. Channels that keep requests and answers apart in the network are \
         joined there: a consumer must take requests while it waits for an answer."
            .to_string(),
        format!("A packet of a stream has at most {most} beats. A longer one is dropped or cut off, and `error_stream` is set."),
    ];
    if streams.cut_through {
        notes.push("A source must not pause inside a packet: the pause holds an output of the switch.".into());
    }
    if shape.barrier.is_some() {
        notes.push("Barrier messages do not pass a stream: those that leave by its port are lost.".into());
    }
    notes
}

/// The notes of a network.
pub fn of_network() -> Vec<String> {
    let mut notes: Vec<String> = AT_THE_PINS.map(String::from).into();
    notes.push("Tie the pins of link faults (`link_down`, `credit_lost` and their like) to 0 in a chip.".into());
    notes.push(
        "`railyard network check` has found no ring of channels that wait for each other in this network.".into(),
    );
    notes
}
