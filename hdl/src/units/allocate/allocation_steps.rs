//! Steps that packet allocator and single allocator have in common, in place in either's kernel.
//!
//! Source: switch reference, sections 6 and 6.1.

use crate::units::prelude::*;

/// Steps of an allocator that gives its output to a packet at a time.
pub struct AllocationSteps;

#[kernel(steps)]
impl AllocationSteps {
    /// On which VCs a packet may start. The mixed VC is kept for multicast packets in their turn, and where room is
    /// saved for one.
    pub fn find_room(
        has_room: &mut Sig<Local>,
        roomy: &mut Option<Sig<Local>>,
        sending: &Reg,
        io: &mut AllocatorPorts<In>,
        mixed_vc: usize,
    ) {
        if let Some(room_sending) = &io.room_sending {
            has_room.next = (sending.q.val() & room_sending.val()) | (!sending.q.val() & io.room.val());
        }
        if let Some(roomy) = roomy {
            roomy.next = has_room.val();
        }
        if let Some(mixed) = &mut io.mixed {
            mixed.mixed_spare.next = !sending.q.val().get_bit(mixed_vc) & mixed.room_two.val();
            if mixed.multicast_turn.val() | (mixed.saved.val() & !mixed.mixed_spare.val()) {
                has_room.set(mixed_vc, false);
            }
        }
    }

    /// What the owner, on VC v, pops: a flit, and the tail.
    pub fn follow_owner(
        moving: &mut Sig<Local>,
        finishing: &mut Sig<Local>,
        connected: &Regs,
        io: &AllocatorPorts<In>,
        vcs: usize,
    ) {
        moving.next = 0.into();
        finishing.next = 0.into();
        for v in 0..vcs {
            moving.set(v, (connected.q[v].val() & io.ready[v].val()).any());
            finishing.set(v, (connected.q[v].val() & io.ending[v].val()).any());
        }
    }

    /// Requests that have room where they leave, saved for others or not: for the counters.
    pub fn show_room(roomy: &Option<Sig<Local>>, io: &mut AllocatorPorts<In>, vcs: usize) {
        if let Some(roomy) = roomy {
            for v in 0..vcs {
                io.with_room[v].next = 0.into();
                if roomy.val().get_bit(v) {
                    io.with_room[v].next = io.request[v].val();
                }
                if !io.leave.is_empty() {
                    io.with_room[v].next = 0.into();
                    for u in 0..vcs {
                        if roomy.val().get_bit(u) {
                            io.with_room[v].next = io.with_room[v].val() | io.leave[v * vcs + u].val();
                        }
                    }
                    io.with_room[v].next = io.with_room[v].val() & io.request[v].val();
                }
            }
        }
    }

    /// The owner of a reserved output is followed by the multicast packet, or by none.
    pub fn follow(
        connected: &mut Regs,
        sending: &mut Reg,
        follows: &mut Sig<Local>,
        finishing: &Sig<Local>,
        io: &mut AllocatorPorts<In>,
        mixed_vc: usize,
        vcs: usize,
    ) {
        if let Some(mixed) = &mut io.mixed {
            mixed.mixed_room.next = io.room.val().get_bit(mixed_vc);
            if sending.q.val().get_bit(mixed_vc) {
                mixed.mixed_room.next = mixed.room_two.val();
                if let Some(room_sending) = &io.room_sending {
                    if finishing.val().any() {
                        mixed.mixed_room.next = room_sending.val().get_bit(mixed_vc);
                    }
                }
            }
            follows.next = 0.into();
            follows.set(mixed_vc, mixed.start.val().any());
            if mixed.reserved.val() & mixed.free.val() {
                for v in 0..vcs {
                    connected.d[v].next = 0.into();
                }
                connected.d[mixed_vc].next = mixed.start.val();
                sending.d.next = follows.val();
            }
        }
    }

    /// What holds in each cycle.
    pub fn state_properties(sending: &Reg, connected: &Regs, io: &AllocatorPorts<In>, vcs: usize) {
        assert!(!(sending.q.val() & (sending.q.val() - 1)).any(), "one VC at a time has the output");
        for v in 0..vcs {
            assert!(
                !(connected.q[v].val() & (connected.q[v].val() - 1)).any(),
                "one input at a time is connected to the output"
            );
            assert!(!(io.grant[v].val() & !io.request[v].val()).any(), "only a request is granted");
        }
        if io.leave.is_empty() {
            for v in 0..vcs {
                assert!(
                    sending.q.val().get_bit(v) == connected.q[v].val().any(),
                    "a VC has the output if and only if an input is connected on it"
                );
            }
        }
    }
}
