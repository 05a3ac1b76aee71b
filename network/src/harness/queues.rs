//! What waits at a switch and its nodes, summed over cycles.

use super::station::Feed;
use super::terminal::Terminal;
use crate::device::Device;

/// Sums over cycles.
#[derive(Clone, Debug)]
pub struct Queues {
    vcs: usize,
    /// Flits in the buffer of each port and VC.
    buffers: Vec<u64>,
    /// Packets in the source queue of the node at each port.
    sources: Vec<u64>,
}

impl Queues {
    /// Of a switch with so many ports.
    pub fn new(ports: usize, vcs: usize) -> Queues {
        Queues { vcs, buffers: vec![0; ports * vcs], sources: vec![0; ports] }
    }

    /// The warm-up is over.
    pub fn forget(&mut self) {
        self.buffers.fill(0);
        self.sources.fill(0);
    }

    /// The end of a cycle.
    pub fn see<D: Device>(&mut self, device: &D, feeds: &[Feed], terminals: &[Terminal]) {
        for (port, feed) in feeds.iter().enumerate() {
            for vc in 0..self.vcs {
                self.buffers[port * self.vcs + vc] += u64::from(device.waiting(port, vc));
            }
            if let Feed::Terminal(terminal) = feed {
                self.sources[port] += terminals[*terminal].queued() as u64;
            }
        }
    }

    /// Flits in the buffers of a port, by VC.
    pub fn buffers(&self, port: usize) -> &[u64] {
        &self.buffers[port * self.vcs..(port + 1) * self.vcs]
    }

    /// Packets in the source queue of the node at a port.
    pub fn source(&self, port: usize) -> u64 {
        self.sources[port]
    }
}
