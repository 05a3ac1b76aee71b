//! Route computation by arithmetic: node reduction, then the port map. Source: switch reference, section 4.6.

use crate::bits::{ones, MAX_PORTS};
use crate::input::input_unit::HeaderArrival;
use crate::registers::apb_registers::Registers;
use crate::route::reduction::node_reduction::{Compared, NodeReduction};
use crate::route::route_queue::PacketRoute;
use railyard_spec::AlgorithmicShape;

/// Cycles that the pipeline remembers: a power of two above the most stages.
const CYCLES: usize = 4;

/// A packet on its way through node reduction.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    vc: u8,
    malformed: bool,
    /// Where it goes whatever its key, if it is a multicast packet.
    multicast: Option<PacketRoute>,
    compared: Compared,
    key: Option<u32>,
}

/// Packets that arrived in one cycle.
#[derive(Clone, Debug)]
struct Cycle {
    ports: u64,
    packets: [Packet; MAX_PORTS],
}

/// Of the pair of VCs to which `own` belongs, the one that the lowest bit of `named` says.
fn one_of_pair(own: u8, named: u8) -> u8 {
    own & !1 | named & 1
}

/// The pipelines of all ports, which share their settings.
#[derive(Clone, Debug)]
pub struct AlgorithmicRoutes {
    reduction: NodeReduction,
    stages: u64,
    /// Multicast groups.
    groups: u64,
    /// A VC that the map names is one of the packet's own pair.
    vc_pairs: bool,
    /// The packets that arrived in cycle t are at `t % CYCLES`.
    cycles: Vec<Cycle>,
}

impl AlgorithmicRoutes {
    /// The pipelines of a switch of that shape with so many multicast groups, empty.
    pub fn new(shape: &AlgorithmicShape, groups: u64) -> Self {
        let empty = Cycle { ports: 0, packets: [Packet::default(); MAX_PORTS] };
        AlgorithmicRoutes {
            reduction: NodeReduction::new(&shape.reduction, shape.address_bits),
            stages: shape.reduction.stages as u64,
            groups,
            vc_pairs: shape.vc_pairs,
            cycles: vec![empty; CYCLES],
        }
    }

    /// Whether nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.cycles.iter().all(|c| c.ports == 0)
    }

    /// Takes the packets that arrive in cycle `now`, and gives the ports whose results come in it.
    #[inline]
    pub fn step(
        &mut self,
        now: u64,
        arriving: u64,
        arrivals: &[Option<HeaderArrival>; MAX_PORTS],
        registers: &Registers,
    ) -> u64 {
        let settings = registers.settings();
        let newest = &mut self.cycles[now as usize % CYCLES];
        newest.ports = arriving;
        for port in ones(arriving) {
            let Some(arrival @ HeaderArrival { vc, malformed, address, multicast }) = arrivals[port] else { continue };
            let multicast = multicast.then(|| arrival.to_group(self.groups));
            let compared = Compared { destination: address, coordinate: settings.coordinate, bound: settings.bound };
            newest.packets[port] = Packet { vc, malformed, multicast, compared, key: None };
        }
        if let Some(selecting) = (now + 1).checked_sub(self.stages) {
            let selecting = &mut self.cycles[selecting as usize % CYCLES];
            for port in ones(selecting.ports) {
                let packet = &mut selecting.packets[port];
                packet.key = self.reduction.key(packet.compared, settings);
            }
        }
        now.checked_sub(self.stages).map_or(0, |due| self.cycles[due as usize % CYCLES].ports)
    }

    /// The VC and result of the packet of a port whose result comes in cycle `now`.
    #[inline]
    pub fn result(&mut self, now: u64, port: usize, registers: &Registers) -> (usize, PacketRoute) {
        let cycle = &mut self.cycles[(now - self.stages) as usize % CYCLES];
        cycle.ports &= !(1 << port);
        let packet = cycle.packets[port];
        let key = packet.key.filter(|_| !packet.malformed);
        let mapped = || match key.map_or(PacketRoute::Drop, |key| registers.mapped(key)) {
            PacketRoute::PortVc(port, vc) if self.vc_pairs => PacketRoute::PortVc(port, one_of_pair(packet.vc, vc)),
            PacketRoute::Group(group, Some(vc)) if self.vc_pairs => {
                PacketRoute::Group(group, Some(one_of_pair(packet.vc, vc)))
            }
            route => route,
        };
        (packet.vc as usize, packet.multicast.unwrap_or_else(mapped))
    }

    /// Reset: nothing is in flight.
    pub fn reset(&mut self) {
        for cycle in &mut self.cycles {
            cycle.ports = 0;
        }
    }
}
