//! Queues. fifo, vc_buffer and route_queue against the model's boxes of that name (`DelayFifo` for the fifo);
//! source_route against a `RouteQueue` for each VC and section 4.1, which the model has inside its switch.
//! The request queue is a list inside the model's miss table; here it is a list, too (section 4.4, request).

use crate::support::{flit_value, number, one_hot, random_flit, shape, Random};
use railyard_hdl::parts::fifo::fifo;
use railyard_hdl::parts::prefetch_fifo::prefetch_fifo;
use railyard_hdl::rtl::Value;
use railyard_hdl::units::input::vc_buffer::vc_buffer;
use railyard_hdl::units::route::request_queue::request_queue;
use railyard_hdl::units::route::route_queue::route_queue;
use railyard_hdl::units::route::source_route::source_route;
use railyard_model::input::vc_buffer::{FlitMarks, VcBuffer};
use railyard_model::parts::fifo::DelayFifo;
use railyard_model::route::route_queue::{PacketRoute, RouteQueue, RouteResult};
use railyard_spec::{Routing, SourceRouting};
use std::collections::VecDeque;

/// How willing one end of a queue is in this cycle, in eighths: the mood changes so that queues run full and empty.
fn mood(cycle: u64, end: u64) -> u64 {
    [7, 2, 8, 4, 1, 8][((cycle / 40 + 2 * end) % 6) as usize]
}

/// Holds a queue in memory against the model's.
macro_rules! fifo_beside {
    ($block:ident) => {
        fifo_beside!($block, |bench, bypassed| {});
    };
    ($block:ident, |$bench:ident, $bypassed:ident| $bypass:expr) => {
        for (depth, width) in [(2, 1), (4, 9), (16, 64)] {
            let mut random = Random::new(depth as u64, 8);
            let mut $bench = started!($block(depth, width));
            let mut model = DelayFifo::new(depth);
            for now in 0..1500 {
                let front = model.front(now);
                assert_eq!($bench.front_valid.val(), front.is_some(), "depth {depth}, cycle {now}");
                assert_eq!($bench.empty.val(), model.is_empty(), "depth {depth}, cycle {now}");
                if let Some(front) = front {
                    assert_eq!(number($bench.front.val()), front, "depth {depth}, cycle {now}");
                }
                let push = model.len() < depth && random.below(8) < mood(now, 0);
                let pop = front.is_some() && random.below(8) < mood(now, 1);
                let entry = random.bits() >> (64 - width);
                $bench.push.next = push;
                let $bypassed = !push && model.is_empty() && random.below(2) == 0;
                let _ = $bypassed;
                $bypass;
                $bench.push_data.next = entry.into();
                $bench.pop.next = pop;
                $bench.reset.next = random.below(200) == 0;
                if pop {
                    model.pop(now);
                }
                if push {
                    model.push(now, entry);
                }
                if $bench.reset.next {
                    model.clear();
                }
                $bench.cycle();
            }
        }
    };
}

#[test]
fn fifos() {
    fifo_beside!(fifo);
}

#[test]
fn prefetch_fifos() {
    // An entry that comes to the empty queue may go past it.
    fifo_beside!(prefetch_fifo, |bench, bypassed| {
        bench.bypassed.next = bypassed;
        bench.push.next |= bypassed;
    });
}

#[test]
fn vc_buffers() {
    for (depth, flit_bits) in [(2, 16), (8, 40), (32, 64), (16, 512)] {
        let mut random = Random::new(depth, 9);
        let shape = shape(|c| {
            (c.packet.max_flits, c.buffer_flits, c.flit_bits) = (1, Some(depth as u32), flit_bits);
            c.routing = Routing::Source(SourceRouting { hops: 1 });
        });
        let mut bench = started!(vc_buffer(&shape));
        let words = railyard_model::flit_words(&shape);
        let mut model = VcBuffer::new(depth as usize, words);
        for now in 0..1000 {
            let mut flit = vec![0; words];
            let front = model.clone().pop(now, &mut flit);
            assert_eq!(bench.front_valid.val(), front.is_some(), "depth {depth}, cycle {now}");
            if let Some(marks) = front {
                let got = FlitMarks { head: bench.front_head.val(), tail: bench.front_tail.val() };
                assert_eq!(got, marks, "depth {depth}, cycle {now}");
                assert_eq!(bench.front_flit.val(), flit_value(&shape, &flit), "depth {depth}, cycle {now}");
            }
            assert_eq!(bench.ending.val(), front.is_some_and(|marks| marks.tail), "depth {depth}, cycle {now}");
            assert_eq!(bench.full.val(), u64::from(model.occupancy()) == depth, "depth {depth}, cycle {now}");
            assert_eq!(
                bench.almost_full.val(),
                u64::from(model.occupancy()) >= depth - 1,
                "depth {depth}, cycle {now}"
            );
            let push = u64::from(model.occupancy()) < depth && random.below(8) < mood(now, 0);
            let pop = front.is_some() && random.below(8) < mood(now, 1);
            let marks = FlitMarks { head: random.below(2) == 0, tail: random.below(2) == 0 };
            let stored = random_flit(&mut random, &shape);
            bench.push.next = push;
            bench.push_head.as_mut().expect("without error correction").next = marks.head;
            bench.push_tail.next = marks.tail;
            bench.push_flit.next = flit_value(&shape, &stored);
            bench.pop.next = pop;
            bench.reset.next = random.below(200) == 0;
            if push {
                model.store(now, marks, &stored);
            }
            if pop {
                model.discard(now);
            }
            if bench.reset.next {
                model.clear();
            }
            bench.cycle();
        }
    }
}

fn random_route(random: &mut Random, ports: u64) -> PacketRoute {
    match random.below(5) {
        0 => PacketRoute::Drop,
        _ => PacketRoute::Port(random.below(ports) as u8),
    }
}

/// A route as `drop` and `port`; without a route the port means nothing.
fn wires(random: &mut Random, route: PacketRoute, ports: u64) -> (bool, u64) {
    match route {
        PacketRoute::Drop => (true, random.below(ports)),
        PacketRoute::Port(port) => (false, port.into()),
        _ => unreachable!("no route here names a VC, a group or candidates"),
    }
}

#[test]
fn route_queues() {
    for (depth, port_bits) in [(2, 1), (8, 4), (32, 6)] {
        let mut random = Random::new(depth, 10);
        let ports = 1 << port_bits;
        let mut bench = started!(route_queue(depth as usize, ports as usize, true, 0, 0, None));
        let (mut model, mut entries) = (RouteQueue::new(depth as usize), 0);
        for now in 0..1500 {
            let slot = (random.below(8) < mood(now, 2)).then(|| random_route(&mut random, ports));
            let pending = model.head() == Some(RouteResult::Pending);
            let pushed = (entries < depth && random.below(8) < mood(now, 0)).then(|| match random.below(3) {
                0 => RouteResult::Pending,
                _ => RouteResult::Known(random_route(&mut random, ports)),
            });
            let taken = matches!(model.head(), Some(RouteResult::Known(_))) && random.below(8) < mood(now, 1);
            bench.push.next = pushed.is_some();
            bench.push_pending.as_mut().unwrap().next = pushed == Some(RouteResult::Pending);
            let route =
                if let Some(RouteResult::Known(route)) = pushed { route } else { random_route(&mut random, ports) };
            let (drop, port) = wires(&mut random, route, ports);
            (bench.push_drop.next, bench.push_port.next) = (drop, port.into());
            let (drop, port) = wires(&mut random, slot.unwrap_or_default(), ports);
            (
                bench.slot_done.as_mut().unwrap().next,
                bench.slot_drop.as_mut().unwrap().next,
                bench.slot_port.as_mut().unwrap().next,
            ) = (slot.is_some(), drop, port.into());
            bench.take.next = taken;
            bench.reset.next = random.below(200) == 0;
            bench.settle();
            let context = format!("depth {depth}, cycle {now}");
            check_head(model.head(), bench.head_drop.val(), bench.head_request.val(), &context);
            assert_eq!(bench.slot_freed.as_ref().unwrap().val(), pending && slot.is_some(), "{context}");
            model.step(now, taken, pushed, slot.filter(|_| pending));
            entries = entries + u64::from(pushed.is_some()) - u64::from(taken);
            if bench.reset.next {
                model.clear();
                entries = 0;
            }
            bench.cycle();
        }
    }
}

/// Holds the wires of a route queue's head against the model's.
pub fn check_head(head: Option<RouteResult>, drop: bool, request: Value, context: &str) {
    let route = if let Some(RouteResult::Known(route)) = head { Some(route) } else { None };
    assert_eq!(drop, route == Some(PacketRoute::Drop), "{context}: {head:?}");
    let port = if let Some(PacketRoute::Port(port)) = route { Some(port.into()) } else { None };
    assert_eq!(request, one_hot(request.width(), port), "{context}: {head:?}");
}

#[test]
fn source_routes() {
    for (ports, vcs) in [(2, 1), (5, 3), (16, 2)] {
        let mut random = Random::new(ports.into(), 11);
        let shape = shape(|c| {
            (c.ports, c.virtual_channels.unicast) = (ports, vcs);
            (c.packet.max_flits, c.buffer_flits) = (2, Some(4));
            c.routing = Routing::Source(SourceRouting { hops: 2 });
        });
        let depth = shape.buffer_flits as usize;
        let mut bench = started!(source_route(&shape));
        let mut model = vec![RouteQueue::new(depth); shape.vcs];
        let mut entries = vec![0; shape.vcs];
        for now in 0..1000 {
            let vc = random.below(vcs.into()) as usize;
            let arrive = entries[vc] < depth && random.below(8) < mood(now, 0);
            let field = random.below(1 << shape.port_bits);
            bench.io.arrival.arrive.next = arrive;
            bench.io.arrival.arrive_vc.next = vc.into();
            bench.io.arrival.arrive_port.as_mut().unwrap().next = field.into();
            bench.reset.next = random.below(200) == 0;
            let mut take = Value::zero(shape.vcs);
            for v in 0..shape.vcs {
                let head = model[v].head();
                let context = format!("{ports} ports, VC {v}, cycle {now}");
                check_head(head, bench.io.head.drop.val().get_bit(v), bench.io.head.request[v].val(), &context);
                let taken = head.is_some() && random.below(8) < mood(now, 1);
                take = take.replace_bit(v, taken);
                let route = if field < u64::from(ports) { PacketRoute::Port(field as u8) } else { PacketRoute::Drop };
                let pushed = (arrive && v == vc).then_some(RouteResult::Known(route));
                model[v].step(now, taken, pushed, None);
                entries[v] = entries[v] + usize::from(pushed.is_some()) - usize::from(taken);
            }
            bench.io.take.next = take;
            if bench.reset.next {
                model.iter_mut().for_each(RouteQueue::clear);
                entries.fill(0);
            }
            bench.cycle();
        }
    }
}

#[test]
fn request_queues() {
    for (vcs, slots) in [(1, 1), (2, 4), (3, 5), (8, 16)] {
        let mut random = Random::new(vcs, 12);
        let depth = (vcs * slots) as usize;
        let mut bench = started!(request_queue(depth, 3, 4, 20));
        // Each slot's address, as the miss table keeps it; slots that are in the queue.
        let mut address = vec![0; depth];
        let mut queue: VecDeque<u64> = VecDeque::new();
        for cycle in 0..1000 {
            let slot = random.below(depth as u64);
            let push = !queue.contains(&slot) && random.below(8) < mood(cycle, 0);
            assert_eq!(bench.offer.valid.val(), !queue.is_empty(), "cycle {cycle}");
            if let Some(&front) = queue.front() {
                let offer = (number(bench.offer.vc.val()), number(bench.offer.slot.val()));
                assert_eq!(offer, (front / slots, front % slots), "cycle {cycle}");
                assert_eq!(number(bench.offer.address.val()), address[front as usize], "cycle {cycle}");
            }
            let taken = !queue.is_empty() && random.below(8) < mood(cycle, 1);
            let behind = number(bench.behind_vc.val()) * slots + number(bench.behind_slot.val());
            bench.behind_address.next = address.get(behind as usize).copied().unwrap_or(0).into();
            let new = random.below(1 << 20);
            bench.prepare.next = push | (random.below(4) == 0);
            bench.push.next = push;
            (bench.push_vc.next, bench.push_slot.next) = ((slot / slots).into(), (slot % slots).into());
            bench.push_address.next = new.into();
            bench.offer.taken.next = taken;
            bench.reset.next = random.below(200) == 0;
            if taken {
                queue.pop_front();
            }
            if push {
                queue.push_back(slot);
                address[slot as usize] = new;
            }
            if bench.reset.next {
                queue.clear();
            }
            bench.cycle();
        }
    }
}
