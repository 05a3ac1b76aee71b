//! The block against section 5.2, said once more in plain Rust.

use super::*;
use railyard_spec::Config;

const PORTS: usize = 5;
const GROUPS: usize = 6;
const OWN: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Head {
    Drop,
    Port(usize),
    Group(usize),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Register {
    Empty,
    Reading(u64),
    Waiting(u64),
    ToDrop,
}

#[test]
fn multicast_packets_wait_with_the_fan_out_that_the_table_had() {
    let mut config = Config::named("test");
    (config.ports, config.virtual_channels.mixed, config.multicast.groups) = (PORTS as u32, 1, GROUPS as u32);
    let shape = config.check().unwrap().shape();
    let mut bench = Bench::new(fan_out(&shape, shape.multicast.as_ref().unwrap()), |b| &mut b.clock);
    bench.table.own_port.next = OWN.into();
    let mut random = 11u64;
    let mut draw = move |n: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % n
    };
    let mut table = [0u64; GROUPS];
    let (mut head, mut register, mut swept) = (None, Register::Empty, 0);
    let (mut waited, mut dropped, mut passed) = (0, 0, 0);
    for cycle in 0..6000 {
        let reset = cycle == 0 || draw(200) == 0;
        head = head.or_else(|| match draw(8) {
            0 => Some(Head::Drop),
            1 | 2 => Some(Head::Port(draw(PORTS as u64) as usize)),
            3..=6 => Some(Head::Group(draw(GROUPS as u64) as usize)),
            _ => None,
        });
        let sweeping = swept <= GROUPS;
        // A write while the table sweeps is illegal.
        let write = (!sweeping && draw(6) == 0).then(|| (draw(GROUPS as u64) as usize, draw(64) & draw(64)));
        bench.reset.next = reset;
        bench.head_drop.next = head == Some(Head::Drop);
        bench.head_request.next = match head {
            Some(Head::Port(port)) => (1u32 << port).into(),
            _ => 0.into(),
        };
        bench.head_multicast.next = matches!(head, Some(Head::Group(_)));
        bench.head_group.next = match head {
            Some(Head::Group(group)) => group.into(),
            _ => draw(GROUPS as u64).into(),
        };
        bench.table.write.next = write.is_some();
        bench.table.write_group.next = write.map_or(0, |(group, _)| group).into();
        bench.table.write_entry.next = write.map_or(0, |(_, entry)| entry).into();
        let may_connect = draw(2) == 0;
        bench.may_connect.next = may_connect;
        bench.start.next = false;
        bench.settle();

        assert!(cycle == 0 || bench.table.sweeping.val() == sweeping, "cycle {cycle}");
        let goes_by = head.filter(|head| register == Register::Empty && !matches!(head, Head::Group(_)));
        let drop = goes_by == Some(Head::Drop) || register == Register::ToDrop;
        let waits = matches!(register, Register::Waiting(_));
        if cycle > 0 {
            assert_eq!(bench.drop_now.val(), drop, "cycle {cycle}");
            let port = if let Some(Head::Port(port)) = goes_by { 1 << port } else { 0 };
            assert_eq!(bench.request.val().to_u128(), port, "cycle {cycle}");
            assert_eq!(bench.waiting.val(), waits, "cycle {cycle}");
            if let Register::Waiting(mask) = register {
                assert_eq!(bench.outputs.val().to_u128(), u128::from(mask), "cycle {cycle}");
            }
        }
        let asks = matches!(goes_by, Some(Head::Port(_)));
        let take = cycle > 0 && if drop { may_connect } else { (asks || waits) && draw(2) == 0 };
        bench.start.next = take && waits;
        bench.settle();
        let let_go = take && register != Register::Empty;
        let load = match head {
            Some(Head::Group(group)) if (register == Register::Empty || let_go) && write.is_none() => Some(group),
            _ => None,
        };
        if cycle > 0 {
            // As the connection joins them.
            let take_head = bench.take_now.val() || take && asks || take && waits && bench.follows.val();
            assert_eq!(take_head, load.is_some() || (take && !let_go), "cycle {cycle}");
        }
        bench.cycle();

        waited += usize::from(let_go && waits);
        dropped += usize::from(let_go && !waits);
        passed += usize::from(take && !let_go);
        if load.is_some() || (take && !let_go) {
            head = None;
        }
        register = match (load, register) {
            (Some(group), _) => Register::Reading(if sweeping { 0 } else { table[group] }),
            (None, Register::Reading(entry)) => {
                let own = if entry >> PORTS & 1 == 1 { 0 } else { 1 << OWN };
                match entry & ((1 << PORTS) - 1) & !own {
                    0 => Register::ToDrop,
                    mask => Register::Waiting(mask),
                }
            }
            (None, _) if let_go => Register::Empty,
            _ => register,
        };
        if let Some((group, entry)) = write {
            table[group] = entry;
        }
        swept = (swept + 1).min(GROUPS + 1);
        if reset {
            (register, swept, table, head) = (Register::Empty, 0, [0; GROUPS], None);
        }
    }
    assert!(waited > 200 && dropped > 200 && passed > 200, "{waited} waited, {dropped} dropped, {passed} passed");
}
