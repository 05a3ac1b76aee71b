//! The registers as a requester sees them, and what they tell the switch.

use super::*;
use crate::registers::link_registers::Method;
use crate::route::route_queue::Candidates;
use railyard_spec::{
    presets, AlgorithmicRouting, Config, Counters, ForwardingTable, LinkAggregation, NodeReduction, Routing,
    TableRouting,
};

fn registers_of(preset: &str) -> Registers {
    let config = Config::from_json(presets::find(preset).unwrap().json).unwrap();
    Registers::new(&config.shape())
}

fn transfer(registers: &mut Registers, pwrite: bool, paddr: u16, pwdata: u32) -> (u32, bool) {
    registers.step(&Apb { psel: true, penable: false, pwrite, paddr, pwdata });
    let answer = (registers.prdata, registers.pslverr);
    registers.step(&Apb { psel: true, penable: true, pwrite, paddr, pwdata });
    answer
}

#[test]
fn what_is_written_is_read() {
    let mut registers = registers_of("torus16");
    assert_eq!(transfer(&mut registers, false, 0, 0), (0x5259_4C44, false));
    assert_eq!(transfer(&mut registers, false, 4, 0), (0x0210, false));
    assert_eq!(transfer(&mut registers, true, 0x14, 0x12_3456), (0, false));
    assert_eq!(transfer(&mut registers, false, 0x14, 0), (0x12_3456, false));
    assert_eq!(registers.settings().coordinate, 0x12_3456);
    assert_eq!(transfer(&mut registers, true, 0x408, 0x10F), (0, false));
    assert_eq!((registers.mapped(2), registers.mapped(3)), (PacketRoute::Port(15), PacketRoute::Drop));
}

#[test]
fn a_map_entry_names_the_vc() {
    let mut config = Config::named("t");
    config.virtual_channels.unicast = 3;
    config.routing = Routing::Algorithmic(AlgorithmicRouting { next_vc: true, ..Default::default() });
    let mut registers = Registers::new(&config.check().unwrap().shape());
    for (value, route) in [
        (0x102_0105, PacketRoute::PortVc(5, 2)),
        (0x002_0105, PacketRoute::Port(5)),
        (0x100_0105, PacketRoute::PortVc(5, 0)),
        (0x102_0005, PacketRoute::Drop),
    ] {
        assert_eq!(transfer(&mut registers, true, 0x404, value), (0, false));
        assert_eq!(registers.mapped(1), route);
    }
    assert_eq!(transfer(&mut registers, true, 0x404, 0x003_0105), (0, true), "no VC 3");
    transfer(&mut registers, true, 0x10, 0x1_0041);
    assert!(registers.settings().dateline);
}

#[test]
fn links_are_set_up() {
    let mut config = Config::named("t");
    config.ports = 6;
    let link_aggregation = Some(LinkAggregation { groups: 3, links: 5, ..Default::default() });
    config.routing = Routing::Algorithmic(AlgorithmicRouting { link_aggregation, ..Default::default() });
    let mut registers = Registers::new(&config.check().unwrap().shape());
    let after_reset = registers.links().clone();
    assert_eq!(registers.links().port(2, 7), None);
    for (paddr, pwdata, is_legal) in [
        (0x40, 2, true),
        (0x40, 3, false),
        (0x88, 5, true),
        (0x88, 6, false),
        (0x8C, 0, false), // no group 3
        (0x800 + 4 * 12, 5, true),
        (0x800 + 4 * 12, 6, false),
        (0x800 + 4 * 15, 0, false),
        (0x408, 0x200_2105, true), // group 2
        (0x408, 0x200_3105, false),
    ] {
        assert_eq!(transfer(&mut registers, true, paddr, pwdata), (0, !is_legal), "{paddr:#x} {pwdata:#x}");
        assert_eq!(registers.links_changed(), is_legal && paddr & 0x400 == 0);
    }
    assert_eq!(registers.links().method, Method::Turn);
    let ports = [2, 7, 255, 3].map(|selector| registers.links().port(2, selector));
    assert_eq!(ports, [Some(5), Some(5), Some(0), Some(0)]);
    assert_eq!(registers.mapped(2), PacketRoute::Group(2, None));
    registers.reset();
    assert_eq!(registers.links(), &after_reset);
}

#[test]
fn caches_are_enabled_and_flushed() {
    let mut config = Config::named("t");
    let node_reduction = Some(NodeReduction::default());
    config.routing = Routing::Table(TableRouting { node_reduction, ..Default::default() });
    let mut registers = Registers::new(&config.check().unwrap().shape());
    let mut write = |paddr, pwdata| {
        let (_, illegal) = transfer(&mut registers, true, paddr, pwdata);
        let flushes = registers.command() == WriteCommand::Flush;
        registers.step(&Apb::default());
        assert_eq!(registers.command(), WriteCommand::None, "for one cycle only");
        (illegal, flushes, registers.cache_enabled())
    };
    assert_eq!(write(0x30, 1), (false, false, true));
    assert_eq!(write(0x30, 2), (true, false, true));
    assert_eq!(write(0x30, 0), (false, false, false));
    assert_eq!(write(0x34, 0), (false, false, false));
    assert_eq!(write(0x34, 1), (false, true, false));
    assert_eq!(write(0x34, 3), (true, false, false));
    assert_eq!(write(0x38, 0), (true, false, false));
    for (paddr, pwdata) in [(0x10, 0x41), (0x14, 0), (0x1C, 5), (0x24, 1)] {
        assert_eq!(write(paddr, pwdata), (false, true, false));
    }
    assert_eq!(write(0x10, 0x51), (true, false, false));
    let mut read = |paddr, caches| {
        registers.show_sweeping(Sweeping { caches, ..Sweeping::default() });
        transfer(&mut registers, false, paddr, 0)
    };
    assert_eq!([read(0x34, true), read(0x30, true)], [(0, false), (0, false)]);
    assert_eq!([read(0x38, true), read(0x38, false)], [(1, false), (0, false)]);
    registers.reset();
    assert!(registers.cache_enabled());
}

#[test]
fn illegal_accesses_change_nothing() {
    let mut registers = registers_of("torus16");
    let before = registers.values.clone();
    for (paddr, pwdata) in [
        (0, 1),                  // read-only
        (0x3FC, 0),              // no register
        (0x400 + 4 * 64, 0),     // beyond the map
        (0x16, 0),               // not a word
        (0x18, 0),               // no high half: the address has 24 bits
        (0x14, 0x100_0000),      // beyond the address
        (0x10, 5 << 4),          // a chunk width that is not built in
        (0x10, 0),               // chunk width 0
        (0x10, 3 << 4 | 8 << 8), // 8 chunks of 3 bits: levels 0 to 7
        (0x400, 16),             // no port 16
        (0x400, 0x200),          // reserved bit
    ] {
        assert_eq!(transfer(&mut registers, true, paddr, pwdata), (0, true), "{paddr:#x} {pwdata:#x}");
    }
    assert_eq!(transfer(&mut registers, false, 0x18, 0), (0, true));
    assert_eq!(registers.values, before);
}

#[test]
fn a_setup_without_access_writes_nothing() {
    let mut registers = registers_of("noc5");
    let setup = Apb { psel: true, penable: false, pwrite: true, paddr: 0x14, pwdata: 7 };
    registers.step(&setup);
    registers.step(&Apb::default());
    registers.step(&Apb { penable: true, ..setup });
    assert_eq!(registers.settings().coordinate, 0);
    registers.step(&Apb { pwdata: 9, ..setup });
    registers.step(&setup);
    registers.step(&Apb { penable: true, pwdata: 1, paddr: 0x24, ..setup });
    assert_eq!(registers.settings().coordinate, 7, "the last setup counts");
}

#[test]
fn an_entry_is_laid_out_and_then_written() {
    let mut config = Config::named("t");
    let forwarding_table = Some(ForwardingTable { entries: 64, ways: 4, ..ForwardingTable::default() });
    config.routing = Routing::Table(TableRouting {
        address_bits: 40,
        candidates: 3,
        forwarding_table,
        default_route: true,
        ..TableRouting::default()
    });
    let mut registers = Registers::new(&config.check().unwrap().shape());
    let mut write = |paddr, pwdata, sweeping| {
        registers.show_sweeping(Sweeping { table: sweeping, ..Sweeping::default() });
        let (_, illegal) = transfer(&mut registers, true, paddr, pwdata);
        let command = registers.command();
        assert_eq!(transfer(&mut registers, false, paddr, 0).0 == pwdata, !illegal && !(0x70..0x78).contains(&paddr));
        (!illegal).then_some((command, registers.default_route()))
    };
    for (paddr, pwdata) in [(0x60, 0x1234_5678), (0x64, 0x9A), (0x68, 0x1800_0005), (0x6C, 0x0706)] {
        assert_eq!(write(paddr, pwdata, true), Some((WriteCommand::None, PacketRoute::Drop)));
    }
    let candidates = PacketRoute::Candidates(Candidates::new([5, 6, 7, 0], 2, true, None));
    let entry = Some((0x9A_1234_5678, candidates));
    let written =
        |index, way, entry| Some((WriteCommand::WriteTable(TableWrite { way, index, entry }), PacketRoute::Drop));
    assert_eq!(write(0x70, 1 << 24 | 2 << 16 | 9, false), written(9, 2, entry));
    assert_eq!(write(0x70, 3 << 16 | 15, false), written(15, 3, None));
    for illegal in [1 << 24 | 4 << 16, 16, 1 << 25] {
        assert_eq!(write(0x70, illegal, false), None);
    }
    assert_eq!(write(0x70, 9, true), None, "the table is being emptied");
    assert_eq!(write(0x74, 1, true), Some((WriteCommand::ClearTable, PacketRoute::Drop)));
    assert_eq!(
        write(0x28, 0x1400_0103, false),
        Some((WriteCommand::None, PacketRoute::Candidates(Candidates::new([3, 0, 0, 0], 1, true, None))))
    );
    assert_eq!(write(0x28, 0x0000_0003, false), Some((WriteCommand::None, PacketRoute::Drop)));
}

#[test]
fn counters_are_read_as_they_were_taken() {
    let mut config = Config::named("t");
    config.counters = Some(Counters { bits: 16 });
    let mut registers = Registers::new(&config.check().unwrap().shape());
    for (pwdata, snapshot, clear) in [(0, false, false), (1, true, false), (2, false, true), (3, true, true)] {
        assert_eq!(transfer(&mut registers, true, 0x50, pwdata), (0, false));
        assert_eq!(registers.command(), WriteCommand::Counters { snapshot, clear });
    }
    registers.take_counters(|register, entry| register.address / 0x100 + entry as u32);
    let mut read = |paddr| transfer(&mut registers, false, paddr, 0);
    assert_eq!([read(0x8000), read(0x8004), read(0x9000 + 4 * 31)], [(0x80, false), (0x81, false), (0x90 + 31, false)]);
    assert_eq!([read(0xE100 + 4 * 15), read(0xF008)], [(0xE1 + 15, false), (0xF0, false)]);
    // No 17th port, no forwarding table.
    assert_eq!([read(0x8080), read(0xF000), read(0xE000)], [(0, true), (0, true), (0xE0, false)]);
    assert_eq!(transfer(&mut registers, true, 0x8000, 0), (0, true));
}
