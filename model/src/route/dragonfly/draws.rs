//! Random draws of candidates and vias, one set for each port. Source: reference page of Dragonfly routing, "Draws".

use crate::registers::dragonfly_registers::{DragonflySettings, TableEntry};
use railyard_spec::DragonflyShape;

/// Reset value of port 0's generator; that of port i is i + 1 times as large.
const GOLDEN: u32 = 0x9E37_79B9;

/// What a port has drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draw {
    /// A global port.
    pub global: u8,
    /// A local port.
    pub local: u8,
    /// Which of the two, where both are candidates.
    pub is_local: bool,
    group: u32,
    router: u32,
    /// Distances in groups that are under way to `group`, the oldest first.
    distances: [u32; 2],
}

/// A drawn via, and the ways to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawnVia {
    /// Its group, for packets that leave the group.
    pub group: u8,
    /// Its router.
    pub router: u8,
    /// Port towards its group, if there is one.
    pub out: Option<u8>,
    /// Port to its router in this group, if there is one.
    pub inside: Option<u8>,
    /// This group.
    pub own_group: u8,
}

/// One port's generator and the registers behind it.
#[derive(Clone, Copy, Debug, Default)]
struct PortDraws {
    state: u32,
    draw: Draw,
    via: DrawnVia,
    /// What candidates are made of: both of the last cycle.
    candidate: (Draw, DrawnVia),
}

/// The draws of all ports.
#[derive(Clone, Debug)]
pub struct Draws {
    built: DragonflyShape,
    ports: Vec<PortDraws>,
    /// `seed` of the last cycle.
    seed: u32,
}

impl Draws {
    /// Of a switch with so many ports, after reset.
    pub fn new(ports: usize, built: &DragonflyShape) -> Self {
        let mut draws = Draws { built: built.clone(), ports: vec![PortDraws::default(); ports], seed: 0 };
        draws.reset();
        draws
    }

    /// The candidates of a port for detours.
    pub fn candidates(&self, port: usize) -> Draw {
        self.ports[port].candidate.0
    }

    /// The via candidates of a port.
    pub fn via(&self, port: usize) -> DrawnVia {
        self.ports[port].candidate.1
    }

    /// R of a port.
    pub fn state(&self, port: usize) -> u32 {
        self.ports[port].state
    }

    /// One cycle.
    pub fn step(&mut self, settings: &DragonflySettings) {
        let reseed = settings.seed != self.seed;
        self.seed = settings.seed;
        for (number, port) in self.ports.iter_mut().enumerate() {
            port.candidate = (port.draw, DrawnVia { own_group: settings.group as u8, ..port.via });
            port.via = via(&self.built, port.draw, settings);
            port.draw = draw(&self.built, port.state, port.draw.distances, settings);
            port.state = if reseed { seeded(number, settings.seed) } else { xorshift(port.state) };
        }
    }

    /// Reset: all generators at the values of their ports.
    pub fn reset(&mut self) {
        self.seed = 0;
        for (number, port) in self.ports.iter_mut().enumerate() {
            *port = PortDraws { state: seeded(number, 0), ..PortDraws::default() };
        }
    }
}

fn seeded(port: usize, seed: u32) -> u32 {
    let of_port = (port as u32 + 1).wrapping_mul(GOLDEN);
    match of_port ^ seed {
        0 => of_port,
        state => state,
    }
}

fn xorshift(mut x: u32) -> u32 {
    x ^= x << 13;
    x ^= x >> 17;
    x ^ x << 5
}

fn draw(built: &DragonflyShape, state: u32, [oldest, younger]: [u32; 2], settings: &DragonflySettings) -> Draw {
    let bits = |low: u32, count: u32| state >> low & ((1 << count) - 1);
    let first_local = built.node_ports as u32;
    let first_global = first_local + built.local_ports as u32;
    let distance = bits(16, 12) * (settings.groups.wrapping_sub(1) & 0x1FF) >> 12;
    let sum = (settings.group + 1 + oldest) & 0x3FF;
    let group = if sum >= settings.groups { sum - settings.groups } else { sum };
    Draw {
        global: (first_global + (bits(0, 8) * built.global_ports as u32 >> 8)) as u8,
        local: (first_local + (bits(8, 8) * built.local_ports as u32 >> 8)) as u8,
        is_local: bits(24, 8) < settings.local_share,
        group: group & ((1 << built.group_bits) - 1),
        router: bits(4, 8) * settings.routers >> 8 & ((1 << built.router_bits) - 1),
        distances: [younger, distance],
    }
}

fn via(built: &DragonflyShape, draw: Draw, settings: &DragonflySettings) -> DrawnVia {
    if built.valiant.is_none() {
        return DrawnVia::default();
    }
    let port =
        |table: &[Option<TableEntry>], at: u32| table.get(at as usize).copied().flatten().map(|entry| entry.port);
    let inside = port(&settings.router_map, draw.router).filter(|_| draw.router != settings.router);
    let out = port(&settings.group_map, draw.group);
    DrawnVia { group: draw.group as u8, router: draw.router as u8, out, inside, own_group: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::apb_registers::Registers;
    use railyard_spec::Config;

    fn switch() -> (DragonflyShape, DragonflySettings) {
        let text = r#"{"name": "d", "ports": 7, "virtual_channels": {"unicast": 3}, "routing": {"kind": "dragonfly",
            "port_classes": {"node": {"ports": 2}, "local": {"ports": 3}, "global": {"ports": 2}},
            "vcs": {"requests": "lglgl"}, "adaptive": {"valiant": "router", "in_transit": true}}}"#;
        let shape = Config::from_json(text).expect("legal").shape();
        let settings = Registers::new(&shape).dragonfly().expect("a Dragonfly").clone();
        (shape.dragonfly().expect("a Dragonfly").clone(), settings)
    }

    #[test]
    fn generators_differ_by_port_and_start_again_with_a_seed() {
        let (built, mut settings) = switch();
        let mut draws = Draws::new(7, &built);
        assert_eq!(draws.ports[1].state, 0x3C6E_F372);
        draws.step(&settings);
        assert_eq!(draws.ports[0].state, xorshift(GOLDEN));
        settings.seed = GOLDEN;
        draws.step(&settings);
        let states = [0, 1].map(|port: usize| draws.ports[port].state);
        assert_eq!(states, [GOLDEN, 0x3C6E_F372 ^ GOLDEN], "0 is no state");
        draws.step(&settings);
        assert_eq!(draws.ports[0].state, xorshift(GOLDEN));
    }

    #[test]
    fn draws_are_uniform_and_never_the_own_group() {
        let (built, mut settings) = switch();
        (settings.group, settings.router) = (7, 2);
        let mut draws = Draws::new(7, &built);
        let (mut groups, mut routers, mut locals, mut globals) = ([0; 16], [0; 4], [0; 7], [0; 7]);
        let mut local = 0;
        (0..3).for_each(|_| draws.step(&settings));
        for _ in 0..8000 {
            draws.step(&settings);
            let draw = draws.candidates(3);
            groups[draw.group as usize] += 1;
            routers[draw.router as usize] += 1;
            locals[draw.local as usize] += 1;
            globals[draw.global as usize] += 1;
            local += i32::from(draw.is_local);
        }
        let near = |count: i32, expected: i32| (count - expected).abs() < expected / 8;
        assert_eq!((groups[7], &groups[9..]), (0, &[0; 7][..]));
        assert!((0..9).filter(|g| *g != 7).all(|g: usize| near(groups[g], 1000)), "{groups:?}");
        assert!(routers.iter().all(|&count| near(count, 2000)), "{routers:?}");
        assert!(locals[2..5].iter().all(|&count| near(count, 2667)) && globals[5..].iter().all(|&c| near(c, 4000)));
        assert!(near(local, 6000), "{local}");
    }
}
