//! The switch, adaptive ways of a Dragonfly: what is drawn and sensed, and what becomes of headers.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// Each port draws in each cycle.
    pub(super) fn draw(&mut self) {
        if let (Some(watch), Some(registers)) = (&mut self.seed_watch, &mut self.registers) {
            if let (Some(settings), Some(tables)) = (&mut registers.draws, &registers.route_tables) {
                watch.seed.next = settings.seed.val();
                for i in 0..self.port_draws.len() {
                    settings.join(&mut self.port_draws[i].settings);
                    self.port_draws[i].reseed.next = watch.reseed.val();
                    if let Some(via) = &mut self.port_draws[i].tables {
                        Self::show_ways(via, tables);
                    }
                }
            }
        }
    }

    /// The tables, as far as vias need them.
    fn show_ways(via: &mut ViaTables<In>, tables: &RouteTables<Out>) {
        via.group.next = tables.group.val();
        if let Some(router) = &mut via.router {
            router.next = tables.router.val();
        }
        for g in 0..via.group_way.len() {
            via.group_way[g].next = unsigned_cast(tables.group_map[g].val());
        }
        for r in 0..via.router_way.len() {
            via.router_way[r].next = tables.router_map[r].val();
        }
    }

    /// What is seen of the outputs.
    pub(super) fn sense(&mut self) {
        for o in 0..self.node_sense.len() {
            let sense = &mut self.node_sense[o];
            if self.ragged {
                Self::show_use_of_built(&mut sense.in_use, &self.output_unit[o]);
            } else {
                for v in 0..self.vcs {
                    sense.in_use[v].next = self.output_unit[o].in_use[v].val();
                }
            }
            if let (Some(of_sense), Some(available)) = (&mut sense.available, &self.allocator[o].io.is_free) {
                of_sense.next = available.val();
                if !self.output_queues.is_empty() {
                    if let Some(waits) = &self.output_queues[o].waits {
                        of_sense.next = available.val() & !waits.val();
                    }
                }
            }
            if let Some(registers) = &mut self.registers {
                if let Some(settings) = &mut registers.sense {
                    settings.join(&mut sense.settings);
                }
            }
        }
        self.sense_minimal();
        for m in 0..self.link_sense.len() {
            let sense = &mut self.link_sense[m];
            if self.ragged {
                Self::show_use_of_built(&mut sense.in_use, &self.output_unit[self.node_ports + m]);
            } else {
                for v in 0..self.vcs {
                    sense.in_use[v].next = self.output_unit[self.node_ports + m].in_use[v].val();
                }
            }
            if let (Some(of_sense), Some(available)) =
                (&mut sense.available, &self.allocator[self.node_ports + m].io.is_free)
            {
                of_sense.next = available.val();
                if !self.output_queues.is_empty() {
                    if let Some(waits) = &self.output_queues[self.node_ports + m].waits {
                        of_sense.next = available.val() & !waits.val();
                    }
                }
            }
            if let Some(registers) = &mut self.registers {
                if let Some(settings) = &mut registers.sense {
                    settings.join(&mut sense.settings);
                }
                if let Some(settings) = &registers.vc_settings {
                    Self::sense_among(sense, settings, m, self.link_cases, self.local_ports);
                }
            }
        }
        self.weigh();
        if let Some(busy) = &mut self.busy {
            busy.next = 0.into();
            for o in 0..self.node_sense.len() {
                if let Some(one) = &self.node_sense[o].busy {
                    busy.set(o, one.val());
                }
            }
            for m in 0..self.links {
                if let Some(one) = &self.link_sense[m].busy {
                    busy.set(self.node_ports + m, one.val());
                }
            }
        }
    }

    /// The places that minimal packets use behind links.
    fn sense_minimal(&mut self) {
        for m in 0..self.minimal_use.len() {
            let minimal = &mut self.minimal_use[m];
            let tx = &self.output_unit[self.node_ports + m].tx;
            minimal.tx_valid.next = tx.valid.val();
            minimal.tx_vc.next = tx.vc.val();
            minimal.tx_head.next = tx.head.val();
            minimal.minimal.next = tx.flit.val().get_bit(self.minimal_bit);
            for v in 0..minimal.in_use.len() {
                minimal.tx_credit_valid[v].next = self.tx_credit_valid[(self.node_ports + m) * self.vcs + v].val();
                minimal.tx_min_credit[v].next = self.tx_min_credit[(self.node_ports + m) * self.vcs + v].val();
                self.link_sense[m].minimal_use[v].next = minimal.in_use[v].val();
            }
            for v in minimal.in_use.len()..self.vcs {
                self.link_sense[m].minimal_use[v].next = 0.into();
            }
        }
    }

    /// The places in use of links against each other, and against those of all outputs.
    fn weigh(&mut self) {
        for c in 0..self.lighter.len() {
            self.lighter[c].number.next = self.link_sense[c].queued.val();
            for m in 0..self.links {
                if let Some(limit) = &self.link_sense[m].limit {
                    self.lighter[c].limit[m].next = limit.val();
                }
            }
        }
        for m in 0..self.shorter.len() {
            self.shorter[m].number.next = self.link_sense[m].queued.val();
            if let Some(weight) = &self.link_sense[m].weight {
                self.shorter[m].number.next = weight.val();
            }
            for o in 0..self.node_sense.len() {
                if let Some(bound) = &self.node_sense[o].bound {
                    self.shorter[m].limit[o].next = bound.val();
                }
            }
            for c in 0..self.links {
                if let Some(bound) = &self.link_sense[c].bound {
                    self.shorter[m].limit[self.node_ports + c].next = bound.val();
                }
            }
        }
    }

    /// The legal VCs of the output's kind of link.
    fn sense_among(
        sense: &mut OutputSense,
        settings: &VcSettings<Out>,
        m: usize,
        link_cases: usize,
        local_ports: usize,
    ) {
        for q in 0..sense.classes {
            for c in 0..link_cases {
                if m >= local_ports {
                    sense.legal[q * link_cases + c].next = settings.legal[(2 * q + 1) * link_cases + c].val();
                } else {
                    sense.legal[q * link_cases + c].next = settings.legal[2 * q * link_cases + c].val();
                }
            }
        }
    }

    /// The packets in front, by their minimal ports.
    pub(super) fn count_contention(&mut self) {
        for o in 0..self.contention_counter.len() {
            self.fronts[o].next = 0.into();
            if self.ragged {
                self.count_fronts_of_built(o);
            } else {
                for v in 0..self.vcs {
                    for i in 0..self.ports {
                        self.fronts[o].set(v * self.ports + i, self.hop_selection[i].counted[v].val().get_bit(o));
                    }
                }
            }
            self.contention_counter[o].counted.next = self.fronts[o].val();
            if let Some(registers) = &mut self.registers {
                if let Some(thresholds) = &mut registers.thresholds {
                    thresholds.join(&mut self.contention_counter[o].thresholds);
                }
            }
        }
        if let (Some(hot), Some(hot_hybrid)) = (&mut self.hot, &mut self.hot_hybrid) {
            hot.next = 0.into();
            hot_hybrid.next = 0.into();
            for o in 0..self.ports {
                hot.set(o, self.contention_counter[o].hot.val());
                hot_hybrid.set(o, self.contention_counter[o].hot_hybrid.val());
            }
        }
    }

    /// Decisions get what was drawn and sensed, and headers what was decided.
    pub(super) fn decide(&mut self) {
        for i in 0..self.hop_selection.len() {
            let input = &mut self.input_unit[i];
            if let Some(wires) = &mut self.hop_selection[i].wires {
                if let Some(registers) = &mut self.registers {
                    if let Some(settings) = &mut registers.adaptive {
                        settings.join(&mut wires.settings);
                    }
                }
                for o in 0..wires.sensed.fits.len() {
                    if o < self.node_ports {
                        wires.sensed.fits[o].next = 0.into();
                        wires.sensed.light[o].next = 0.into();
                    }
                }
                for m in 0..wires.sensed.stuffed.len() {
                    if let (Some(fits), Some(stuffed)) = (&self.link_sense[m].fits, &self.link_sense[m].stuffed) {
                        wires.sensed.fits[self.node_ports + m].next = fits.val();
                        wires.sensed.stuffed[m].next = stuffed.val();
                    }
                    wires.sensed.light[self.node_ports + m].next = self.lighter[m].at_most.val();
                }
                for m in 0..wires.short.len() {
                    wires.short[m].next = self.shorter[m].at_most.val();
                }
                if let (Some(of_wires), Some(busy)) = (&mut wires.sensed.busy, &self.busy) {
                    of_wires.next = busy.val();
                }
                if let (Some(of_wires), Some(hot)) = (&mut wires.sensed.hot, &self.hot) {
                    of_wires.next = hot.val();
                }
                if let (Some(of_wires), Some(hot)) = (&mut wires.sensed.hot_hybrid, &self.hot_hybrid) {
                    of_wires.next = hot.val();
                }
            }
            if let (Some(of_hops), Some(active)) = (&mut self.hop_selection[i].active, &input.active) {
                of_hops.next = active.val();
            }
            if let Some(departure) = &mut input.departure {
                Self::depart(departure, &self.hop_selection[i]);
            }
        }
        for i in 0..self.port_draws.len() {
            if let Some(wires) = &mut self.hop_selection[i].wires {
                self.port_draws[i].draws.join(&mut wires.draws);
            }
        }
    }

    fn depart(departure: &mut HeaderRewrite<In>, hops: &HopSelection) {
        for v in 0..departure.phase.len() {
            departure.phase[v].next = hops.departing_phase[v].val();
        }
        for v in 0..departure.turned.len() {
            departure.turned[v].next = hops.departing_turned[v].val();
        }
        for v in 0..departure.age.len() {
            departure.age[v].next = hops.departing_age[v].val();
        }
        for v in 0..departure.via.len() {
            departure.via_set[v].next = false;
            departure.via[v].next = 0.into();
        }
        for v in 0..hops.departing_via.len() {
            departure.via_set[v].next = hops.departing_via_set[v].val();
            departure.via[v].next = hops.departing_via[v].val();
        }
    }
}
