//! cam_port against the model's `CamPort`, whose requests come from the model's miss tables.
//!
//! The model takes a registered answer straight to the slot; the wires on the way (`answer_*`) are read off the tag as
//! section 4.4 says.

use crate::support::{number, one_hot, shape, vector, Random};
use railyard_hdl::units::route::cam_port::cam_port;
use railyard_model::route::cam_port::{CamPort, CamRequest, CamResponse};
use railyard_model::route::route_unit::RouteUnit;
use railyard_spec::{Routing, TableRouting};

#[test]
fn cam_ports() {
    for (ports, vcs, slots) in [(2, 1, 1), (5, 3, 3), (16, 2, 4), (3, 8, 16)] {
        let shape = shape(|c| {
            (c.ports, c.virtual_channels.unicast) = (ports, vcs);
            c.routing = Routing::Table(TableRouting { lookups_per_vc: Some(slots), ..Default::default() });
        });
        let table = shape.table().expect("table routing");
        let (n, k, slots) = (shape.ports, u64::from(vcs), u64::from(slots));
        let mut random = Random::new(ports.into(), 16);
        let mut bench = started!(cam_port(&shape, table));
        let mut model = CamPort::new(&shape);
        let mut units = vec![RouteUnit::new(table, &shape, 0); n];
        // Slots taken, for each port and VC; requests at the CAM; the request and response registers; the flag.
        let mut taken = vec![vec![0; shape.vcs]; n];
        let mut at_cam: Vec<CamRequest> = vec![];
        let (mut request, mut response, mut error_cam) = (None::<CamRequest>, None::<CamResponse>, false);
        let (mut accepted, mut refused) = (0, 0);
        for now in 0..1200u64 {
            let context = format!("{ports} ports, {vcs} VCs, cycle {now}");
            assert_eq!(bench.request.valid.val(), request.is_some(), "{context}");
            assert_eq!(bench.error_cam.as_ref().unwrap().val(), error_cam, "{context}");
            if let Some(CamRequest { tag, address, .. }) = request {
                let got = (number(bench.request.tag.val()), number(bench.request.address.val()));
                assert_eq!(got, (tag.into(), address), "{context}");
            }

            // The ports' offers, and a CAM that accepts and answers; some answers are to nothing.
            let offers = model.offers();
            bench.offer_valid.next = vector((0..n).map(|p| offers >> p & 1 == 1));
            for p in 0..n {
                let (vc, slot, address) = units[p].misses.request().unwrap_or((0, 0, random.below(1000)));
                bench.offer_vc[p].next = vc.into();
                bench.offer_slot[p].next = slot.into();
                bench.offer_address[p].next = address.into();
            }
            let ready = random.below(if now / 100 % 2 == 0 { 2 } else { 6 }) == 0;
            let honest = random.below(5) > 0;
            let answer = (random.below(2) == 0).then(|| CamResponse {
                tag: match at_cam.len() as u64 {
                    waiting if honest && waiting > 0 => at_cam.swap_remove(random.below(waiting) as usize).tag,
                    _ => random.below(1 << table.tag_bits) as u32,
                },
                hit: random.below(4) > 0,
                port: random.below(1 << shape.port_bits) as u8,
                ..CamResponse::default()
            });
            let clear = random.below(4) == 0;
            bench.request.ready.next = ready;
            bench.response.valid.next = answer.is_some();
            let CamResponse { tag, hit, port, .. } = answer.unwrap_or_default();
            (bench.response.tag.next, bench.response.hit.next) = (tag.into(), hit);
            bench.response.port.next = u32::from(port).into();
            bench.error_clear.as_mut().unwrap().next = clear;
            bench.reset.next = random.below(300) == 0;

            // The answer registered in the cycle before.
            let answered = model.answer(answer, &mut units);
            bench.answer_known.as_mut().unwrap().next = one_hot(n, answered.port);
            bench.settle();
            let named = response.map(|r| (r.tag >> (shape.vc_bits + table.slot_bits)) as usize).filter(|&p| p < n);
            assert_eq!(bench.answer_valid.val(), one_hot(n, named), "{context}");
            if let Some(CamResponse { tag, hit, port, .. }) = response {
                let got = number(bench.answer_vc.val()) << table.slot_bits | number(bench.answer_slot.val());
                assert_eq!(got, u64::from(tag) & ((1 << (shape.vc_bits + table.slot_bits)) - 1), "{context}");
                let route = hit && usize::from(port) < n;
                assert_eq!(bench.answer_drop.val(), !route, "{context}");
                assert!(!route || number(bench.answer_port.val()) == u64::from(port), "{context}");
            }
            error_cam = answered.error || error_cam && !clear;
            (accepted, refused) = (accepted + u32::from(answered.port.is_some()), refused + u32::from(answered.error));

            // The request register.
            let load = request.is_none() || ready;
            if load {
                at_cam.extend(request);
                request = model.load(offers, &mut units);
            }
            assert_eq!(bench.offer_taken.val(), one_hot(n, request.filter(|_| load).map(|r| r.port)), "{context}");

            // The route units: slots are taken, and freed once answered.
            for p in 0..n {
                let misses = &mut units[p].misses;
                if let Some(slot) = misses.to_fill() {
                    misses.start_fill(slot);
                    misses.finish_fill(slot);
                }
                for vc in 0..shape.vcs {
                    if misses.oldest_done(vc).is_some() {
                        misses.free(vc);
                        taken[p][vc] -= 1;
                    }
                }
                let vc = random.below(k) as usize;
                if taken[p][vc] < slots && random.below(n as u64) < 2 {
                    taken[p][vc] += 1;
                    let address = random.below(64);
                    if !misses.take(vc, address, Some(address)) {
                        model.offer(p);
                    }
                }
            }
            response = answer;
            if bench.reset.next {
                model.reset();
                units.iter_mut().for_each(|unit| unit.reset(now + 1));
                taken.iter_mut().for_each(|port| port.fill(0));
                at_cam.clear();
                (request, response, error_cam) = (None, None, false);
            }
            bench.cycle();
        }
        assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
    }
}
