//! Registers of events: what happens is kept, what is cleared is gone, and the interrupt follows.

use super::*;
use railyard_spec::registers::{events, Event};

/// The events of a cycle, at random: of each its ports, or 1 if it has none.
pub struct Happening {
    of: Vec<(Event, u64)>,
    clear: bool,
}

impl Happening {
    pub fn random(random: &mut Random, shape: &Shape) -> Happening {
        let mut ports = |event: &Event| {
            let bits = if event.ports.is_some() { shape.ports } else { 1 };
            let all = (u64::from(random.next()) << 32 | u64::from(random.next())) >> (64 - bits);
            let few = 1u64 << ((random.next() >> 4) as usize % bits);
            [0, 0, 0, 0, 0, few, few, all][(random.next() >> 4) as usize % 8]
        };
        let of = events(shape).into_iter().map(|event| (event, ports(&event))).collect();
        Happening { of, clear: shape.events && random.one_in(20) }
    }

    pub fn apply(&self, bench: &mut Bench<ApbRegisters>) {
        let Some(wires) = &mut bench.events else { return };
        wires.clear.next = self.clear;
        for (event, ports) in &self.of {
            match event.name {
                "vc" => wires.vc.next = (*ports).into(),
                "framing" => wires.framing.next = (*ports).into(),
                "overflow" => wires.overflow.next = (*ports).into(),
                "length" => wires.length.next = (*ports).into(),
                "credit" => wires.credit.next = (*ports).into(),
                "drop" => wires.drop.next = (*ports).into(),
                "barrier" => wires.barrier.as_mut().expect("it is built").next = (*ports).into(),
                "cam" => wires.cam.as_mut().expect("it is built").next = *ports == 1,
                other => panic!("event {other} has no wire"),
            }
        }
    }
}

/// What the registers hold of events, as section 9.2 says.
#[derive(Default)]
pub struct Kept {
    happened: u32,
    ports: HashMap<u32, u64>,
    interrupt: bool,
    /// Cycles with an interrupt, and bits that were set while they were cleared.
    pub seen: (usize, usize),
}

impl Kept {
    /// What a register reads that shows it.
    pub fn read(&self, model: &Model, at: u32) -> Option<u32> {
        let ports = |number: u32| self.ports.get(&number).copied().unwrap_or(0);
        Some(match at {
            address::EVENTS => self.happened,
            address::EVENT_PENDING => self.happened & model.values[&address::EVENT_ENABLE],
            address::EVENT_PORTS..address::MAP => {
                let place = at - address::EVENT_PORTS;
                (ports(place / 8) >> (8 * (place % 8))) as u32
            }
            _ => return None,
        })
    }

    /// A cycle passes; `access` is the legal write whose access phase this is, `enable` the setting before it.
    pub fn step(&mut self, happening: &Happening, access: Option<(u32, u32)>, enable: u32) {
        self.interrupt = self.happened & enable != 0;
        self.seen.0 += usize::from(self.interrupt);
        let cleared = |at: u32| match access {
            _ if happening.clear => u32::MAX,
            Some((written, word)) if written == at => word,
            _ => 0,
        };
        let mut raised = 0;
        for (event, ports) in &happening.of {
            let low = address::EVENT_PORTS + 8 * event.number;
            let clear = u64::from(cleared(low)) | u64::from(cleared(low + 4)) << 32;
            raised |= u32::from(*ports != 0) << event.number;
            if event.ports.is_some() {
                let kept = self.ports.entry(event.number).or_default();
                *kept = *kept & !clear | ports;
                self.seen.1 += (ports & clear).count_ones() as usize;
            }
        }
        self.seen.1 += (raised & cleared(address::EVENTS)).count_ones() as usize;
        self.happened = self.happened & !cleared(address::EVENTS) | raised;
    }

    pub fn reset(&mut self) {
        (self.happened, self.ports, self.interrupt) = (0, HashMap::new(), false);
    }

    pub fn check(&self, bench: &Bench<ApbRegisters>) {
        let wires = bench.events.as_ref().expect("there are events");
        assert_eq!(wires.interrupt.val(), self.interrupt);
    }
}

#[test]
fn events_are_kept_and_cleared_as_the_reference_says() {
    for (n, (ports, cycles)) in [(2, 4000), (16, 3000), (33, 4000), (64, 3000)].into_iter().enumerate() {
        let mut config = Config::named("test");
        (config.ports, config.events) = (ports, true);
        config.routing = match n {
            0 => Routing::Source(SourceRouting::default()),
            1 => Routing::Algorithmic(AlgorithmicRouting::default()),
            _ => Routing::Table(TableRouting { cache: None, ..Default::default() }),
        };
        config.virtual_channels.barrier = (n % 2) as u32;
        config.barrier.groups = 1;
        let config = config.check().unwrap_or_else(|faults| panic!("{faults}"));
        run(&config.shape(), cycles, 100 + n as u64);
    }
}
