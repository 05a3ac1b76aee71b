//! The block diagram of a description: the boxes that it has, with their sizes, and the widths of the wires between
//! them.

mod grid;
pub(crate) mod names;
mod route;

use crate::canvas::{Anchor, Canvas, Rect};
use crate::style::{Font, Ink, Stroke};
use grid::{below, block, cell, frame, labelled, left, lower, pin, right, stack, upper, wire, PinSide, FRAME};
use names::count;
use railyard_spec::{CheckedConfig, Crossbar, FlowControl, LinkArbitration, RoutingShape, Shape};

/// The block diagram.
pub fn blocks(config: &CheckedConfig) -> Canvas {
    let shape = config.shape();
    let title = format!(
        "{}: {}, {}, {}-bit flits",
        config.name,
        count(shape.ports, "port"),
        count(shape.vcs, "VC"),
        shape.flit_bits
    );
    let mut canvas = Canvas::new("blocks", &title, &description(&shape));
    let plan = Plan::new(&shape);
    plan.frames(&mut canvas);
    plan.input(&mut canvas);
    route::draw(&mut canvas, &plan);
    plan.output(&mut canvas);
    plan.whole(&mut canvas);
    canvas
}

/// What stands where.
struct Plan<'a> {
    shape: &'a Shape,
    /// Row of the last boxes of a port.
    last: i32,
    /// Row of what a switch has once, below the frames; what asks the CAM is in row 0 there.
    once: i32,
}

const IN_LEFT: PinSide = PinSide { is_left: true, is_input: true };
const OUT_LEFT: PinSide = PinSide { is_left: true, is_input: false };
const IN_RIGHT: PinSide = PinSide { is_left: false, is_input: true };
const OUT_RIGHT: PinSide = PinSide { is_left: false, is_input: false };

impl Plan<'_> {
    fn new(shape: &Shape) -> Plan<'_> {
        let has_more = shape.output_selection() || shape.multicast.is_some();
        let looks_up = shape.table().is_some();
        Plan { shape, last: if looks_up || has_more { 2 } else { 1 }, once: i32::from(looks_up) }
    }

    /// The route queues: beside the cache, or behind the box that finds the route.
    fn queues(&self) -> Rect {
        cell(2, if self.shape.table().is_some() { 2 } else { 1 })
    }

    /// What chooses among outputs, or copies to several, behind the route queues.
    fn choice(&self) -> Rect {
        cell(2, if self.shape.table().is_some() { 1 } else { 2 })
    }

    /// The allocator, beside all rows of route computation.
    fn allocator(&self) -> Rect {
        let (first, last) = (cell(3, 1), cell(3, self.last));
        Rect::new(first.x, first.y, first.width, last.bottom() - first.y)
    }

    fn frames(&self, canvas: &mut Canvas) {
        let ports = self.shape.ports;
        let around = |from: Rect, to: Rect| Rect::new(from.x, from.y, to.right() - from.x, to.bottom() - from.y);
        frame(canvas, around(cell(0, 0), cell(2, self.last)), &format!("each input port (×{ports})"));
        frame(canvas, around(cell(3, 0), cell(4, self.last)), &format!("each output port (×{ports})"));
    }

    /// Where flits are stored, and room for them is told.
    fn input(&self, canvas: &mut Canvas) {
        let shape = self.shape;
        let (check, back, buffers) = (lower(cell(0, 0)), upper(cell(0, 0)), cell(1, 0));
        block(canvas, check, &["packet check"]);
        block(canvas, back, &["credit return"]);
        stack(canvas, buffers, shape.vcs, &["VC buffers", &format!("{} × {} flits", shape.vcs, shape.buffer_flits)]);
        let flit = shape.flit_bits.to_string();
        pin(canvas, left(check), IN_LEFT, "rx_flit", Ink::Data, shape.flit_bits);
        pin(canvas, left(back), OUT_LEFT, "rx_credit", Ink::Back, shape.credit_bits);
        wire(canvas, &[right(check), (buffers.x, right(check).1)], Ink::Data, &flit);
        canvas.arrow(&[(buffers.x, right(back).1), right(back)], Ink::Back, Stroke::Thin);
        let behind = 5 * (shape.vcs.min(3) as i32 - 1);
        wire(canvas, &[(right(buffers).0 + behind, right(buffers).1), left(cell(3, 0))], Ink::Data, &flit);
    }

    fn output(&self, canvas: &mut Canvas) {
        let shape = self.shape;
        let (crossbar, register, credits, allocator) = (cell(3, 0), cell(4, 0), cell(4, 1), self.allocator());
        let (planes, inputs) = match shape.crossbar {
            Crossbar::Parallel => (shape.vcs, shape.ports),
            Crossbar::Single => (1, shape.ports * shape.vcs),
        };
        let plane = format!("{inputs} × {}", shape.ports);
        stack(canvas, crossbar, planes, &["crossbar", &count(planes, "plane"), &plane]);
        block(canvas, register, &["output register"]);
        let unit = match shape.link_arbitration {
            LinkArbitration::Packet => "link by packet",
            LinkArbitration::Flit => "link by flit",
        };
        let arbiters = format!("{} 1:{inputs}", if planes == 1 { "arbiter".into() } else { count(planes, "arbiter") });
        block(canvas, allocator, &["allocator", &arbiters, unit]);
        let scheme = if shape.flow_control == FlowControl::Absolute { "absolute" } else { "relative" };
        block(canvas, credits, &["credit counters", scheme, &format!("{} × {} places", shape.vcs, shape.buffer_flits)]);
        let flit = shape.flit_bits.to_string();
        let behind = 5 * (planes.min(3) as i32 - 1);
        wire(canvas, &[(right(crossbar).0 + behind, right(crossbar).1), left(register)], Ink::Data, &flit);
        pin(canvas, right(register), OUT_RIGHT, "tx_flit", Ink::Data, shape.flit_bits);
        pin(canvas, right(credits), IN_RIGHT, "tx_credit", Ink::Back, shape.credit_bits);
        wire(canvas, &[left(credits), (allocator.right(), left(credits).1)], Ink::Back, &shape.vcs.to_string());
        let middle = crossbar.middle().0;
        wire(canvas, &[(middle, allocator.y), (middle, crossbar.bottom())], Ink::Control, "select");
    }

    /// What a switch has once.
    fn whole(&self, canvas: &mut Canvas) {
        let shape = self.shape;
        let row = |column: i32| below(column, self.last, self.once);
        if !railyard_spec::registers::registers(shape).is_empty() {
            block(canvas, row(0), &["registers", "settings"]);
            pin(canvas, left(row(0)), IN_LEFT, "apb_*", Ink::Control, 32);
        }
        if let Some(bits) = shape.counter_bits {
            block(canvas, row(1), &["event counters", &format!("{bits} bits")]);
            wire(canvas, &[left(row(1)), right(row(0))], Ink::Back, &bits.to_string());
        }
        if shape.multicast.is_some() {
            let (unit, allocator) = (row(3), self.allocator());
            block(canvas, unit, &["multicast unit", &format!("bulletin: {} bits", shape.ports)]);
            let x = unit.middle().0;
            labelled(canvas, &[(x, unit.y), (x, allocator.bottom())], (x, unit.y - 14), Ink::Control, "turn, start");
        }
        let note = "numbers at arrows: bits";
        canvas.text((cell(4, 0).right(), row(4).bottom() + 34), Anchor::End, Font::Note, Ink::Soft, note);
        if let Some(built) = &shape.barrier {
            let unit = row(4);
            block(canvas, unit, &["barrier unit", &count(built.groups, "group")]);
            let (x, register) = (unit.right() + FRAME / 2, cell(4, 0));
            let places = [
                right(unit),
                (x, right(unit).1),
                (x, register.bottom() + 14),
                (register.middle().0, register.bottom() + 14),
                (register.middle().0, register.bottom()),
            ];
            canvas.arrow(&places, Ink::Control, Stroke::Thin);
        }
    }
}

/// The diagram in words.
fn description(shape: &Shape) -> String {
    let mut boxes = vec!["packet check", "VC buffers", "credit return"];
    boxes.extend(match &shape.routing {
        RoutingShape::Source(_) => vec!["route field", "route queues"],
        RoutingShape::Algorithmic(_) => vec!["node reduction", "port map", "route queues"],
        RoutingShape::Dragonfly(_) => vec!["digits", "route tables", "route queues", "selection"],
        RoutingShape::Table(_) => vec!["header queues", "miss table", "CAM port", "route queues"],
    });
    let table = shape.table();
    let parts = [
        (table.is_some_and(|table| table.reduction.is_some()), "node reduction"),
        (table.is_some_and(|table| table.cache.is_some()), "routing cache"),
        (shape.forwarding_table().is_some(), "forwarding table"),
        (shape.output_selection(), "output selection"),
        (shape.multicast.is_some(), "fan-out and multicast unit"),
        (shape.barrier.is_some(), "barrier unit"),
        (shape.counter_bits.is_some(), "event counters"),
    ];
    boxes.extend(parts.into_iter().filter(|(is_there, _)| *is_there).map(|(_, name)| name));
    boxes.extend(["allocator", "crossbar", "credit counters", "output register"]);
    format!("Block diagram of a switch with {} ports. Its blocks are: {}.", shape.ports, boxes.join(", "))
}
