//! The input port. An arriving flit goes through packet_check, header_assembly (headers of several flits) or
//! route_shift (source routing), side by side; together they are the model's `InputUnit::receive`. What the flit is
//! stored as is read from the model's buffer. input_unit as a whole is held against `InputUnit`, `CreditReturn` and,
//! for one input, `Crossbar`; its sticky flags and drop counter against sections 6 and 8.

use crate::support::{beat, flit_value, number, one_hot, random_flit, shape, vector, Random, Sender, Shape};
use railyard_hdl::rtl::Bench;
use railyard_hdl::units::input::header_assembly::header_assembly;
use railyard_hdl::units::input::input_unit::input_unit;
use railyard_hdl::units::input::packet_check::packet_check;
use railyard_hdl::units::input::route_shift::route_shift;
use railyard_model::input::credit_return::CreditReturn;
use railyard_model::input::input_unit::{FlitErrors, InputUnit, ReceivedFlit};
use railyard_model::input::vc_buffer::{FlitMarks, VcBuffer};
use railyard_model::output::crossbar::{Crossbar, Grants};
use railyard_model::VcBits;
use railyard_spec::{FlowControl, LinkArbitration, Routing, RoutingShape, SourceRouting, TableRouting};

/// Headers of one, two and four flits, and source routes; one-flit packets; VC numbers that do not exist.
fn shapes() -> Vec<Shape> {
    let table = |address_bits| Routing::Table(TableRouting { address_bits, ..Default::default() });
    let source = |hops| Routing::Source(SourceRouting { hops });
    let sizes = [
        (2, 1, 1, 2, 32, table(24), FlowControl::Absolute, LinkArbitration::Packet),
        (5, 3, 4, 8, 16, table(64), FlowControl::Relative, LinkArbitration::Packet),
        (4, 2, 2, 8, 40, table(48), FlowControl::Absolute, LinkArbitration::Flit),
        (16, 2, 8, 16, 64, table(24), FlowControl::Relative, LinkArbitration::Packet),
        (5, 5, 3, 8, 70, source(13), FlowControl::Absolute, LinkArbitration::Flit),
        (3, 2, 1, 4, 16, source(8), FlowControl::Relative, LinkArbitration::Flit),
        (16, 8, 4, 8, 512, source(20), FlowControl::Absolute, LinkArbitration::Packet),
    ];
    let build = |(ports, vcs, max_flits, depth, flit_bits, routing, flow_control, link)| {
        shape(|c| {
            (c.ports, c.virtual_channels.unicast, c.flit_bits) = (ports, vcs, flit_bits);
            (c.packet.max_flits, c.buffer_flits) = (max_flits, Some(depth));
            (c.routing, c.flow_control, c.link_arbitration) = (routing, flow_control, link);
        })
    };
    sizes.into_iter().map(build).collect()
}

/// What arrives in a cycle.
struct Arriving {
    vc: usize,
    marks: FlitMarks,
    flit: Vec<u32>,
}

fn arriving(random: &mut Random, shape: &Shape, sender: &mut Sender) -> Arriving {
    let vc = random.below(1 << shape.vc_bits) as usize;
    Arriving { vc, marks: sender.next(random, vc), flit: random_flit(random, shape) }
}

/// The flit stored last in a buffer.
fn newest(buffer: &VcBuffer, words: usize) -> (FlitMarks, Vec<u32>) {
    let (mut buffer, mut flit) = (buffer.clone(), vec![0; words]);
    let flits = std::iter::from_fn(|| buffer.pop(1 << 40, &mut flit));
    let marks = flits.last().expect("a flit");
    (marks, flit)
}

#[test]
fn arriving_flits() {
    for shape in shapes() {
        let (k, words, depth) = (shape.vcs, railyard_model::flit_words(&shape), shape.buffer_flits);
        let mut random = Random::new(shape.flit_bits.into(), 17);
        let mut check = started!(packet_check(&shape));
        let mut assembly = match &shape.routing {
            RoutingShape::Table(t) if t.header_flits > 1 => {
                Some(Bench::new(header_assembly(&shape, t.address_bits as usize), |b| &mut b.clock))
            }
            _ => None,
        };
        let mut shift = match &shape.routing {
            RoutingShape::Source(source) => Some(Bench::combinational(route_shift(&shape, source))),
            _ => None,
        };
        let mut model = InputUnit::new(&shape);
        let mut sender = Sender::new(&shape, shape.max_flits + 3);
        let mut seen = [0; 5];
        for now in 0..1500 {
            let context = format!("{shape:?}, cycle {now}");
            let Arriving { vc, marks, flit } = arriving(&mut random, &shape, &mut sender);
            let valid = random.below(8) > 0;
            check.rx_valid.next = valid;
            check.rx_vc.next = vc.into();
            (check.rx_head.next, check.rx_tail.next) = (marks.head, marks.tail);
            let occupancy: Vec<u32> = (0..k).map(|v| model.buffer(v).occupancy()).collect();
            check.full.next = vector(occupancy.iter().map(|&n| n == depth));
            check.almost_full.next = vector(occupancy.iter().map(|&n| n >= depth - 1));
            check.reset.next = random.below(150) == 0;
            check.settle();

            let received = if valid { model.receive(now, vc as u8, marks, &flit) } else { ReceivedFlit::default() };
            let stored = (0..k).find(|&v| model.buffer(v).occupancy() > occupancy[v]);
            assert_eq!(check.store.val(), one_hot(k, stored), "{context}");
            assert_eq!(check.discard.val(), one_hot(k, Some(vc).filter(|_| received.discarded)), "{context}");
            let mut length = check.error_length.val();
            if let Some(bench) = &mut assembly {
                bench.store.next = check.store.val();
                bench.number.next = check.number.as_ref().unwrap().val();
                bench.last.next = check.store_tail.val();
                bench.flit.next = flit_value(&shape, &flit);
                bench.settle();
                assert_eq!(bench.arrive.val(), received.arrival.is_some(), "{context}");
                if let Some(arrival) = received.arrival {
                    assert_eq!(bench.malformed.val(), arrival.malformed, "{context}");
                    let same = arrival.malformed || number(bench.address.val()) == arrival.address;
                    assert!(same, "{context}: address {:?}, {arrival:?}", bench.address.val());
                    length |= arrival.malformed;
                }
            }
            let faults = [
                (FlitErrors::VC, check.error_vc.val()),
                (FlitErrors::FRAMING, check.error_framing.val()),
                (FlitErrors::OVERFLOW, check.error_overflow.val()),
                (FlitErrors::LENGTH, length),
            ];
            for (at, (fault, raised)) in faults.into_iter().enumerate() {
                assert_eq!(raised, received.faults.has(fault), "{context}: {fault:?}");
                seen[at] += u32::from(raised);
            }
            if let Some(v) = stored {
                let (kept, bits) = newest(model.buffer(v), words);
                assert_eq!(check.store_tail.val(), kept.tail, "{context}");
                assert_eq!(check.store_head.val(), kept.head, "{context}");
                if let Some(bench) = &mut shift {
                    bench.flit.next = flit_value(&shape, &flit);
                    bench.head.next = check.store_head.val();
                    bench.settle();
                    assert_eq!(bench.stored.val(), flit_value(&shape, &bits), "{context}");
                    if let Some(arrival) = received.arrival {
                        assert_eq!(number(bench.port.val()), arrival.address, "{context}");
                    }
                }
            }
            seen[4] += u32::from(received.arrival.is_some());

            // The buffers lose flits now and then; for a while none, to overflow.
            for v in 0..k {
                if random.below(if now / 100 % 3 == 0 { 30 } else { 2 }) == 0 {
                    model.buffer_mut(v).discard(now);
                }
            }
            if check.reset.next {
                model.reset();
            }
            check.cycle();
            assembly.iter_mut().for_each(Bench::cycle);
        }
        let no_such_vc = k < 1 << shape.vc_bits;
        assert!(seen[usize::from(!no_such_vc)..].iter().all(|&n| n > 2), "{seen:?} faults and arrivals: {shape:?}");
    }
}

#[test]
fn input_units() {
    for shape in shapes() {
        let (n, k, words) = (shape.ports, shape.vcs, railyard_model::flit_words(&shape));
        let flit_wise = shape.link_arbitration == LinkArbitration::Flit;
        let plane_of = |vc| if flit_wise { vc } else { 0 };
        let mut random = Random::new(shape.flit_bits.into(), 18);
        let mut bench = started!(input_unit(&shape, false));
        let (mut model, mut crossbar, back) =
            (InputUnit::new(&shape), Crossbar::new(&shape), CreditReturn::new(&shape));
        let mut sender = Sender::new(&shape, shape.max_flits + 3);
        let (mut valid, mut credit) = (VcBits::default(), vec![0; k]);
        let (mut flags, mut dropped, mut drops) = ([false; 4], vec![false; k], 0u16);
        for now in 0..700 {
            let context = format!("{shape:?}, cycle {now}");
            // Registers.
            let got =
                [&bench.error.vc, &bench.error.framing, &bench.error.overflow, &bench.error.length].map(|f| f.val());
            assert_eq!(got, flags, "{context}");
            assert_eq!(bench.drop_valid.val(), vector(dropped.clone()), "{context}");
            assert_eq!(number(bench.drop_count.val()), u64::from(drops), "{context}");
            for v in 0..k {
                let got = (bench.rx_credit_valid[v].val(), number(bench.rx_credit[v].val()));
                assert_eq!(got, (valid.get(v), u64::from(credit[v])), "VC {v}, {context}");
                let mut flit = vec![0; words];
                let front = model.buffer(v).clone().pop(now, &mut flit);
                assert_eq!(bench.ready.val().get_bit(v), front.is_some(), "VC {v}, {context}");
                assert_eq!(bench.ending.val().get_bit(v), front.is_some_and(|m| m.tail), "VC {v}, {context}");
                if let Some(marks) = front {
                    assert_eq!(bench.beat[v].val(), beat(&shape, marks, &flit), "VC {v}, {context}");
                }
            }

            // A flit arrives.
            let Arriving { vc, marks, flit } = arriving(&mut random, &shape, &mut sender);
            let rx_valid = random.below(8) > 0;
            bench.rx.valid.next = rx_valid;
            bench.rx.vc.next = vc.into();
            (bench.rx.head.next, bench.rx.tail.next) = (marks.head, marks.tail);
            bench.rx.flit.next = flit_value(&shape, &flit);
            let clear = random.below(6) == 0;
            bench.error_clear.next = clear;
            bench.reset.next = random.below(150) == 0;
            back.begin(&mut valid, &mut credit);
            let received = if rx_valid { model.receive(now, vc as u8, marks, &flit) } else { ReceivedFlit::default() };
            if received.discarded {
                back.free(vc, &mut valid, &mut credit);
            }
            let faults = [FlitErrors::VC, FlitErrors::FRAMING, FlitErrors::OVERFLOW, FlitErrors::LENGTH];
            for (flag, fault) in flags.iter_mut().zip(faults) {
                *flag = received.faults.has(fault) || *flag && !clear;
            }

            // Connected VCs pop: to an output if they are chosen, to nothing always.
            let willing = if now / 100 % 3 == 0 { 1 } else { 7 };
            let chosen: Vec<bool> = (0..k).map(|_| random.below(8) < willing).collect();
            let connections: Vec<(usize, usize, usize)> = crossbar.connections().collect();
            for (_, v, output) in connections {
                if chosen[v] || !flit_wise {
                    if let Some(marks) = model.buffer_mut(v).discard(now) {
                        back.free(v, &mut valid, &mut credit);
                        if marks.tail {
                            crossbar.finish(output, plane_of(v));
                        }
                    }
                }
            }
            dropped.fill(false);
            for v in (0..k).filter(|&v| crossbar.dropping(v) != 0).collect::<Vec<_>>() {
                if let Some(marks) = model.buffer_mut(v).discard(now) {
                    back.free(v, &mut valid, &mut credit);
                    if marks.tail {
                        crossbar.finish_drop(0, v);
                        dropped[v] = true;
                        drops = drops.wrapping_add(1);
                    }
                }
            }

            // Routes wait, drops are taken, outputs are granted, each to one VC (flit-wise: to one of each number).
            let mut grants = Grants::default();
            let (mut granted, mut given) = (vec![false; k], 0u64);
            let (mut requests, mut drops_waiting) = (vec![None; k], vec![false; k]);
            for v in 0..k {
                let free = crossbar.free_inputs(v) & 1 == 1;
                let (head, drop, output) =
                    (random.below(8) < willing, random.below(4) == 0, random.below(n as u64) as usize);
                drops_waiting[v] = head && drop;
                bench.head.request[v].next = one_hot(n, (head && !drop).then_some(output));
                requests[v] = (head && !drop && free).then_some(output);
                if head && drop && free {
                    grants.dropped[v] = 1;
                }
                let mine = !flit_wise && given >> output & 1 == 1;
                let available = crossbar.free_outputs(plane_of(v)) >> output & 1 == 1 && !mine;
                if requests[v].is_some() && available && random.below(3) > 0 {
                    grants.add(0, v, output);
                    grants.inputs[v] = 1;
                    given |= 1 << output;
                    granted[v] = true;
                }
            }
            bench.head.drop.next = vector(drops_waiting);
            bench.granted.next = vector(granted);
            bench.chosen.iter_mut().for_each(|pin| pin.next = vector(chosen.clone()));
            bench.settle();
            for v in 0..k {
                assert_eq!(bench.request[v].val(), one_hot(n, requests[v]), "VC {v}, {context}");
                assert_eq!(bench.take.val().get_bit(v), grants.taken(v) & 1 == 1, "VC {v}, {context}");
            }
            crossbar.connect(&grants);

            // To the route unit.
            assert_eq!(bench.arrival.arrive.val(), received.arrival.is_some(), "{context}");
            if let Some(arrival) = received.arrival {
                assert_eq!(number(bench.arrival.arrive_vc.val()), u64::from(arrival.vc), "{context}");
                let malformed = bench.arrival.arrive_malformed.as_ref().is_some_and(|pin| pin.val());
                assert_eq!(malformed, arrival.malformed, "{context}");
                let address = bench
                    .arrival
                    .arrive_address
                    .as_ref()
                    .or(bench.arrival.arrive_port.as_ref())
                    .expect("one of them")
                    .val();
                assert!(malformed || number(address) == arrival.address, "{context}: {arrival:?}");
            }
            if bench.reset.next {
                model.reset();
                crossbar.reset();
                (valid, credit) = (VcBits::default(), vec![0; k]);
                (flags, dropped, drops) = ([false; 4], vec![false; k], 0);
            }
            bench.cycle();
        }
    }
}
