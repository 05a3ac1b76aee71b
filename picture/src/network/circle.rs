//! Any wiring, drawn on a circle: switches that are groups of a Dragonfly stand together.

use super::{counts, nodes_of, too_large};
use crate::canvas::{Anchor, Canvas, Curve, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_input::Fault;
use railyard_network::wiring::{Port, Wiring};
use std::f64::consts::TAU;

/// Switches of a picture at most.
const MOST: usize = 48;
const HEIGHT: i32 = 44;
/// Room between switches.
const ROOM: i32 = 64;
/// Room between groups, in switches.
const BETWEEN: f64 = 0.6;

/// Draws a wiring.
pub(super) fn draw(wiring: &Wiring) -> Result<Canvas, Fault> {
    let switches = wiring.switches();
    if switches > MOST {
        return Err(too_large(switches, MOST));
    }
    let group = group_size(wiring);
    let (title, description) = match group {
        Some(group) => (
            format!("{} groups of {group} switches: {}", switches / group, counts(wiring)),
            "Dragonfly. The switches of a group stand together on the circle and are all linked to each other; other links join the groups. Port numbers stand at the links.",
        ),
        None => (
            format!("wiring: {}", counts(wiring)),
            "Switches on a circle, with the addresses of their nodes, and the links between them. Port numbers stand at the links.",
        ),
    };
    let mut canvas = Canvas::new("network", &title, description);
    let circle = Circle::new(wiring, group);
    circle.links(&mut canvas);
    circle.switches(&mut canvas);
    let extent = canvas.extent();
    let note = "in a box: the switch, and below it the addresses of its nodes; beside the links: ports";
    canvas.text((extent.x, extent.bottom() + 30), Anchor::Start, Font::Note, Ink::Soft, note);
    Ok(canvas)
}

/// Switches of a group, if consecutive switches are such groups: linked each to each inside, and group to group.
fn group_size(wiring: &Wiring) -> Option<usize> {
    let switches = wiring.switches();
    let joined = |a: usize, b: usize| wiring.links_of(a).any(|(_, far)| far.switch == b);
    let is_group = |size: usize, group: usize| {
        let all = group * size..(group + 1) * size;
        all.clone().all(|a| all.clone().all(|b| a == b || joined(a, b)))
    };
    let are_joined = |size: usize, a: usize, b: usize| {
        (a * size..(a + 1) * size).any(|near| (b * size..(b + 1) * size).any(|far| joined(near, far)))
    };
    let fits = |&size: &usize| {
        let groups = switches / size;
        switches % size == 0
            && (0..groups).all(|group| is_group(size, group))
            && (0..groups).all(|a| (0..a).all(|b| are_joined(size, a, b)))
    };
    let is_complete = (0..switches).all(|a| (0..a).all(|b| joined(a, b)));
    (3..=switches / 2).rev().find(fits).filter(|_| !is_complete)
}

struct Circle<'a> {
    wiring: &'a Wiring,
    group: Option<usize>,
    width: i32,
    radius: f64,
    /// Turns of a circle, by switch.
    turns: Vec<f64>,
}

impl Circle<'_> {
    fn new(wiring: &Wiring, group: Option<usize>) -> Circle<'_> {
        let switches = wiring.switches();
        let names = (0..switches).map(|switch| Font::Note.width(&nodes(wiring, switch)));
        let width = names.max().unwrap_or(0).max(30) + 14;
        let groups = group.map_or(0, |group| switches / group);
        let all = switches as f64 + BETWEEN * groups as f64;
        let turn = |switch: usize| (switch as f64 + BETWEEN * group.map_or(0.0, |group| (switch / group) as f64)) / all;
        let radius = (all * f64::from(width + ROOM) / TAU).max(170.0);
        Circle { wiring, group, width, radius, turns: (0..switches).map(turn).collect() }
    }

    /// A place at an angle, from the top on, at a share of the radius.
    fn place(&self, turn: f64, share: f64) -> PixelPoint {
        let angle = TAU * (turn - 0.25);
        let at = |of: f64| (self.radius * share * of).round() as i32;
        (at(angle.cos()), at(angle.sin()))
    }

    fn rect(&self, switch: usize) -> Rect {
        let (x, y) = self.place(self.turns[switch], 1.0);
        Rect::new(x - self.width / 2, y - HEIGHT / 2, self.width, HEIGHT)
    }

    /// A link bends toward the middle of the circle, so that it passes other switches.
    fn curve(&self, near: Port, far: Port) -> Curve {
        let [a, b] = [near, far].map(|port| self.turns[port.switch]);
        let (low, high) = (a.min(b), a.max(b));
        let (middle, apart) = match high - low > 0.5 {
            true => ((low + high + 1.0) / 2.0, 1.0 - (high - low)),
            false => ((low + high) / 2.0, high - low),
        };
        let [from, to] = [a, b].map(|turn| self.place(turn, 1.0));
        let links = self.wiring.links_of(near.switch).filter(|(_, other)| other.switch == far.switch);
        let parallel = links.take_while(|(port, _)| *port != near.port).count() as f64;
        let bend = self.place(middle, (1.0 - 2.4 * apart).max(0.0) - 0.14 * parallel);
        Curve { from, bend, to }
    }

    fn links(&self, canvas: &mut Canvas) {
        for (near, far) in self.wiring.links() {
            let is_local = self.group.is_some_and(|group| near.switch / group == far.switch / group);
            let ink = if self.group.is_some() && !is_local { Ink::Control } else { Ink::Soft };
            canvas.curve(self.curve(near, far), ink, Stroke::Thin);
        }
        for (near, far) in self.wiring.links() {
            for port in [near, far] {
                self.port_number(canvas, port, self.curve(near, far), port == near);
            }
        }
    }

    /// The number stands beside the link, outside of the switch's box, where there is room.
    fn port_number(&self, canvas: &mut Canvas, port: Port, curve: Curve, is_start: bool) {
        let along = (1..60).map(|step| f64::from(step) / 120.0);
        let places = along.map(|share| curve.at(if is_start { share } else { 1.0 - share }));
        let boxes: Vec<Rect> = (0..self.wiring.switches()).map(|switch| self.rect(switch).grown(4)).collect();
        let is_outside = |(x, y): &PixelPoint| boxes.iter().all(|rect| !rect.overlaps(&Rect::new(x - 1, y - 1, 2, 2)));
        let is_free = |(x, y): &PixelPoint| boxes.iter().all(|rect| !rect.overlaps(&Rect::new(x - 4, y - 6, 8, 12)));
        let free = places.filter(is_outside);
        let beside = free.flat_map(|(x, y)| [(x + 9, y), (x - 9, y), (x, y - 10), (x, y + 10)]).filter(is_free);
        let beside: Vec<PixelPoint> = beside.collect();
        canvas.text_at_one_of(&beside, Font::Code, Ink::Soft, &port.port.to_string());
    }

    fn switches(&self, canvas: &mut Canvas) {
        for switch in 0..self.wiring.switches() {
            let rect = self.rect(switch);
            canvas.panel(rect);
            let (x, y) = rect.middle();
            canvas.text((x, y - 4), Anchor::Middle, Font::Name, Ink::Main, &switch.to_string());
            let nodes = nodes(self.wiring, switch);
            canvas.text((x, y + 14), Anchor::Middle, Font::Note, Ink::Data, &nodes);
        }
        let Some(group) = self.group else { return };
        for number in 0..self.wiring.switches() / group {
            let turn = (self.turns[number * group] + self.turns[(number + 1) * group - 1]) / 2.0;
            let outside = 1.0 + f64::from(self.width / 2 + 40) / self.radius;
            let (x, y) = self.place(turn, outside);
            canvas.text((x, y + 5), Anchor::Middle, Font::Heading, Ink::Soft, &format!("group {number}"));
        }
    }
}

/// The addresses of a switch's nodes, in words.
fn nodes(wiring: &Wiring, switch: usize) -> String {
    let nodes: Vec<usize> = nodes_of(wiring, switch).into_iter().map(|(_, node)| node).collect();
    match nodes[..] {
        [] => "-".into(),
        [node] => node.to_string(),
        [first, .., last] if last - first + 1 == nodes.len() => format!("{first}-{last}"),
        [first, ..] => format!("{first}, …"),
    }
}
