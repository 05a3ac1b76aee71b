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
        for o in 0..self.output_sense.len() {
            let sense = &mut self.output_sense[o];
            for v in 0..self.vcs {
                sense.in_use[v].next = self.output_unit[o].in_use[v].val();
            }
            if let (Some(of_sense), Some(available)) = (&mut sense.available, &self.allocator[o].io.is_free) {
                of_sense.next = available.val();
            }
            if let Some(registers) = &self.registers {
                if let Some(settings) = &registers.vc_settings {
                    Self::sense_among(sense, settings, o, self.link_cases, self.node_ports, self.first_global);
                }
            }
        }
        self.weigh();
        if let Some(busy) = &mut self.busy {
            busy.next = 0.into();
            for o in 0..self.ports {
                if let Some(one) = &self.output_sense[o].busy {
                    busy.set(o, one.val());
                }
            }
        }
    }

    /// The places in use of all outputs against each other.
    fn weigh(&mut self) {
        for o in 0..self.output_sense.len() {
            if let Some(registers) = &mut self.registers {
                if let Some(settings) = &registers.adaptive {
                    Self::set_sense(&mut self.output_sense[o], settings);
                }
            }
        }
        for o in 0..self.lighter.len() {
            self.lighter[o].number.next = self.output_sense[o].queue.val();
            for m in 0..self.links {
                if let Some(limit) = &self.output_sense[self.node_ports + m].limit {
                    self.lighter[o].limit[m].next = limit.val();
                }
            }
        }
        for m in 0..self.shorter.len() {
            self.shorter[m].number.next = self.output_sense[self.node_ports + m].queue.val();
            for o in 0..self.ports {
                if let Some(bound) = &self.output_sense[o].bound {
                    self.shorter[m].limit[o].next = bound.val();
                }
            }
        }
    }

    fn set_sense(sense: &mut OutputSense, settings: &AdaptiveSettings<Out>) {
        if let (Some(to_least), Some(to_share), Some(least), Some(share)) =
            (&mut sense.least, &mut sense.share, &settings.least, &settings.share)
        {
            to_least.next = least.val();
            to_share.next = share.val();
        }
        if let (Some(to_factor), Some(to_offset), Some(factor), Some(offset)) =
            (&mut sense.factor, &mut sense.offset, &settings.factor, &settings.offset)
        {
            to_factor.next = factor.val();
            to_offset.next = offset.val();
        }
    }

    /// The legal VCs of the output's kind of link; an output to a node has none.
    fn sense_among(
        sense: &mut OutputSense,
        settings: &VcSettings<Out>,
        o: usize,
        link_cases: usize,
        node_ports: usize,
        first_global: usize,
    ) {
        for q in 0..sense.classes {
            for c in 0..link_cases {
                if o >= first_global {
                    sense.legal[q * link_cases + c].next = settings.legal[(2 * q + 1) * link_cases + c].val();
                } else if o >= node_ports {
                    sense.legal[q * link_cases + c].next = settings.legal[2 * q * link_cases + c].val();
                } else {
                    sense.legal[q * link_cases + c].next = 0.into();
                }
            }
        }
    }

    /// The packets in front, by their minimal ports.
    pub(super) fn count_contention(&mut self) {
        for o in 0..self.contention_counter.len() {
            self.fronts[o].next = 0.into();
            for v in 0..self.vcs {
                for i in 0..self.ports {
                    self.fronts[o].set(v * self.ports + i, self.hop_selection[i].counted[v].val().get_bit(o));
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
                    if let (Some(fits), Some(stuffed)) = (&self.output_sense[o].fits, &self.output_sense[o].stuffed) {
                        wires.sensed.fits[o].next = fits.val();
                        wires.sensed.stuffed[o].next = stuffed.val();
                    }
                    wires.sensed.light[o].next = self.lighter[o].at_most.val();
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

    fn depart(departure: &mut Departure<In>, hops: &HopSelection) {
        for v in 0..departure.phase.len() {
            departure.phase[v].next = hops.departing_phase[v].val();
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
