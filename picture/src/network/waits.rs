//! Which channel of a network waits for which: the graph in which a ring is a deadlock.

use crate::canvas::{Canvas, PixelPoint, Rect};
use crate::style::{Ink, Stroke};
use crate::trouble::Trouble;
use railyard_input::Fault;
use railyard_network::blueprint::Blueprint;
use railyard_network::check::{deadlock, Channel, Rules};
use railyard_network::description::{DescriptionError, Input, NetworkFile, SwitchChoice};
use railyard_network::tables::Tables;
use railyard_network::wiring::{Peer, Port, Wiring};
use railyard_spec::{presets, Config};
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use std::path::Path;

/// Channels of a picture at most.
const MOST: usize = 24;
const BOX: (i32, i32) = (108, 42);
/// Radii of the innermost ellipse of channels, and how much larger the next one is.
const RADII: [f64; 2] = [190.0, 120.0];
const STEP: [f64; 2] = [140.0, 66.0];

/// Channels and what each waits for, of unicast packets. The text is that of a network file; one that is refused only
/// because of a deadlock is drawn, too.
///
/// # Errors
/// The network is at fault otherwise, or too large for a picture.
pub fn waits(text: &str, folder: &Path) -> Result<Canvas, Trouble> {
    let network = read(text, folder)?;
    let ring = deadlock(&network.wiring, &network.tables, &[], &network.rules).err().map(|deadlock| deadlock.0);
    let edges = edges(&network);
    let channels: BTreeSet<Channel> = edges.iter().flat_map(|(from, to)| [*from, *to]).collect();
    if channels.is_empty() || channels.len() > MOST {
        let value = format!("{} channels that wait for others", channels.len());
        let rule = format!("a picture of waiting channels has room for 1 to {MOST}");
        let legal = "a ring of four switches".into();
        return Err(Trouble::Unsuited(Fault { path: "/topology".into(), value, rule, legal }));
    }
    let (title, description) = match &ring {
        Some(_) => (
            "deadlock: these channels wait for each other",
            "The arrows form a ring: each buffer can wait for the next one, and the last one for the first.",
        ),
        None => (
            "no deadlock: no ring of channels",
            "The arrows form no ring, so that one of the buffers that wait can always go on.",
        ),
    };
    let description = format!("A box is a channel: a virtual channel of a link, that is, the buffer at its end. An arrow leads to a channel for which its packets can wait. {description}");
    let mut canvas = Canvas::new("waits", title, &description);
    Drawing::new(&channels, network.wiring.switches()).draw(&mut canvas, &edges, &ring.unwrap_or_default());
    Ok(canvas)
}

/// What packets follow.
struct Network {
    wiring: Wiring,
    tables: Tables,
    rules: Rules,
}

fn read(text: &str, folder: &Path) -> Result<Network, DescriptionError> {
    match Input::read(text, folder) {
        Ok(Input { blueprint, .. }) => {
            let Blueprint { wiring, tables, rules, .. } = blueprint.as_ref();
            Ok(Network { wiring: wiring.clone(), tables: tables.clone(), rules: rules.clone() })
        }
        Err(error) => unchecked(text).filter(Network::has_deadlock).ok_or(error),
    }
}

/// The network of a file as it stands, if its switch is a preset or is described in place.
fn unchecked(text: &str) -> Option<Network> {
    let description: NetworkFile = serde_json::from_str(text).ok()?;
    let json = match &description.switch {
        SwitchChoice::Name(name) => presets::find(name)?.json.to_string(),
        SwitchChoice::Inline(object) => serde_json::to_string(object).ok()?,
    };
    let shape = Config::from_json(&json).ok()?.shape();
    let wiring = description.topology.wiring(shape.ports).ok()?;
    let tables = description.topology.tables(&wiring, &shape);
    let mixed = shape.multicast.map(|built| built.vc);
    Some(Network {
        wiring,
        tables,
        rules: Rules { unicast: (0..mixed.unwrap_or(shape.vcs)).collect(), mixed, pairs: false },
    })
}

impl Network {
    fn has_deadlock(&self) -> bool {
        deadlock(&self.wiring, &self.tables, &[], &self.rules).is_err()
    }
}

/// All pairs of channels of which the first can wait for the second.
fn edges(network: &Network) -> BTreeSet<(Channel, Channel)> {
    let Network { wiring, tables, rules } = network;
    let mut edges = BTreeSet::new();
    for source in wiring.nodes() {
        for node in 0..wiring.nodes().len() {
            for &vc in &rules.unicast {
                let (mut switch, mut vc, mut before) = (source.switch, vc, None);
                while let Some(hop) = tables.hop(switch, node) {
                    let from = Port { switch, port: hop.port };
                    let Peer::Switch(far) = wiring.peer(from) else { break };
                    vc = hop.vc.unwrap_or(vc);
                    let channel = Channel { from, vc };
                    edges.extend(before.map(|before| (before, channel)));
                    (before, switch) = (Some(channel), far.switch);
                }
            }
        }
    }
    edges
}

/// Channels on circles: the angle is that of the sending switch, the circle that of port and VC.
struct Drawing {
    boxes: Vec<(Channel, Rect)>,
}

impl Drawing {
    fn new(channels: &BTreeSet<Channel>, switches: usize) -> Drawing {
        let kinds: BTreeSet<(usize, usize)> = channels.iter().map(|channel| (channel.from.port, channel.vc)).collect();
        let place = |channel: &Channel| {
            let kind = kinds.iter().position(|kind| *kind == (channel.from.port, channel.vc)).unwrap_or(0);
            let angle = TAU * (channel.from.switch as f64 / switches as f64 - 0.25);
            let [wide, high] = [RADII[0] + STEP[0] * kind as f64, RADII[1] + STEP[1] * kind as f64];
            let (x, y) = ((wide * angle.cos()).round() as i32, (high * angle.sin()).round() as i32);
            (*channel, Rect::new(x - BOX.0 / 2, y - BOX.1 / 2, BOX.0, BOX.1))
        };
        Drawing { boxes: channels.iter().map(place).collect() }
    }

    fn rect(&self, channel: Channel) -> Option<Rect> {
        self.boxes.iter().find(|(other, _)| *other == channel).map(|(_, rect)| *rect)
    }

    fn draw(&self, canvas: &mut Canvas, edges: &BTreeSet<(Channel, Channel)>, ring: &[Channel]) {
        let in_ring = |from: &Channel, to: &Channel| {
            (0..ring.len()).any(|at| ring[at] == *from && ring[(at + 1) % ring.len()] == *to)
        };
        for (from, to) in edges {
            let (Some(a), Some(b)) = (self.rect(*from), self.rect(*to)) else { continue };
            let (ink, stroke) = if in_ring(from, to) { (Ink::Alarm, Stroke::Thick) } else { (Ink::Soft, Stroke::Thin) };
            canvas.arrow(&[border(a, b.middle()), border(b, a.middle())], ink, stroke);
        }
        for (channel, rect) in &self.boxes {
            canvas.panel(*rect);
            let (name, note) =
                (format!("switch {}", channel.from.switch), format!("port {}, VC {}", channel.from.port, channel.vc));
            canvas.label(*rect, &[&name, &note]);
        }
    }
}

/// Where the line from a box's middle to a place leaves the box.
fn border(rect: Rect, toward: PixelPoint) -> PixelPoint {
    let (x, y) = rect.middle();
    let (dx, dy) = (f64::from(toward.0 - x), f64::from(toward.1 - y));
    let reach = |half: i32, along: f64| if along == 0.0 { f64::INFINITY } else { f64::from(half + 3) / along.abs() };
    let share = reach(rect.width / 2, dx).min(reach(rect.height / 2, dy));
    (x + (dx * share).round() as i32, y + (dy * share).round() as i32)
}
