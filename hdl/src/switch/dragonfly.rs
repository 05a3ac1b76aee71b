//! The switch, Dragonfly routing: from the results of route computation to an output and a virtual channel.

use super::Switch;
use crate::units::prelude::*;

#[kernel(steps)]
impl Switch {
    /// The hop selection takes the results.
    pub(super) fn take_at_hops(io: &mut RoutePorts<In>, hops: &mut HopSelection) {
        io.take.next = hops.take_head.val();
        io.head.join(&mut hops.head);
    }

    /// The kind of the port by which packets come.
    pub(super) fn tell_kinds(&mut self) {
        for i in 0..self.hop_selection.len() {
            let io = &mut self.route_computation[i].io;
            if let (Some(from_node), Some(from_global)) = (&mut io.from_node, &mut io.from_global) {
                if i < self.node_ports {
                    from_node.next = true;
                    from_global.next = false;
                } else if i < self.first_global {
                    from_node.next = false;
                    from_global.next = false;
                } else {
                    from_node.next = false;
                    from_global.next = true;
                }
            }
        }
    }

    /// The input unit asks for what is chosen.
    pub(super) fn select_hops(&mut self) {
        for i in 0..self.hop_selection.len() {
            let hops = &mut self.hop_selection[i];
            let input = &mut self.input_unit[i];
            hops.take.next = input.take.val();
            input.head.drop.next = hops.drop_now.val();
            for v in 0..hops.request.len() {
                input.head.request[v].next = hops.request[v].val();
            }
            if let Some(registers) = &mut self.registers {
                if let Some(settings) = &mut registers.vc_settings {
                    settings.join(&mut hops.settings);
                }
            }
            if let (Some(timer), Some(tick)) = (&self.patience_timer, &mut hops.tick) {
                tick.next = timer.tick.val();
            }
            for o in 0..self.vc_choice.len() {
                for c in 0..self.cases {
                    hops.preferred[o * self.cases + c].next = self.vc_choice[o].choice[c].val();
                }
            }
        }
    }

    /// For each output the legal VCs of its kind of link; an output to a node has none.
    pub(super) fn choose_vcs(&mut self) {
        if let (Some(timer), Some(registers)) = (&mut self.patience_timer, &self.registers) {
            if let Some(cycles) = &registers.patience_tick {
                timer.cycles.next = cycles.val();
            }
        }
        for o in 0..self.vc_choice.len() {
            let choice = &mut self.vc_choice[o];
            if let Some(registers) = &self.registers {
                if let Some(settings) = &registers.vc_settings {
                    Self::choose_among(choice, settings, o, self.link_cases, self.node_ports, self.first_global);
                }
            }
            for v in 0..self.vcs {
                choice.in_use[v].next = 0.into();
                if v < self.output_unit[o].in_use.len() {
                    choice.in_use[v].next = self.output_unit[o].in_use[v].val();
                }
            }
            if let Some(random) = &mut choice.random {
                random.next = 0.into();
                if let Some(keys) = &self.port_draws[o].keys {
                    random.next = keys.val();
                }
            }
        }
    }

    fn choose_among(
        choice: &mut VcChoice,
        settings: &VcSettings<Out>,
        o: usize,
        link_cases: usize,
        node_ports: usize,
        first_global: usize,
    ) {
        if let Some(rule) = &settings.rule {
            choice.rule.next = rule.val();
        }
        for q in 0..choice.classes {
            for c in 0..link_cases {
                choice.legal[q * link_cases + c].next = 0.into();
                if o >= first_global {
                    choice.legal[q * link_cases + c].next = settings.legal[(2 * q + 1) * link_cases + c].val();
                } else if o >= node_ports {
                    choice.legal[q * link_cases + c].next = settings.legal[2 * q * link_cases + c].val();
                }
            }
        }
    }
}
