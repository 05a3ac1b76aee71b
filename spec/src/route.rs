//! Routes: what an entry of a table says beyond "this port", and how registers hold it.

/// Where a table leads a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// Output port.
    pub port: u8,
    /// Virtual channel of the next link, if it isn't the packet's own.
    pub next_vc: Option<u8>,
    /// Only the lowest bit of `next_vc` counts: it says which one of the packet's pair of VCs.
    pub in_pair: bool,
    /// Link aggregation group, in place of ports.
    pub group: Option<u8>,
    /// Further candidate ports; the first `more` count.
    pub candidates: [u8; 3],
    /// Number of further candidate ports.
    pub more: u8,
    /// The address alone says which candidate.
    pub in_order: bool,
}

impl Route {
    /// The same with another port in the place of `port`, as the only one or a candidate. Groups are not looked into.
    pub fn around(self, port: u8, detour: u8) -> Route {
        let other = |way: u8| if way == port { detour } else { way };
        Route { port: other(self.port), candidates: self.candidates.map(other), ..self }
    }

    /// Mask of the ports by which it leads out, given the links of all groups.
    pub fn outputs(&self, groups: &[Vec<u8>]) -> u64 {
        match self.group {
            Some(group) => groups[group as usize].iter().fold(0, |mask, &port| mask | 1 << port),
            None => self.candidates[..self.more as usize].iter().fold(1 << self.port, |mask, &port| mask | 1 << port),
        }
    }

    /// As in a register, but for the bit that says that there is one.
    pub fn word(&self) -> u32 {
        let next_vc = self.next_vc.map_or(0, |vc| 1 << 24 | u32::from(vc) << 16);
        let group = self.group.map_or(0, |group| 1 << 25 | u32::from(group) << 12);
        u32::from(self.port) | next_vc | group | u32::from(self.more) << 26 | u32::from(self.in_order) << 28
    }

    /// The register with the further ones of up to `candidates` candidate ports.
    pub fn candidates_word(&self, candidates: usize) -> u32 {
        self.candidates[..candidates - 1].iter().rev().fold(0, |word, &port| word << 8 | u32::from(port))
    }
}
