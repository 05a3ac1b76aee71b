//! Rules of Dragonfly routing.

use super::Rule;
use crate::config::{Adaptive, ArbitrationPolicy, Config, Crossbar, DragonflyRouting, FlowControl, LinkArbitration};
use crate::dragonfly::HeaderLayout;
use crate::legal::{Letter, Masks, PacketClass, Reference};
use crate::router_message::{LEAST_FLIT_BITS, PAYLOAD_LOW};

/// Shortest reference whose letters a minimal way climbs.
const SHORTEST: &str = "lgl";

/// Most VCs, of all ports, whose packets are ranked by age: a bit for each pair of them.
const MOST_RANKED: u32 = 128;

pub(super) fn rules(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting) {
    around(rule, config);
    sizes(rule, config, dragonfly);
    virtual_channels(rule, config, dragonfly);
    if let Some(built) = &dragonfly.adaptive {
        adaptive(rule, config, dragonfly, built);
    }
    rule(
        &["/routing/random_vcs", "/routing/flexible_vcs", "/routing/adaptive"],
        !dragonfly.random_vcs || dragonfly.flexible_vcs && dragonfly.adaptive.is_some(),
        "true".into(),
        "needs flexible_vcs, whose rules it joins, and adaptive, whose draws it takes".into(),
        "false".into(),
    );
    arbitration(rule, config, dragonfly);
}

/// What else the switch must have.
fn around(rule: &mut Rule, config: &Config) {
    rule(
        &["/registers", "/routing/kind"],
        config.registers,
        "false".into(),
        "must be true: Dragonfly routing has its tables in registers".into(),
        "true".into(),
    );
    rule(
        &["/link_arbitration", "/routing/kind"],
        config.link_arbitration == LinkArbitration::Packet,
        "\"flit\"".into(),
        "must be packet-wise with Dragonfly routing: flits of two packets would mix on one VC".into(),
        "\"packet\"".into(),
    );
    rule(
        &["/crossbar", "/routing/kind"],
        config.crossbar == Crossbar::Parallel,
        "\"single\"".into(),
        "must be parallel with Dragonfly routing".into(),
        "\"parallel\"".into(),
    );
    rule(
        &["/virtual_channels/mixed", "/routing/kind"],
        config.virtual_channels.mixed == 0,
        "1".into(),
        "must be 0 with Dragonfly routing, which has no multicast".into(),
        "0".into(),
    );
}

fn sizes(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting) {
    let classes = &dragonfly.port_classes;
    rule(
        &["/ports", "/routing/port_classes"],
        config.ports == classes.ports(),
        config.ports.to_string(),
        format!("must be the ports of all classes together: {}", classes.ports()),
        classes.ports().to_string(),
    );
    rule(
        &["/routing/port_classes/local/ports"],
        classes.local.ports <= 31,
        classes.local.ports.to_string(),
        "must be at most 31: the router table has 32 entries".into(),
        "31".into(),
    );
    let groups = dragonfly.most_groups();
    let reached = (classes.local.ports + 1) * classes.global.ports + 1;
    rule(
        &["/routing/groups", "/routing/port_classes"],
        groups <= reached,
        groups.to_string(),
        format!("must be at most {reached}: one more than the global links of a group"),
        reached.min(256).to_string(),
    );
    let bits: [(&[&'static str], u32, u32, &str); 3] = [
        (&["/routing/group_bits", "/routing/groups", "/routing/port_classes"], dragonfly.group_bits, groups, "groups"),
        (&["/routing/router_bits", "/routing/port_classes"], dragonfly.router_bits, classes.local.ports + 1, "routers"),
        (&["/routing/node_bits", "/routing/port_classes"], dragonfly.node_bits, classes.node.ports, "nodes"),
    ];
    for (fields, bits, count, what) in bits {
        let least = count.next_power_of_two().trailing_zeros().max(1);
        rule(
            fields,
            bits >= least,
            bits.to_string(),
            format!("must number {count} {what}: {least} bits or more"),
            least.to_string(),
        );
    }
    let header = HeaderLayout::of(dragonfly).bits;
    rule(
        &[
            "/flit_bits",
            "/routing/group_bits",
            "/routing/router_bits",
            "/routing/node_bits",
            "/routing/vcs/replies",
            "/routing/adaptive",
            "/routing/age_bits",
        ],
        config.flit_bits >= header,
        config.flit_bits.to_string(),
        format!("must hold the header, which has {header} bits with Dragonfly routing"),
        header.max(16).to_string(),
    );
}

fn virtual_channels(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting) {
    let vcs = &dragonfly.vcs;
    let reference = match Reference::new(&vcs.requests, &vcs.replies) {
        Ok(reference) => reference,
        Err(error) => {
            let value = format!("\"{}\"", vcs.requests);
            let fields = &["/routing/vcs/requests", "/routing/vcs/replies"];
            return rule(fields, false, value, error.to_string(), format!("\"{SHORTEST}\""));
        }
    };
    for (path, text) in [("/routing/vcs/requests", &vcs.requests), ("/routing/vcs/replies", &vcs.replies)] {
        rule(
            &[path],
            text.is_empty() || climbs(text),
            format!("\"{text}\""),
            "must have l, g and l in this order: the hops of a minimal way".into(),
            format!("\"{SHORTEST}\""),
        );
    }
    let most = Letter::ALL.map(|letter| reference.vcs(letter)).into_iter().max().unwrap_or(0) as u32;
    rule(
        &["/virtual_channels/unicast", "/routing/vcs"],
        config.virtual_channels.unicast >= most,
        config.virtual_channels.unicast.to_string(),
        format!("must be at least {most}: one for each letter of a class in the reference sequence"),
        most.min(8).to_string(),
    );
    vcs_of_kinds(rule, config, dragonfly, &reference);
}

/// Rules of VCs that are built at a kind of port.
fn vcs_of_kinds(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting, reference: &Reference) {
    let unicast = config.virtual_channels.unicast;
    let classes = &dragonfly.port_classes;
    let node =
        if reference.has_replies() { (2, "a VC to nodes for requests and one for replies") } else { (1, "a VC") };
    let local = (reference.vcs(Letter::Local) as u32, "one for each l of the reference sequence");
    let global = (reference.vcs(Letter::Global) as u32, "one for each g of the reference sequence");
    let kinds = [
        ("/routing/port_classes/node/vcs", classes.node.vcs, node),
        ("/routing/port_classes/local/vcs", classes.local.vcs, local),
        ("/routing/port_classes/global/vcs", classes.global.vcs, global),
    ];
    for (path, vcs, (least, what)) in kinds {
        let Some(vcs) = vcs else { continue };
        rule(
            &[path, "/virtual_channels/unicast", "/routing/vcs"],
            (least..=unicast).contains(&vcs),
            vcs.to_string(),
            format!("must be at least {least}, {what}, and at most {unicast}, which virtual_channels/unicast is"),
            vcs.clamp(least.min(unicast), unicast).to_string(),
        );
    }
    let most = classes.all().map(|(_, class)| class.vcs.unwrap_or(unicast)).into_iter().max().unwrap_or(unicast);
    rule(
        &["/virtual_channels/unicast", "/routing/port_classes"],
        most >= unicast,
        unicast.to_string(),
        format!("must be {most}: no kind of port has more"),
        most.to_string(),
    );
}

/// Rules of ways other than the minimal one.
fn adaptive(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting, built: &Adaptive) {
    rule(
        &["/routing/adaptive"],
        built.valiant.is_some() || built.in_transit,
        "adaptive".into(),
        "must have valiant or in_transit, or be null: there is no other way to choose".into(),
        "null".into(),
    );
    rule(
        &["/routing/adaptive/contention", "/routing/adaptive/in_transit"],
        built.in_transit || !built.contention,
        "true".into(),
        "needs in_transit, which reads the counters".into(),
        "false".into(),
    );
    rule(
        &["/routing/adaptive/filter", "/routing/adaptive/contention"],
        built.contention || !built.filter,
        "true".into(),
        "needs contention, whose counters it filters".into(),
        "false".into(),
    );
    rule(
        &["/routing/adaptive/min_credits", "/flow_control"],
        config.flow_control == FlowControl::Absolute || !built.min_credits,
        "true".into(),
        "needs absolute credits: without a running total, a lost report would shift the count for good".into(),
        "false".into(),
    );
    messages(rule, config, dragonfly, built);
    if let Ok(reference) = Reference::new(&dragonfly.vcs.requests, &dragonfly.vcs.replies) {
        rule(
            &["/routing/vcs/requests", "/routing/adaptive"],
            Masks::of_dragonfly(&reference).allow_detours(PacketClass::Request),
            format!("\"{}\"", dragonfly.vcs.requests),
            "makes no hop legal that is not minimal; adaptive ways need at least lglgl".into(),
            "\"lglgl\"".into(),
        );
    }
}

/// Rules of messages between routers.
fn messages(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting, built: &Adaptive) {
    rule(
        &["/routing/adaptive/ectn", "/routing/adaptive/contention"],
        built.contention || !built.ectn,
        "true".into(),
        "needs contention, whose counters count in transit".into(),
        "false".into(),
    );
    rule(
        &["/routing/adaptive/saturation", "/routing/adaptive/valiant"],
        built.valiant.is_some() || !built.saturation,
        "true".into(),
        "needs valiant, whose vias packets take".into(),
        "false".into(),
    );
    let bits = PAYLOAD_LOW + dragonfly.port_classes.global.ports;
    rule(
        &["/routing/adaptive/saturation", "/flit_bits", "/routing/port_classes"],
        config.flit_bits >= bits || !built.saturation,
        "true".into(),
        format!("needs flits of at least {bits} bits: a message with a bit for each global link is one flit"),
        "false".into(),
    );
    rule(
        &["/routing/adaptive/ectn", "/flit_bits"],
        config.flit_bits >= LEAST_FLIT_BITS || !built.ectn,
        "true".into(),
        format!("needs flits of at least {LEAST_FLIT_BITS} bits: a message of two counters is one flit"),
        "false".into(),
    );
}

/// Rules of policies.
fn arbitration(rule: &mut Rule, config: &Config, dragonfly: &DragonflyRouting) {
    let by_age = dragonfly.arbitration.policy == ArbitrationPolicy::Oldest;
    rule(
        &["/routing/arbitration/policy", "/routing/age_bits"],
        !by_age || dragonfly.age_bits.is_some(),
        "\"oldest\"".into(),
        "needs age_bits, the width of the age in a header".into(),
        "\"round_robin\"".into(),
    );
    let waiting = config.ports * config.virtual_channels.unicast;
    rule(
        &["/routing/arbitration/policy", "/ports", "/virtual_channels/unicast"],
        !by_age || waiting <= MOST_RANKED,
        "\"oldest\"".into(),
        format!("needs at most {MOST_RANKED} VCs of all ports together, which are ranked with each other: {waiting}"),
        "\"least_recent\"".into(),
    );
}

/// Whether a minimal way climbs these letters.
fn climbs(letters: &str) -> bool {
    let mut left = letters.chars();
    SHORTEST.chars().all(|letter| left.any(|other| other == letter))
}
