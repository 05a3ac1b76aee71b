//! The arbiters of an allocator: by crossbar and link arbitration, and in a Dragonfly by policy.
//!
//! Source: switch reference, section 6; reference page of Dragonfly routing, "Arbitration".

use super::ranking::AgeRanking;
use crate::bits::MAX_VCS;
use crate::parts::arbiter::{Arbiter, ArbiterPlace};
use crate::parts::round_robin_arbiter::WideRoundRobin;
use railyard_spec::{ArbitrationPolicy, Crossbar, LinkArbitration, Shape};

/// The arbiters of each output.
#[derive(Clone, Debug)]
pub enum Arbiters {
    /// Parallel crossbar, packet-wise: one set, or two if packets of nodes can come last.
    ParallelPacket {
        /// The sets. The second one is for packets that come last.
        sets: Vec<PacketArbiters>,
    },
    /// The same by age.
    Oldest(AgeRanking),
    /// Parallel crossbar, flit-wise: over the inputs of an (output, VC).
    ParallelFlit {
        /// At `output * vcs + vc`.
        inputs: Vec<ArbiterPlace>,
    },
    /// Single crossbar: over all (input, VC).
    Single {
        /// By output.
        all: Vec<WideRoundRobin>,
    },
}

/// For each output, an arbiter over its VCs, and for each VC one over the inputs.
#[derive(Clone, Debug)]
pub struct PacketArbiters {
    vcs: Vec<ArbiterPlace>,
    inputs: Vec<ArbiterPlace>,
    count: usize,
}

impl PacketArbiters {
    /// With `place` as an arbiter over so many.
    fn new(ports: usize, vcs: usize, place: impl Fn(usize) -> ArbiterPlace) -> Self {
        PacketArbiters { vcs: vec![place(vcs); ports], inputs: vec![place(ports); ports * vcs], count: vcs }
    }

    /// Picks a winner for `output`, as (input, VC), and uses the grant; `requests[v]` is a mask over inputs, at least
    /// one bit is set.
    #[inline]
    pub fn grant(&mut self, output: usize, requests: &[u64; MAX_VCS]) -> (usize, usize) {
        let wanted = requests[..self.count]
            .iter()
            .enumerate()
            .fold(0, |mask, (vc, inputs)| mask | u64::from(*inputs != 0) << vc);
        let vc = self.vcs[output].grant(wanted);
        (self.inputs[output * self.count + vc].grant(requests[vc]), vc)
    }

    fn reset(&mut self) {
        self.vcs.iter_mut().chain(&mut self.inputs).for_each(ArbiterPlace::reset);
    }
}

impl Arbiters {
    /// Those of a switch of that shape.
    pub fn new(shape: &Shape) -> Self {
        let (n, k) = (shape.ports, shape.vcs);
        match (shape.crossbar, shape.link_arbitration) {
            (Crossbar::Single, _) => Arbiters::Single { all: vec![WideRoundRobin::new(n, k); n] },
            (Crossbar::Parallel, LinkArbitration::Flit) => {
                Arbiters::ParallelFlit { inputs: vec![ArbiterPlace::round_robin(n); n * k] }
            }
            (Crossbar::Parallel, LinkArbitration::Packet) => Arbiters::packetwise(shape),
        }
    }

    fn packetwise(shape: &Shape) -> Self {
        let built = shape.dragonfly();
        let place = match built.map_or(ArbitrationPolicy::RoundRobin, |built| built.policy) {
            ArbitrationPolicy::RoundRobin => ArbiterPlace::round_robin,
            ArbitrationPolicy::LeastRecent => ArbiterPlace::least_recent,
            ArbitrationPolicy::Oldest => return Arbiters::Oldest(AgeRanking::new(shape)),
        };
        let sets = 1 + usize::from(built.is_some_and(|built| built.transit_first));
        Arbiters::ParallelPacket { sets: vec![PacketArbiters::new(shape.ports, shape.vcs, place); sets] }
    }

    /// Puts another arbiter in the place of each one among inputs. False if there are none.
    pub fn replace_inputs(&mut self, make: impl Fn() -> Box<dyn Arbiter>) -> bool {
        let inputs: Vec<&mut ArbiterPlace> = match self {
            Arbiters::ParallelPacket { sets } => sets.iter_mut().flat_map(|set| &mut set.inputs).collect(),
            Arbiters::ParallelFlit { inputs } => inputs.iter_mut().collect(),
            Arbiters::Oldest(_) | Arbiters::Single { .. } => return false,
        };
        inputs.into_iter().for_each(|place| *place = ArbiterPlace::Own(make()));
        true
    }

    /// As after reset.
    pub fn reset(&mut self) {
        match self {
            Arbiters::ParallelPacket { sets } => sets.iter_mut().for_each(PacketArbiters::reset),
            Arbiters::Oldest(ranking) => ranking.reset(),
            Arbiters::ParallelFlit { inputs } => inputs.iter_mut().for_each(ArbiterPlace::reset),
            Arbiters::Single { all } => all.iter_mut().for_each(WideRoundRobin::reset),
        }
    }
}
