//! The loop.

use super::{Found, Stop, Subject};
use crate::bench::SwitchBench;
use crate::limits::{LimitWatch, Limits};
use crate::simulate::PROGRESS;
use crate::stimulus::Scenario;
use railyard_model::Switch;
use railyard_spec::Shape;

/// Cycles between two looks at whether the traffic has ended.
const IDLE_CHECK: u64 = 32;
/// Cycles to drain when there was mischief: nobody can say what has to come out.
const DRAIN_AFTER_MISCHIEF: u64 = 2_000;

/// A device, the golden model, and the bench around them.
#[derive(Debug)]
pub struct Lockstep<D> {
    device: D,
    golden: Switch,
    bench: SwitchBench,
    watch: LimitWatch,
    mischief: bool,
    /// Most cycles to drain.
    patience: u64,
}

impl<D: Subject> Lockstep<D> {
    /// At the first cycle of a run.
    pub fn new(shape: &Shape, scenario: &Scenario, device: D) -> Lockstep<D> {
        Lockstep::with_golden(Switch::new(shape), scenario, device)
    }

    /// The same with that golden model, which has made no step yet.
    pub fn with_golden(golden: Switch, scenario: &Scenario, device: D) -> Lockstep<D> {
        let shape = golden.shape();
        let queued = (shape.ports * scenario.traffic.queue.next_power_of_two()) as u64 * u64::from(shape.max_flits);
        let buffered = (shape.ports * shape.vcs) as u64 * u64::from(shape.buffer_flits);
        let bench = SwitchBench::new(shape, scenario);
        Lockstep {
            device,
            watch: LimitWatch::new(shape),
            bench,
            mischief: scenario.mischief > 0.0,
            // All to one output, at a tenth of its rate.
            patience: 20_000 + 10 * (queued + buffered),
            golden,
        }
    }

    /// The bench.
    pub fn bench(&self) -> &SwitchBench {
        &self.bench
    }

    /// The bench, before the run.
    pub(super) fn bench_mut(&mut self) -> &mut SwitchBench {
        &mut self.bench
    }

    /// The device.
    pub fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }

    /// The golden model.
    pub fn golden(&self) -> &Switch {
        &self.golden
    }

    /// The limits of the switch, and which have been reached.
    pub fn limits(&self) -> &Limits {
        self.watch.limits()
    }

    /// Compares the current cycle's outputs; then one cycle. A device that is behind does both later.
    ///
    /// # Errors
    /// Something was found, in this cycle or an earlier one.
    #[inline]
    pub fn step(&mut self) -> Result<(), Box<Found>> {
        let cycle = self.bench.now();
        // Before the first reset nothing is known of the outputs.
        if cycle > 0 {
            self.device.expect(cycle, self.golden.outputs())?;
        }
        self.bench.cycle(self.golden.outputs());
        let (inputs, begun) = (self.bench.stimulus().inputs(), self.bench.stimulus().begun());
        self.golden.step(inputs);
        self.watch.look(inputs, &self.golden, begun);
        self.device.advance(cycle, inputs)?;
        self.look_for_faults()
    }

    /// What the rules say that need no model.
    #[inline]
    fn look_for_faults(&self) -> Result<(), Box<Found>> {
        if !self.bench.is_faulty() {
            return Ok(());
        }
        let of_packets = self.bench.packet_faults();
        let stop = match of_packets.is_empty() {
            true => Stop::Check(self.bench.check_faults()),
            false => Stop::Packets(of_packets),
        };
        Err(self.found(stop))
    }

    /// `cycles` cycles behind the set-up, and then on without new traffic until all is empty and all credit is back.
    ///
    /// # Errors
    /// Something was found.
    pub fn run(&mut self, cycles: u64, progress: &mut dyn FnMut(u64)) -> Result<(), Box<Found>> {
        let result = self.run_ahead(cycles, progress);
        // What the device finds in an earlier cycle comes first.
        match &result {
            Err(found) if !matches!(found.stop, Stop::Packets(_) | Stop::Check(_) | Stop::Undrained(_)) => {}
            _ => self.device.finish()?,
        }
        result
    }

    fn run_ahead(&mut self, cycles: u64, progress: &mut dyn FnMut(u64)) -> Result<(), Box<Found>> {
        self.bench.end_after(cycles);
        while !self.bench.has_ended() {
            self.step()?;
            if self.bench.now() % PROGRESS == 0 {
                progress(self.bench.since_set_up());
            }
        }
        let end = self.bench.now() + if self.mischief { DRAIN_AFTER_MISCHIEF } else { self.patience };
        while self.bench.now() < end {
            for _ in 0..IDLE_CHECK {
                self.step()?;
            }
            if !self.mischief && self.bench.is_idle() && self.golden.is_idle() {
                break;
            }
        }
        if self.mischief {
            return Ok(());
        }
        if !(self.bench.is_idle() && self.golden.is_idle()) {
            return Err(self.found(Stop::Undrained(self.rest())));
        }
        self.bench.audit();
        while !self.bench.is_audited() {
            self.step()?;
        }
        self.bench.finish();
        self.look_for_faults()
    }

    /// What shows in the latest cycle.
    fn found(&self, stop: Stop) -> Box<Found> {
        Box::new(Found { cycle: self.bench.now() - 1, stop })
    }

    /// What keeps the run from ending.
    fn rest(&self) -> String {
        let mut rest = Vec::new();
        if let Some(board) = self.bench.scoreboard().filter(|board| board.in_flight() > 0) {
            rest.push(format!("{} packets on their way", board.in_flight()));
        }
        if let Some((port, vc)) = self.bench.stimulus().missing_credit() {
            rest.push(format!("the sender of port {port}, VC {vc} lacks credit"));
        }
        if !self.golden.is_idle() {
            rest.push("the switch isn't empty".to_owned());
        }
        if rest.is_empty() {
            rest.push("sources, sinks or the CAM have work left".to_owned());
        }
        rest.join("; ")
    }
}
