//! The switch, ages and priorities of packets in a Dragonfly.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// Packets age from their arrival on, and on the links.
    pub(super) fn tell_ages(&mut self) {
        if let Some(clock) = &self.age_clock {
            for i in 0..self.ports {
                let hops = &mut self.hop_selection[i];
                if let (Some(of_route), Some(of_hops)) = (&mut self.route_computation[i].io.now, &mut hops.now) {
                    of_route.next = clock.now.val();
                    of_hops.next = clock.now.val();
                }
                if let Some(registers) = &self.registers {
                    for p in 0..self.ports {
                        hops.link_delay[p].next = registers.link_delay[p].val();
                    }
                }
            }
        }
    }

    /// The ranking sees all packets that wait.
    pub(super) fn rank_ages(&mut self) {
        if let (Some(ranking), Some(all)) = (&mut self.age_ranking, &mut self.fresh) {
            all.next = 0.into();
            for i in 0..self.ports {
                if let Some(fresh) = &self.hop_selection[i].fresh {
                    all.set(i * self.vcs, fresh.val());
                }
                for v in 0..self.hop_selection[i].age.len() {
                    ranking.age[i * self.vcs + v].next = self.hop_selection[i].age[v].val();
                }
                for v in self.hop_selection[i].age.len()..self.vcs {
                    ranking.age[i * self.vcs + v].next = 0.into();
                }
            }
            ranking.fresh.next = all.val();
            if let Some(registers) = &mut self.registers {
                registers.transit_first.join(&mut ranking.transit_first);
            }
        }
    }

    /// Allocators get what goes first.
    pub(super) fn tell_priorities(&mut self) {
        for o in 0..self.ports {
            let io = &mut self.allocator[o].io;
            if let Some(ranking) = &self.age_ranking {
                for n in 0..io.ahead.len() {
                    io.ahead[n].next = ranking.ahead[n].val();
                }
            }
            if let Some(transit_first) = &mut io.transit_first {
                if let Some(registers) = &self.registers {
                    if let Some(setting) = &registers.transit_first {
                        transit_first.next = setting.val();
                    }
                }
            }
        }
    }
}
