//! Route setting: a route in a register or, with candidates, in two; with a valid bit, if the first has one.
//!
//! State: that of the registers.
//!
//! The default route's group of registers is such a block; the forwarding table's has one.
//!
//! Registers of the default route: `default_route`, `default_candidates`.
//!
//! Source: switch reference, sections 4.4, 4.7 and 9; `spec/src/registers/`.

use crate::units::prelude::*;

/// The fields of a route's register in the order of a route; the further candidates come in front of `candidates`. A
/// VC's number is as wide as the pins have it, where the barrier VC counts.
fn route_order(shape: &Shape) -> [(&'static str, usize); 8] {
    let vc_bits = shape.vc_bits as usize;
    let order = ["port", "vc", "vc_set", "group", "group_set", "candidates", "in_order", "valid"];
    order.map(|name| (name, if name == "vc" { vc_bits } else { 1 }))
}
const CANDIDATES: [(&str, usize); 3] = [("candidate_1", 1), ("candidate_2", 1), ("candidate_3", 1)];

/// A route in a register or, with candidates, in two.
#[block]
pub struct RouteSetting {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Valid bit, if the setting has one, and route.
    pub setting: Sig<Out, bits>,

    route: RegisterSetting,
    candidates: Option<RegisterSetting>,

    low_field: Field,
    high_field: Field,
    packed_high_field: Field,
    candidate_field: Field,

    /// Place of the group at the decoder, if the setting is a group.
    pub place: usize,
    #[label]
    register: &'static str,
    #[hex]
    address: Param,
    bits: Param,
}

/// The registers of the default route, if the switch has one.
pub fn default_route_registers(shape: &Shape, description: &mut Description) -> Option<RouteSetting> {
    let route = description.take("default_route", Kind::ReadWrite)?;
    let candidates = description.take("default_candidates", Kind::ReadWrite);
    let place = description.place();
    Some(RouteSetting { place, ..route_setting(shape, &route, candidates.as_ref()) })
}

/// The route in these registers.
pub fn route_setting(shape: &Shape, route: &Described, candidates: Option<&Described>) -> RouteSetting {
    let (layout, order) = (route_layout(shape), route_order(shape));
    let bits = layout.bits + usize::from(route.has("valid"));
    // In front of the further candidates, and behind them.
    let low_bits = layout.candidate;
    let high_bits = (packed_bits(route, &order) - low_bits).max(1);
    let candidate_bits = candidates.map_or(1, |register| packed_bits(register, &CANDIDATES));
    sized(RouteSetting {
        route: register_setting(route, &order),
        candidates: candidates.map(|register| register_setting(register, &CANDIDATES)),
        low_field: field(0, low_bits),
        high_field: field(low_bits + candidate_bits, high_bits),
        packed_high_field: field(low_bits, high_bits),
        candidate_field: field(low_bits, candidate_bits),
        place: 0,
        register: route.name(),
        address: route.address() as usize,
        bits,
        ..RouteSetting::plain()
    })
}

#[kernel]
impl RouteSetting {
    fn update(&mut self) {
        self.access.link(&mut self.route.access);
        self.answer.known.next = self.route.answer.known.val();
        self.answer.fits.next = self.route.answer.fits.val();
        self.answer.value.next = self.route.answer.value.val();
        if self.candidates.is_none() {
            self.setting.next = self.route.setting.val();
        }
        if let Some(candidates) = &mut self.candidates {
            self.access.link(&mut candidates.access);
            self.answer.known.next = self.route.answer.known.val() | candidates.answer.known.val();
            self.answer.fits.next = self.route.answer.fits.val() | candidates.answer.fits.val();
            self.answer.value.next = self.route.answer.value.val() | candidates.answer.value.val();
            self.setting.next = 0.into();
            self.setting.set(self.low_field.val(), self.route.setting.val() >> self.low_field.val());
            self.setting.set(self.candidate_field.val(), candidates.setting.val());
            self.setting.set(self.high_field.val(), self.route.setting.val() >> self.packed_high_field.val());
        }
    }
}
