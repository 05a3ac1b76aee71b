//! Adaptive registers: which ways other than the minimal one packets take, and what the choice depends on.
//!
//! State: these fields, and the data of the cycle before, in the registers' own blocks.
//!
//! Registers: `misrouting`, `network_size`, `seed`, `local_share`, `ugal`, `credit_trigger`, `contention`,
//! `detour_ports_low`, `detour_ports_high`, `ectn`, `saturation`.
//!
//! Source: reference of Dragonfly routing, adaptive ways; `spec/src/registers/dragonfly.rs`.

use crate::units::prelude::*;
use railyard_spec::misrouting::PortKind;

/// Names of the registers, each with its fields side by side.
const SETTINGS: [(&str, FieldOrder<'static>); 11] = [
    ("misrouting", &[("mode", 2), ("policy", 2), ("local_detour", 1), ("trigger", 2), ("sense", 1)]),
    ("seed", &[("value", 32)]),
    ("network_size", &[("groups", GROUPS_BITS), ("routers", ROUTERS_BITS)]),
    ("ugal", &[("factor", 4), ("offset", 10)]),
    ("local_share", &[("share", 9)]),
    ("credit_trigger", &[("least", 12), ("share", 8)]),
    ("detour_ports_low", &[("ports", 1)]),
    ("detour_ports_high", &[("ports", 1)]),
    ("contention", &[("threshold", THRESHOLD_BITS), ("hybrid", THRESHOLD_BITS), ("shift", SHIFT_BITS)]),
    ("ectn", &[("threshold", GROUP_COUNT_BITS), ("period", PERIOD_BITS)]),
    ("saturation", &[("factor", 4), ("offset", 10), ("gap", PAUSE_BITS)]),
];

/// The trigger of filtered contention counters.
const FILTERED: usize = 3;

/// Registers of adaptive ways.
#[block]
pub struct AdaptiveRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    pub settings: Bare<MisroutingSettings<Out>>,
    pub sense: Bare<SenseSettings<Out>>,
    pub draws: Bare<DrawSettings<Out>>,
    pub thresholds: Bare<Option<Thresholds<Out>>>,
    pub messages: Bare<Option<MessageSettings<Out>>>,

    register: Vec<RegisterSetting>,

    network_size: usize,
    ugal: usize,
    local_share: usize,
    credit_trigger: usize,
    detour_ports: usize,
    contention: usize,
    ectn: usize,
    saturation: usize,
    has_high: bool,
    mode_field: Field,
    policy_field: Field,
    local_detour_bit: usize,
    trigger_field: Field,
    sense_bit: usize,
    groups_field: Field<0, GROUPS_BITS>,
    routers_field: Field<GROUPS_BITS, ROUTERS_BITS>,
    factor_field: Field<0, 4>,
    offset_field: Field<4, 10>,
    least_field: Field<0, 12>,
    share_field: Field<12, 8>,
    threshold_field: Field<0, THRESHOLD_BITS>,
    hybrid_field: Field<THRESHOLD_BITS, THRESHOLD_BITS>,
    shift_field: Field<{ 2 * THRESHOLD_BITS }, SHIFT_BITS>,
    group_threshold_field: Field<0, GROUP_COUNT_BITS>,
    period_field: Field<GROUP_COUNT_BITS, PERIOD_BITS>,
    gap_field: Field<14, PAUSE_BITS>,
    /// Place of the group at the decoder.
    pub place: usize,
}

/// The group, if the switch has it.
pub fn adaptive_registers(shape: &Shape, description: &mut Description) -> Option<AdaptiveRegisters> {
    let built = shape.dragonfly().filter(|built| built.adaptive())?;
    let (mut register, mut names) = (vec![], vec![]);
    for (name, fields) in SETTINGS {
        if let Some(taken) = description.take(name, Kind::ReadWrite) {
            register.push(register_setting(&taken, fields));
            names.push(name);
        }
    }
    let of_detours = if built.in_transit { 3 } else { 0 };
    let at = |name: &str| names.iter().position(|other| *other == name).unwrap_or(0);
    Some(sized(AdaptiveRegisters {
        settings: misrouting_settings(shape, built, PortKind::Node),
        sense: sense_settings(built, true),
        draws: draw_settings(built, PortKind::Node),
        thresholds: built.contention.then(|| thresholds(THRESHOLD_BITS, built.filter)),
        register,
        network_size: at("network_size"),
        ugal: at("ugal"),
        local_share: at("local_share"),
        credit_trigger: at("credit_trigger"),
        detour_ports: at("detour_ports_low"),
        contention: at("contention"),
        ectn: at("ectn"),
        saturation: at("saturation"),
        messages: shape.router_messages().map(|built| message_settings(&built)),
        has_high: names.contains(&"detour_ports_high"),
        mode_field: field(0, mode_bits(built)),
        policy_field: field(mode_bits(built), 2),
        local_detour_bit: mode_bits(built) + 2,
        trigger_field: field(mode_bits(built) + 3, trigger_bits(built)),
        sense_bit: mode_bits(built) + of_detours + if built.contention { trigger_bits(built) } else { 0 },
        place: description.place(),
        ..AdaptiveRegisters::plain()
    }))
}

#[kernel]
impl AdaptiveRegisters {
    fn update(&mut self) {
        self.decode();
        self.show_mode();
        self.show_sense();
        self.show_draws();
        self.show_ugal();
        self.show_detours();
        self.show_thresholds();
        self.show_messages();
    }

    fn decode(&mut self) {
        self.answer.known.next = false;
        self.answer.fits.next = false;
        self.answer.value.next = 0.into();
        for r in 0..self.register.len() {
            self.access.link(&mut self.register[r].access);
            self.answer.known.next = self.answer.known.val() | self.register[r].answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | self.register[r].answer.fits.val();
            self.answer.value.next = self.answer.value.val() | self.register[r].answer.value.val();
        }
    }

    fn show_mode(&mut self) {
        if let Some(mode) = &mut self.settings.mode {
            mode.next = self.register[0].setting.val() >> self.mode_field.val();
        }
        if let (Some(policy), Some(local_detour)) = (&mut self.settings.policy, &mut self.settings.local_detour) {
            policy.next = self.register[0].setting.val() >> self.policy_field.val();
            local_detour.next = self.register[0].setting.val().get_bit(self.local_detour_bit);
        }
        if let Some(trigger) = &mut self.settings.trigger {
            trigger.next = self.register[0].setting.val() >> self.trigger_field.val();
        }
    }

    fn show_sense(&mut self) {
        if let Some(of_minimal) = &mut self.sense.of_minimal {
            of_minimal.next = self.register[0].setting.val().get_bit(self.sense_bit);
        }
    }

    fn show_draws(&mut self) {
        self.draws.seed.next = self.register[1].setting.val();
        if let Some(share) = &mut self.draws.local_share {
            share.next = self.register[self.local_share].setting.val();
        }
        if let Some(groups) = &mut self.draws.groups {
            groups.next = self.register[self.network_size].setting.val() >> self.groups_field.val();
        }
        if let Some(routers) = &mut self.draws.routers {
            routers.next = self.register[self.network_size].setting.val() >> self.routers_field.val();
        }
    }

    fn show_ugal(&mut self) {
        if let (Some(factor), Some(offset)) = (&mut self.sense.factor, &mut self.sense.offset) {
            factor.next = self.register[self.ugal].setting.val() >> self.factor_field.val();
            offset.next = self.register[self.ugal].setting.val() >> self.offset_field.val();
        }
    }

    fn show_detours(&mut self) {
        if let (Some(least), Some(share), Some(ports)) =
            (&mut self.sense.least, &mut self.sense.share, &mut self.settings.detour_ports)
        {
            least.next = self.register[self.credit_trigger].setting.val() >> self.least_field.val();
            share.next = self.register[self.credit_trigger].setting.val() >> self.share_field.val();
            ports.next = unsigned_cast(self.register[self.detour_ports].setting.val());
            if self.has_high {
                ports.set(32, self.register[self.detour_ports + 1].setting.val());
            }
        }
    }

    fn show_messages(&mut self) {
        if let Some(messages) = &mut self.messages {
            if let (Some(threshold), Some(period)) = (&mut messages.group_threshold, &mut messages.period) {
                threshold.next = self.register[self.ectn].setting.val() >> self.group_threshold_field.val();
                period.next = self.register[self.ectn].setting.val() >> self.period_field.val();
            }
            if let (Some(factor), Some(offset), Some(gap)) =
                (&mut messages.link_factor, &mut messages.link_offset, &mut messages.gap)
            {
                factor.next = self.register[self.saturation].setting.val() >> self.factor_field.val();
                offset.next = self.register[self.saturation].setting.val() >> self.offset_field.val();
                gap.next = self.register[self.saturation].setting.val() >> self.gap_field.val();
            }
        }
    }

    fn show_thresholds(&mut self) {
        if let Some(thresholds) = &mut self.thresholds {
            thresholds.threshold.next = self.register[self.contention].setting.val() >> self.threshold_field.val();
            thresholds.hybrid.next = self.register[self.contention].setting.val() >> self.hybrid_field.val();
            if let (Some(shift), Some(filtered), Some(trigger)) =
                (&mut thresholds.shift, &mut thresholds.filtered, &self.settings.trigger)
            {
                shift.next = self.register[self.contention].setting.val() >> self.shift_field.val();
                filtered.next = trigger.val() == FILTERED;
            }
        }
    }
}
