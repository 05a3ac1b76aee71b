//! Traffic of one's own: clients send requests to a server, which answers each. The page "Write a test of your own"
//! explains it.

use railyard_testbench::stimulus::{Sources, TrafficSource};
use railyard_testbench::traffic::{Arrival, Packet};

/// Port of the server; every other port is a client.
pub const SERVER: usize = 0;
/// Flits of a request.
pub const REQUEST: u16 = 1;
/// Flits of an answer.
pub const ANSWER: u16 = 8;

/// Each client sends a request, waits for the answer, pauses, and begins again.
#[derive(Clone, Debug)]
pub struct ClientServer {
    /// Cycles from an answer to the next request, at most.
    pause: u64,
    /// By port: the cycle of the client's next request; none while it waits for an answer.
    next_request: Vec<Option<u64>>,
    /// Clients to be answered.
    asked: Vec<usize>,
}

impl ClientServer {
    /// Clients at all of the ports but the server's.
    pub fn new(ports: usize, pause: u64) -> ClientServer {
        let next_request = (0..ports).map(|port| (port != SERVER).then_some(0)).collect();
        ClientServer { pause, next_request, asked: Vec::new() }
    }
}

impl TrafficSource for ClientServer {
    fn name(&self) -> &'static str {
        "client and server"
    }

    fn cycle(&mut self, cycle: u64, sources: &mut Sources<'_>) {
        for client in self.asked.drain(..) {
            sources.give(Arrival::new(cycle, SERVER, client, ANSWER));
        }
        for (client, next) in self.next_request.iter_mut().enumerate() {
            if next.is_some_and(|next| cycle >= next) {
                sources.give(Arrival::new(cycle, client, SERVER, REQUEST));
                *next = None;
            }
        }
    }

    fn delivered(&mut self, cycle: u64, packet: &Packet) {
        let (source, destination) = (packet.source as usize, packet.destination as usize);
        if destination == SERVER {
            self.asked.push(source);
        } else {
            self.next_request[destination] = Some(cycle + self.pause);
        }
    }
}
