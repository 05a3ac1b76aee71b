//! Route computation in a block diagram: how a packet's output is found.

use super::grid::{below, block, cell, labelled, left, lower, right, upper, wire};
use super::names::{count, family, policy};
use super::Plan;
use crate::canvas::{Anchor, Canvas, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_spec::{CacheShape, ReductionShape, RoutingShape, TableShape};

/// Draws what is between packet check and allocator.
pub(super) fn draw(canvas: &mut Canvas, plan: &Plan<'_>) {
    let shape = plan.shape;
    let queues = plan.queues();
    block(canvas, queues, &["route queues", &format!("{} × {}", shape.vcs, shape.buffer_flits)]);
    behind_queues(canvas, plan, queues);
    let header = match &shape.routing {
        RoutingShape::Source(source) => source.route_bits.to_string(),
        _ => shape.address_bits().unwrap_or(0).to_string(),
    };
    let first = cell(0, 1);
    let x = first.middle().0;
    wire(canvas, &[(x, cell(0, 0).bottom()), (x, first.y)], Ink::Control, &header);
    let port = shape.port_bits.to_string();
    match &shape.routing {
        RoutingShape::Source(source) => {
            let hops = count(source.hops as usize, "hop");
            block(canvas, first, &["route field", &format!("{hops} × {} bits", shape.port_bits), "lowest one, shift"]);
            wire(canvas, &[right(first), left(queues)], Ink::Control, &port);
        }
        RoutingShape::Algorithmic(routing) => {
            let map = cell(1, 1);
            block(canvas, first, &reduction(&routing.reduction));
            let entries = format!("{} entries", 1u64 << routing.reduction.key_bits);
            block(canvas, map, &["port map", &entries]);
            wire(canvas, &[right(first), left(map)], Ink::Control, &routing.reduction.key_bits.to_string());
            wire(canvas, &[right(map), left(queues)], Ink::Control, &port);
        }
        RoutingShape::Dragonfly(built) => {
            let tables = cell(1, 1);
            block(canvas, first, &["digits", "against own place"]);
            let entries = format!("{} + {} + {}", built.groups, built.routers(), built.node_ports);
            block(canvas, tables, &["route tables", &entries]);
            wire(canvas, &[right(first), left(tables)], Ink::Control, "digit");
            wire(canvas, &[right(tables), left(queues)], Ink::Control, &port);
        }
        RoutingShape::Table(table) => draw_table(canvas, plan, table, queues),
    }
}

fn reduction(reduction: &ReductionShape) -> [&'static str; 2] {
    match reduction.topologies[..] {
        [only] => ["node reduction", family(only)],
        [_, _] => ["node reduction", "2 topologies"],
        _ => ["node reduction", "3 topologies"],
    }
}

/// What is between route queues and allocator.
fn behind_queues(canvas: &mut Canvas, plan: &Plan<'_>, queues: Rect) {
    let shape = plan.shape;
    let outputs = shape.ports.to_string();
    let (allocator, choice) = (plan.allocator().x, plan.choice());
    // From the queues up or down to a box, to the right of its middle by so much.
    let join = |canvas: &mut Canvas, to: Rect, aside: i32, label: &str| {
        let x = queues.middle().0 + aside;
        let ends = if to.y < queues.y { [(x, queues.y), (x, to.bottom())] } else { [(x, queues.bottom()), (x, to.y)] };
        let beside = if to.y < queues.y { queues.y - 20 } else { queues.bottom() + 20 };
        labelled(canvas, &ends, (x, beside), Ink::Control, label);
    };
    let (near, far) = if choice.y < queues.y { (lower(choice), upper(choice)) } else { (upper(choice), lower(choice)) };
    let has_both = shape.multicast.is_some() && shape.output_selection();
    if let Some(built) = &shape.multicast {
        // Beside it there is room for the way to the other box.
        let room = if has_both { 24 } else { 0 };
        let fan_out = Rect::new(near.x + room, near.y, near.width - room, near.height);
        block(canvas, fan_out, &["fan-out", &count(built.groups, "group")]);
        join(canvas, fan_out, 20, &built.group_bits.to_string());
        wire(canvas, &[right(fan_out), (allocator, right(fan_out).1)], Ink::Control, &outputs);
    }
    if !shape.output_selection() {
        return wire(canvas, &[right(queues), (allocator, right(queues).1)], Ink::Control, &outputs);
    }
    let selection = if has_both { far } else { choice };
    let chosen = match &shape.link_aggregation {
        Some(groups) => format!("{} × {} links", groups.groups, groups.links),
        None => count(shape.candidates, "candidate"),
    };
    block(canvas, selection, &["output selection", &chosen]);
    let aside = if has_both { 10 - queues.width / 2 } else { 0 };
    join(canvas, selection, aside, &shape.port_bits.to_string());
    wire(canvas, &[right(selection), (allocator, right(selection).1)], Ink::Control, &outputs);
}

fn draw_table(canvas: &mut Canvas, plan: &Plan<'_>, table: &TableShape, queues: Rect) {
    let shape = plan.shape;
    let (headers, misses) = (cell(0, 1), cell(0, 2));
    let address = table.address_bits.to_string();
    block(canvas, headers, &["header queues", &format!("{} × {}", shape.vcs, shape.buffer_flits)]);
    block(canvas, misses, &["miss table", &format!("{} × {} lookups", shape.vcs, table.lookups_per_vc)]);
    let port = shape.port_bits.to_string();
    match &table.cache {
        Some(cache) => draw_cache(canvas, table, cache, queues, &port),
        None => {
            let x = headers.middle().0;
            wire(canvas, &[(x, headers.bottom()), (x, misses.y)], Ink::Control, &address);
            wire(canvas, &[right(misses), left(queues)], Ink::Back, &port);
        }
    }
    draw_cam(canvas, plan, table, misses, &address);
}

/// Hash or node reduction, and the cache under them.
fn draw_cache(canvas: &mut Canvas, table: &TableShape, built: &CacheShape, queues: Rect, port: &str) {
    let (headers, index, cache, misses) = (cell(0, 1), cell(1, 1), cell(1, 2), cell(0, 2));
    let address = table.address_bits.to_string();
    let hash = [format!("CRC-{} hash", built.crc.bits), format!("set: {} bits", built.index_bits)];
    let hash = [hash[0].as_str(), hash[1].as_str()];
    match &table.reduction {
        Some(reduction) => {
            let keys = format!("key: {} bits", reduction.key_bits);
            block(canvas, upper(index), &["node reduction", &keys]);
            block(canvas, lower(index), &hash);
        }
        None => block(canvas, index, &hash),
    }
    wire(canvas, &[right(headers), left(index)], Ink::Control, &address);
    let (sets, kept) = (format!("{} × {} ways", count(built.sets, "set"), built.ways), policy(built.replacement));
    block(canvas, cache, &["routing cache", &sets, kept]);
    let x = cache.middle().0;
    wire(canvas, &[(x, index.bottom()), (x, cache.y)], Ink::Control, &built.index_bits.to_string());
    wire(canvas, &[right(cache), left(queues)], Ink::Control, port);
    let (above, below) = (left(cache).1 - 16, left(cache).1 + 22);
    wire(canvas, &[(cache.x, above), (misses.right(), above)], Ink::Alarm, "miss");
    wire(canvas, &[(misses.right(), below), (cache.x, below)], Ink::Back, "fill");
}

/// The way to forwarding table and CAM.
fn draw_cam(canvas: &mut Canvas, plan: &Plan<'_>, table: &TableShape, misses: Rect, address: &str) {
    let place = |column: i32| below(column, plan.last, 0);
    let port = place(0);
    block(canvas, port, &["CAM port", "one a cycle"]);
    let (x, y) = (port.middle().0, port.y - 18);
    labelled(canvas, &[(x - 24, misses.bottom()), (x - 24, port.y)], (x - 24, y), Ink::Alarm, address);
    labelled(canvas, &[(x + 24, port.y), (x + 24, misses.bottom())], (x + 24, y), Ink::Back, "route");
    let mut before = port;
    if let Some(built) = &table.forwarding_table {
        let place = place(1);
        block(canvas, place, &["forwarding table", &format!("{} × {} ways", built.sets, built.ways)]);
        ask(canvas, before, place);
        before = place;
    }
    if table.external_cam {
        let place = place(2);
        canvas.area(place, Ink::Paper, Ink::Soft, Stroke::Dashed);
        canvas.label(place, &["external CAM", "not included"]);
        ask(canvas, before, place);
        let pins = ((before.right() + place.x) / 2, place.bottom() + 10);
        canvas.text(pins, Anchor::Middle, Font::Code, Ink::Main, "cam_*");
    }
    if table.default_route {
        let note = "default route: a register";
        canvas.text((port.x, port.bottom() + 18), Anchor::Start, Font::Note, Ink::Soft, note);
    }
}

/// A question there and an answer back.
fn ask(canvas: &mut Canvas, from: Rect, to: Rect) {
    let middle = right(from).1;
    canvas.arrow(&[(from.right(), middle - 10), (to.x, middle - 10)], Ink::Alarm, Stroke::Thin);
    canvas.arrow(&[(to.x, middle + 10), (from.right(), middle + 10)], Ink::Back, Stroke::Thin);
}
