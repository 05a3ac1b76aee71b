//! The buffers that keep a link full.

use crate::blueprint::Blueprint;
use crate::wiring::{Peer, Port};
use railyard_spec::misrouting::PortKind;
use railyard_spec::Shape;
use serde::Serialize;

/// The buffers that one VC needs to keep the longest link full, of all links or of those of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FullLink {
    /// Kind of the link in a Dragonfly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// Cycles of the longest link, each way.
    pub latency: u64,
    /// Flits of buffer that one VC alone needs for it, with packets of any length.
    pub needed: u32,
    /// Flits of a VC's buffer.
    pub buffer_flits: u32,
    /// Whether the switch names the depth for this kind of link.
    #[serde(skip)]
    of_kind: bool,
}

impl FullLink {
    /// Of a network, one for each kind of link; `link_latency` is that of links without one of their own. None if the
    /// switches have no cache.
    pub fn of_kinds(blueprint: &Blueprint, link_latency: u64) -> Vec<FullLink> {
        let (shape, wiring) = (&blueprint.plan.shape, &blueprint.wiring);
        let Some(built) = shape.dragonfly() else {
            return FullLink::new(None, wiring.longest_latency(link_latency), shape).into_iter().collect();
        };
        let mut longest = [None; PortKind::ALL.len()];
        let ports =
            (0..wiring.switches()).flat_map(|switch| (0..wiring.ports()).map(move |port| Port { switch, port }));
        for at in ports.filter(|&at| wiring.peer(at) != Peer::Nothing) {
            let longest = &mut longest[built.kind(at.port) as usize];
            *longest = (*longest).max(Some((wiring.latency(at, link_latency), at.port)));
        }
        let of_kind = |(kind, longest): (PortKind, Option<(u64, usize)>)| {
            let (latency, port) = longest?;
            FullLink::new(Some(kind), latency, &shape.at_port(port))
        };
        PortKind::ALL.into_iter().zip(longest).filter_map(of_kind).collect()
    }

    /// Of a network: the kind of link whose buffers miss most flits, or have the fewest to spare.
    pub fn tightest(kinds: &[FullLink]) -> Option<FullLink> {
        kinds.iter().copied().min_by_key(|link| i64::from(link.buffer_flits) - i64::from(link.needed))
    }

    fn new(kind: Option<PortKind>, latency: u64, shape: &Shape) -> Option<FullLink> {
        let needed = shape.full_link_flits(u32::try_from(latency).ok()?)?;
        let of_kind = shape.dragonfly().is_some_and(|built| built.buffer_flits.is_some());
        Some(FullLink { kind: kind.map(PortKind::name), latency, needed, buffer_flits: shape.buffer_flits, of_kind })
    }

    /// What shallow buffers cost: of each kind of link, if its buffers have a depth of their own, else of the tightest.
    pub fn notes(kinds: &[FullLink]) -> Vec<String> {
        let of_all = FullLink::tightest(kinds).filter(|link| !link.of_kind);
        let each: Vec<FullLink> = of_all.map_or_else(|| kinds.to_vec(), |tightest| vec![tightest]);
        each.iter().filter_map(FullLink::note).collect()
    }

    /// What too shallow buffers of this kind of link cost.
    fn note(&self) -> Option<String> {
        let FullLink { kind, latency, needed, buffer_flits, of_kind } = self;
        let link = kind.map_or("link".into(), |kind| format!("{kind} link"));
        let field = match kind.filter(|_| *of_kind) {
            Some(kind) => format!("`routing.port_classes.{kind}.buffer_flits`"),
            None => "`buffer_flits`".into(),
        };
        (needed > buffer_flits).then(|| {
            format!(
                "one VC alone does not fill a {link} of {latency} cycle{}: that takes buffers of {needed} flits, and \
                 these have {buffer_flits}. Traffic on several VCs needs less. {field} of the switch: {}",
                if *latency == 1 { "" } else { "s" },
                needed.next_power_of_two()
            )
        })
    }
}
