//! Which answers go first, and what the CAM is asked, against section 4.7.

use super::*;
use railyard_spec::registers::registers;
use railyard_spec::{Config, ForwardingTable as Built, LinkAggregation, Routing, TableRouting};

fn shape(external_cam: bool) -> Shape {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.unicast) = (8, 2);
    config.routing = Routing::Table(TableRouting {
        address_bits: 12,
        cache: None,
        next_vc: true,
        candidates: 3,
        link_aggregation: Some(LinkAggregation::default()),
        forwarding_table: Some(Built { entries: 16, ways: 2, ..Default::default() }),
        external_cam,
        ..Default::default()
    });
    let config = config.check().unwrap();
    assert!(!registers(&config.shape()).is_empty());
    config.shape()
}

/// A port whose table is swept and knows address 5, by route `route`.
fn started(shape: &Shape, route: u128) -> Bench<TablePort> {
    let (routing, table) = (shape.table().unwrap(), shape.forwarding_table().unwrap());
    let mut bench = Bench::new(table_port(shape, routing, table), |b| &mut b.clock);
    bench.reset.next = true;
    bench.cycle();
    bench.reset.next = false;
    while bench.sweeping.val() {
        bench.cycle();
    }
    bench.table.write.next = true;
    bench.table.valid.next = true;
    bench.table.way.next = 1.into();
    bench.table.index.next = table.index(table.crc.of(5, 12), 1).into();
    bench.table.address.next = 5.into();
    bench.table.route.next = Value::new(route_layout(shape).bits, route);
    bench.cycle();
    bench.table.write.next = false;
    bench.cycle();
    bench
}

/// Puts a request into T0 for a cycle.
fn ask(bench: &mut Bench<TablePort>, tag: u32, address: u32) {
    bench.request_valid.next = true;
    bench.request_tag.next = tag.into();
    bench.request_address.next = address.into();
    bench.cycle();
    bench.request_valid.next = false;
}

#[test]
fn the_answer_is_the_route_that_was_written() {
    for external in [true, false] {
        let shape = shape(external);
        let layout = route_layout(&shape);
        let (port, vc, group, first, second) = (6u128, 1u128, 3u128, 5u128, 2u128);
        let low = port | vc << layout.vc | 1 << layout.vc_set | group << layout.group | 1 << layout.group_set;
        let more = first << layout.candidate | second << (layout.candidate + 3);
        let route = low | more | 2 << layout.candidates | 1 << layout.in_order;
        let mut bench = started(&shape, route);
        ask(&mut bench, 9, 5);
        assert!(!bench.response.valid.val());
        bench.cycle();
        assert!(bench.response.valid.val() && bench.response.hit.val());
        assert_eq!((bench.response.tag.val().to_u128(), bench.response.port.val().to_u128()), (9, port));
        assert!(
            bench.response.vc_set.as_ref().unwrap().val()
                && bench.response.group_set.as_ref().unwrap().val()
                && bench.response.in_order.as_ref().unwrap().val()
        );
        assert_eq!(bench.response.vc.as_ref().unwrap().val().to_u128(), vc);
        assert_eq!(bench.response.group.as_ref().unwrap().val().to_u128(), group);
        assert_eq!(bench.response.candidates.as_ref().unwrap().val().to_u128(), 2);
        assert_eq!(bench.response.candidate[0].val().to_u128(), first);
        assert_eq!(bench.response.candidate[1].val().to_u128(), second);
        assert!(bench.advance.val());
        bench.cycle();
        assert!(!bench.response.valid.val());
    }
}

#[test]
fn an_answer_of_the_cam_goes_first() {
    let mut bench = started(&shape(true), 6);
    ask(&mut bench, 9, 5);
    ask(&mut bench, 10, 5);
    bench.external.as_mut().unwrap().cam_response.valid.next = true;
    bench.external.as_mut().unwrap().cam_response.tag.next = 3.into();
    bench.external.as_mut().unwrap().cam_response.port.next = 1.into();
    for _ in 0..3 {
        bench.settle();
        assert!(bench.response.valid.val() && !bench.response.hit.val() && !bench.advance.val());
        assert_eq!((bench.response.tag.val().to_u128(), bench.response.port.val().to_u128()), (3, 1));
        bench.cycle();
    }
    bench.external.as_mut().unwrap().cam_response.valid.next = false;
    for tag in [9, 10] {
        bench.settle();
        assert!(bench.response.valid.val() && bench.response.hit.val() && bench.advance.val());
        assert_eq!(bench.response.tag.val().to_u128(), tag);
        bench.cycle();
    }
    assert!(!bench.response.valid.val() && !bench.external.as_ref().unwrap().cam_request.valid.val());
}

#[test]
fn the_cam_is_asked_for_what_the_table_does_not_know() {
    let mut bench = started(&shape(true), 6);
    ask(&mut bench, 1, 7);
    ask(&mut bench, 2, 8);
    assert!(!bench.external.as_ref().unwrap().cam_request.valid.val() && bench.advance.val());
    bench.cycle();
    // One in the request register, one in T2; nothing advances until the CAM is ready.
    for _ in 0..3 {
        assert!(
            bench.external.as_ref().unwrap().cam_request.valid.val()
                && !bench.advance.val()
                && !bench.response.valid.val()
        );
        assert_eq!(bench.external.as_ref().unwrap().cam_request.tag.val().to_u128(), 1);
        assert_eq!(bench.external.as_ref().unwrap().cam_request.address.val().to_u128(), 7);
        bench.cycle();
    }
    bench.external.as_mut().unwrap().cam_request.ready.next = true;
    bench.settle();
    assert!(bench.advance.val());
    bench.cycle();
    assert_eq!(bench.external.as_ref().unwrap().cam_request.tag.val().to_u128(), 2);
    assert_eq!(bench.external.as_ref().unwrap().cam_request.address.val().to_u128(), 8);
    bench.cycle();
    assert!(!bench.external.as_ref().unwrap().cam_request.valid.val());
}

#[test]
fn without_a_cam_what_is_not_known_has_no_route() {
    let mut bench = started(&shape(false), 6);
    ask(&mut bench, 1, 7);
    ask(&mut bench, 2, 5);
    assert!(bench.response.valid.val() && !bench.response.hit.val());
    assert_eq!(bench.response.tag.val().to_u128(), 1);
    bench.cycle();
    assert!(bench.response.valid.val() && bench.response.hit.val());
    assert_eq!(bench.response.tag.val().to_u128(), 2);
}
