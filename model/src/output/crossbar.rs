//! Crossbar: which input VC is connected to what, from a packet's grant to its tail.
//!
//! Packet-wise link arbitration and the single crossbar have one plane: an output belongs to one packet. Flit-wise,
//! and with output queues, plane v of each output belongs to a packet of VC v. Source: switch reference, section 6;
//! Cao2016, 3.3.

use crate::bits::{ones, MAX_PORTS, MAX_VCS};
use railyard_spec::{LinkArbitration, Shape};

/// Who owns an output, or a plane of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Input port.
    pub input: u8,
    /// Virtual channel on which the packet came.
    pub vc: u8,
    /// Virtual channel on which it leaves.
    pub vc_out: u8,
}

/// What the allocator grants in a cycle.
#[derive(Clone, Debug)]
pub struct Grants {
    /// Mask over inputs whose packet of VC v is dropped.
    pub dropped: [u64; MAX_VCS],
    /// Mask over inputs whose VC v is connected to an output.
    pub inputs: [u64; MAX_VCS],
    list: [(u8, Owner); MAX_PORTS * MAX_VCS],
    length: usize,
    /// Mask over inputs whose mixed VC is connected to all outputs of its fan-out.
    starts: u64,
    /// Those outputs.
    fan_outs: [u64; MAX_PORTS],
    /// Mask over inputs whose fan-out register is let go and its packet dropped.
    pub fan_out_drops: u64,
}

impl Default for Grants {
    fn default() -> Self {
        Grants {
            dropped: [0; MAX_VCS],
            inputs: [0; MAX_VCS],
            list: [(0, Owner::default()); MAX_PORTS * MAX_VCS],
            length: 0,
            starts: 0,
            fan_outs: [0; MAX_PORTS],
            fan_out_drops: 0,
        }
    }
}

impl Grants {
    /// (Input, VC) is granted an output, for a packet that leaves on its own VC.
    #[inline]
    pub fn add(&mut self, input: usize, vc: usize, output: usize) {
        self.add_on(input, vc, output, vc);
    }

    /// (Input, VC) is granted an output, for a packet that leaves on `vc_out`.
    #[inline]
    pub fn add_on(&mut self, input: usize, vc: usize, output: usize, vc_out: usize) {
        let owner = Owner { input: input as u8, vc: vc as u8, vc_out: vc_out as u8 };
        self.list[self.length] = (output as u8, owner);
        self.length += 1;
    }

    /// The multicast packet of `input` starts to all of `outputs`.
    #[inline]
    pub fn start(&mut self, input: usize, outputs: u64) {
        self.starts |= 1 << input;
        self.fan_outs[input] = outputs;
    }

    /// Outputs that are granted to a unicast packet that leaves on `vc_out`.
    #[inline]
    pub fn outputs_on(&self, vc_out: usize) -> u64 {
        let on = |owner: &Owner| owner.vc_out as usize == vc_out;
        self.list[..self.length].iter().fold(0, |mask, (output, owner)| mask | (on(owner) as u64) << output)
    }

    /// Outputs that are granted to a unicast packet.
    #[inline]
    pub fn outputs(&self) -> u64 {
        self.list[..self.length].iter().fold(0, |mask, (output, _)| mask | 1 << output)
    }

    /// The grants of outputs as (input, VC, output).
    pub fn list(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.list[..self.length].iter().map(|(o, owner)| (owner.input as usize, owner.vc as usize, *o as usize))
    }

    /// Mask over inputs whose head of `vc` is taken.
    #[inline]
    pub fn taken(&self, vc: usize) -> u64 {
        self.dropped[vc] | self.inputs[vc]
    }

    /// No grants.
    #[inline]
    pub fn clear(&mut self) {
        self.dropped = [0; MAX_VCS];
        self.inputs = [0; MAX_VCS];
        self.length = 0;
        (self.starts, self.fan_out_drops) = (0, 0);
    }
}

/// The connections.
#[derive(Clone, Debug)]
pub struct Crossbar {
    /// Mask over inputs whose VC v is connected to an output.
    active: [u64; MAX_VCS],
    /// Mask over inputs whose VC v is connected to drop.
    dropping: [u64; MAX_VCS],
    /// Mask over inputs whose VC v pops its packet's tail in this cycle.
    finishing: [u64; MAX_VCS],
    /// Mask over outputs whose plane v has an owner.
    busy: [u64; MAX_VCS],
    /// Mask over outputs whose plane v has an owner that pops its tail in this cycle.
    ending: [u64; MAX_VCS],
    /// The owner of plane v of output o, at `o * planes + v`.
    owners: Vec<Owner>,
    /// Mask over inputs whose mixed VC sends a multicast packet.
    multicasts: u64,
    /// The outputs of each such packet.
    fan_outs: [u64; MAX_PORTS],
    /// The outputs of all such packets.
    multicast_outputs: u64,
    /// Index of the mixed VC; out of range if the switch has none.
    mixed: usize,
    planes: usize,
    vcs: usize,
}

impl Crossbar {
    /// A crossbar without connections.
    pub fn new(shape: &Shape) -> Self {
        let planes = match shape.link_arbitration {
            LinkArbitration::Packet if shape.output_queue_flits.is_none() => 1,
            LinkArbitration::Packet | LinkArbitration::Flit => shape.vcs,
        };
        Crossbar {
            active: [0; MAX_VCS],
            dropping: [0; MAX_VCS],
            finishing: [0; MAX_VCS],
            busy: [0; MAX_VCS],
            ending: [0; MAX_VCS],
            owners: vec![Owner::default(); shape.ports * planes],
            multicasts: 0,
            fan_outs: [0; MAX_PORTS],
            multicast_outputs: 0,
            mixed: shape.multicast.map_or(usize::MAX, |built| built.vc),
            planes,
            vcs: shape.vcs,
        }
    }

    /// Planes of an output: 1, or the number of VCs with flit-wise link arbitration or output queues.
    #[inline]
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// Mask over outputs with a busy plane `plane`.
    #[inline]
    pub fn busy(&self, plane: usize) -> u64 {
        self.busy[plane]
    }

    /// Mask over inputs whose VC `vc` is connected to drop.
    #[inline]
    pub fn dropping(&self, vc: usize) -> u64 {
        self.dropping[vc]
    }

    /// The owner of a busy plane of an output.
    #[inline]
    pub fn owner(&self, output: usize, plane: usize) -> Owner {
        self.owners[output * self.planes + plane]
    }

    /// The owner of plane `plane` of `output` pops its packet's tail.
    #[inline]
    pub fn finish(&mut self, output: usize, plane: usize) {
        let Owner { input, vc, .. } = self.owner(output, plane);
        self.ending[plane] |= 1 << output;
        self.finishing[vc as usize] |= 1 << input;
    }

    /// Mask over outputs that send a multicast packet: they pop all outputs of an input at once.
    #[inline]
    pub fn multicast_outputs(&self) -> u64 {
        self.multicast_outputs
    }

    /// The inputs that send a multicast packet, and the outputs of each.
    #[inline]
    pub fn multicasts(&self) -> impl Iterator<Item = (usize, u64)> {
        let fan_outs = self.fan_outs;
        ones(self.multicasts).map(move |input| (input, fan_outs[input]))
    }

    /// The multicast packet of `input` pops its tail.
    #[inline]
    pub fn finish_multicast(&mut self, input: usize) {
        self.ending[0] |= self.fan_outs[input];
        self.finishing[self.mixed] |= 1 << input;
    }

    /// (Input, VC), connected to drop, pops its packet's tail.
    #[inline]
    pub fn finish_drop(&mut self, input: usize, vc: usize) {
        self.finishing[vc] |= 1 << input;
    }

    /// Inputs whose VC `vc` can be connected: not active, or finishing.
    #[inline]
    pub fn free_inputs(&self, vc: usize) -> u64 {
        !(self.active[vc] | self.dropping[vc]) | self.finishing[vc]
    }

    /// Inputs whose VC `vc` is connected, to an output or to drop.
    #[inline]
    pub fn active_inputs(&self, vc: usize) -> u64 {
        self.active[vc] | self.dropping[vc]
    }

    /// Outputs whose plane `plane` is available: not busy, or its owner finishing.
    #[inline]
    pub fn free_outputs(&self, plane: usize) -> u64 {
        !self.busy[plane] | self.ending[plane]
    }

    /// Outputs with a plane that is available.
    #[inline]
    pub fn partly_free_outputs(&self) -> u64 {
        (0..self.planes).fold(0, |any, plane| any | self.free_outputs(plane))
    }

    /// Whether the plane of packets that came on VC `vc` is available at an output.
    #[inline]
    pub fn is_free(&self, output: usize, vc: usize) -> bool {
        self.free_outputs(if self.planes == 1 { 0 } else { vc }) >> output & 1 == 1
    }

    /// Whether VC `vc` of `output` is sending: a packet that leaves on it owns the output, and may be finishing.
    #[inline]
    pub fn is_sending(&self, output: usize, vc: usize) -> bool {
        let plane = if self.planes == 1 { 0 } else { vc };
        self.busy[plane] >> output & 1 == 1 && self.owner(output, plane).vc_out as usize == vc
    }

    /// Ends the connections that are finishing and sets up those of `grants`, for the next cycle.
    #[inline]
    pub fn connect(&mut self, grants: &Grants) {
        if self.multicasts != 0 {
            self.end_multicasts();
        }
        for vc in 0..self.vcs {
            let kept = !self.finishing[vc];
            self.active[vc] = self.active[vc] & kept | grants.inputs[vc];
            self.dropping[vc] = self.dropping[vc] & kept | grants.dropped[vc];
            self.finishing[vc] = 0;
            self.busy[vc] &= !self.ending[vc];
            self.ending[vc] = 0;
        }
        for (output, owner) in &grants.list[..grants.length] {
            let plane = if self.planes == 1 { 0 } else { owner.vc as usize };
            self.busy[plane] |= 1 << output;
            self.owners[*output as usize * self.planes + plane] = *owner;
        }
        if grants.starts | grants.fan_out_drops != 0 {
            self.dropping[self.mixed] |= grants.fan_out_drops;
            ones(grants.starts).for_each(|input| self.connect_multicast(input, grants.fan_outs[input]));
        }
    }

    /// Forgets the outputs of the multicast packets that are finishing.
    fn end_multicasts(&mut self) {
        for input in ones(self.multicasts & self.finishing[self.mixed]) {
            self.multicasts &= !(1 << input);
            self.multicast_outputs &= !self.fan_outs[input];
        }
    }

    /// Connects the mixed VC of `input` to all of `outputs`.
    fn connect_multicast(&mut self, input: usize, outputs: u64) {
        let vc = self.mixed as u8;
        self.active[self.mixed] |= 1 << input;
        self.multicasts |= 1 << input;
        self.fan_outs[input] = outputs;
        self.multicast_outputs |= outputs;
        self.busy[0] |= outputs;
        ones(outputs).for_each(|output| self.owners[output] = Owner { input: input as u8, vc, vc_out: vc });
    }

    /// Whether nothing is connected.
    pub fn is_idle(&self) -> bool {
        self.active.iter().chain(&self.dropping).all(|&mask| mask == 0)
    }

    /// All connections to outputs, as (input, VC, output).
    pub fn connections(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        (0..self.planes).flat_map(move |plane| {
            ones(self.busy[plane]).map(move |output| {
                let Owner { input, vc, .. } = self.owner(output, plane);
                (input as usize, vc as usize, output)
            })
        })
    }

    /// Reset: no connections.
    pub fn reset(&mut self) {
        for masks in [&mut self.active, &mut self.dropping, &mut self.finishing, &mut self.busy, &mut self.ending] {
            *masks = [0; MAX_VCS];
        }
        (self.multicasts, self.multicast_outputs) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use railyard_spec::Config;

    #[test]
    fn a_connection_lasts_until_its_tail() {
        let mut x = Crossbar::new(&Config::named("t").check().unwrap().shape());
        let mut grants = Grants::default();
        grants.add(3, 1, 7);
        grants.inputs[1] |= 1 << 3;
        grants.dropped[0] |= 1 << 3;
        x.connect(&grants);
        assert_eq!(x.connections().collect::<Vec<_>>(), [(3, 1, 7)]);
        assert!(x.is_sending(7, 1) && !x.is_sending(7, 0) && !x.is_sending(6, 1));
        assert_eq!((x.free_inputs(1) >> 3 & 1, x.free_inputs(0) >> 3 & 1, x.free_outputs(0) >> 7 & 1), (0, 0, 0));

        x.finish(7, 0);
        assert_eq!((x.free_inputs(1) >> 3 & 1, x.free_inputs(0) >> 3 & 1, x.free_outputs(0) >> 7 & 1), (1, 0, 1));
        assert!(x.is_sending(7, 1));
        grants.clear();
        grants.add(4, 0, 7);
        grants.inputs[0] |= 1 << 4;
        x.connect(&grants);
        assert_eq!(x.connections().collect::<Vec<_>>(), [(4, 0, 7)]);
        assert_eq!(x.dropping(0), 1 << 3);

        x.finish_drop(3, 0);
        x.finish(7, 0);
        grants.clear();
        x.connect(&grants);
        assert!(x.is_idle());
    }

    #[test]
    fn a_packet_leaves_on_another_vc() {
        let mut x = Crossbar::new(&Config::named("t").check().unwrap().shape());
        let mut grants = Grants::default();
        grants.add_on(3, 1, 7, 0);
        grants.inputs[1] |= 1 << 3;
        x.connect(&grants);
        assert_eq!(x.connections().collect::<Vec<_>>(), [(3, 1, 7)]);
        assert!(x.is_sending(7, 0) && !x.is_sending(7, 1));
        x.finish(7, 0);
        assert_eq!(x.free_inputs(1) >> 3 & 1, 1);
        grants.clear();
        x.connect(&grants);
        assert!(x.is_idle());
    }

    #[test]
    fn flit_wise_an_output_has_a_plane_for_each_vc() {
        let mut config = Config::named("t");
        config.link_arbitration = LinkArbitration::Flit;
        let mut x = Crossbar::new(&config.check().unwrap().shape());
        let mut grants = Grants::default();
        grants.add(0, 0, 5);
        grants.add(0, 1, 5);
        (grants.inputs[0], grants.inputs[1]) = (1, 1);
        x.connect(&grants);
        assert!(x.is_sending(5, 0) && x.is_sending(5, 1));
        x.finish(5, 1);
        grants.clear();
        x.connect(&grants);
        assert_eq!(x.connections().collect::<Vec<_>>(), [(0, 0, 5)]);
    }

    #[test]
    fn a_multicast_packet_owns_all_its_outputs_until_its_tail() {
        let mut config = Config::named("t");
        config.virtual_channels.mixed = 1;
        let mut x = Crossbar::new(&config.check().unwrap().shape());
        let mut grants = Grants::default();
        grants.start(3, 0b1011);
        grants.fan_out_drops = 1 << 6;
        x.connect(&grants);
        assert_eq!(x.connections().collect::<Vec<_>>(), [(3, 2, 0), (3, 2, 1), (3, 2, 3)]);
        assert_eq!((x.dropping(2), x.multicast_outputs(), x.free_inputs(2) & 0xff), (1 << 6, 0b1011, 0b1011_0111));
        assert!(x.is_sending(1, 2) && !x.is_sending(2, 2));
        x.finish_multicast(3);
        assert_eq!((x.multicasts().collect::<Vec<_>>(), x.free_outputs(0)), (vec![(3, 0b1011)], !0));
        // The next packet starts in the cycle of the tail.
        grants.clear();
        grants.start(3, 0b0110);
        x.connect(&grants);
        assert_eq!((x.multicasts().collect::<Vec<_>>(), x.multicast_outputs()), (vec![(3, 0b0110)], 0b0110));
        x.finish_multicast(3);
        x.finish_drop(6, 2);
        grants.clear();
        x.connect(&grants);
        assert!(x.is_idle() && x.multicast_outputs() == 0 && x.busy(0) == 0);
    }
}
