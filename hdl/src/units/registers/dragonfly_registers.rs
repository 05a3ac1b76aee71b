//! Dragonfly registers: place of the switch, tables of ways, legal virtual channels, rule and patience.
//!
//! State: these fields, and the data of the cycle before, in the registers' own blocks.
//!
//! Registers: `coordinate`, `router_map`, `node_map`, `group_map`, `vc_mask_local`, `vc_mask_global`,
//! `reply_vc_mask_local`, `reply_vc_mask_global`, `vc_rule`, `patience`, `arbitration`, `link_delay`.
//!
//! Source: reference of Dragonfly routing; `spec/src/registers/dragonfly.rs`.

use crate::units::prelude::*;
use railyard_spec::legal::CASES;

/// Where the masks are: in the order of the elements of `legal`.
const MASKS: [&str; 4] = ["vc_mask_local", "vc_mask_global", "reply_vc_mask_local", "reply_vc_mask_global"];

/// Registers of Dragonfly routing: place, ways, virtual channels.
#[block]
pub struct DragonflyRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    pub tables: Bare<RouteTables<Out>>,
    pub vcs: Bare<VcSettings<Out>>,
    /// Cycles of a tick of patience.
    pub tick: Option<Sig<Out>>,
    /// Packets from other switches go first.
    pub transit_first: Option<Flag<Out>>,
    /// By how much packets age on the link of port p.
    pub link_delay: Vec<Sig<Out>>,

    coordinate: RegisterSetting,
    router_table: RegisterTable,
    node_table: RegisterTable,
    group_table: RegisterTable,
    mask: Vec<RegisterSetting>,
    vc_rule: Option<RegisterSetting>,
    patience: Option<RegisterSetting>,
    arbitration: Option<RegisterSetting>,
    delay_table: Option<RegisterTable>,

    /// Number of this switch in its group.
    router_field: Field,
    /// Number of the group.
    group_field: Field,
    cases: usize,
    mask_bits: usize,
    /// Place of the group at the decoder.
    pub place: usize,
}

/// The group, if the switch has it.
pub fn dragonfly_registers(shape: &Shape, description: &mut Description) -> Option<DragonflyRegisters> {
    let built = shape.dragonfly()?;
    let (router_bits, group_bits) = (built.router_bits as usize, built.group_bits as usize);
    let (port_bits, vcs) = (shape.port_bits as usize, shape.vcs);
    let mut take = |name| description.take(name, Kind::ReadWrite);
    let mut taken = |name| take(name).expect("a Dragonfly's switch has its tables in registers");
    let coordinate = register_setting(&taken("coordinate"), &[("router", router_bits), ("group", group_bits)]);
    let way: [(&str, usize); 4] = [("port", port_bits), ("valid", 1), ("last", 1), ("link", 1)];
    let [router_table, node_table, group_table] =
        ["router_map", "node_map", "group_map"].map(|name| register_table(&taken(name), &way));
    let cases = ["case_0", "case_1", "case_2", "case_3"].map(|name| (name, vcs));
    let mask = MASKS.into_iter().filter_map(&mut take).map(|mask| register_setting(&mask, &cases)).collect();
    let vc_rule = take("vc_rule").map(|rule| register_setting(&rule, &[("rule", 1)]));
    let patience = take("patience").map(|patience| register_setting(&patience, &[("tick", 1)]));
    let arbitration = take("arbitration").map(|first| register_setting(&first, &[("transit_first", 1)]));
    let delay_table = take("link_delay").map(|delays| register_table(&delays, &[("cycles", DELAY_BITS)]));
    Some(sized(DragonflyRegisters {
        tables: route_tables(shape, built),
        vcs: vc_settings(shape, built),
        tick: patience.as_ref().map(|_| sig(TICK_BITS)),
        coordinate,
        router_table,
        node_table,
        group_table,
        mask,
        transit_first: arbitration.as_ref().map(|_| flag()),
        link_delay: many(delay_table.as_ref().map_or(0, |_| shape.ports), || sig(DELAY_BITS)),
        vc_rule,
        patience,
        arbitration,
        delay_table,
        router_field: field(0, router_bits),
        group_field: field(router_bits, group_bits),
        cases: CASES.len(),
        mask_bits: vcs,
        place: description.place(),
        ..DragonflyRegisters::plain()
    }))
}

#[kernel]
impl DragonflyRegisters {
    fn update(&mut self) {
        self.decode();
        self.decode_choice();
        self.decode_ages();
        self.show();
        self.show_vcs();
        self.show_ages();
    }

    /// Setup.
    fn decode(&mut self) {
        self.access.link(&mut self.coordinate.access);
        self.access.link(&mut self.router_table.access);
        self.access.link(&mut self.node_table.access);
        self.access.link(&mut self.group_table.access);
        self.answer.known.next = self.coordinate.answer.known.val()
            | self.router_table.answer.known.val()
            | self.node_table.answer.known.val()
            | self.group_table.answer.known.val();
        self.answer.fits.next = self.coordinate.answer.fits.val()
            | self.router_table.answer.fits.val()
            | self.node_table.answer.fits.val()
            | self.group_table.answer.fits.val();
        self.answer.value.next = self.coordinate.answer.value.val()
            | self.router_table.answer.value.val()
            | self.node_table.answer.value.val()
            | self.group_table.answer.value.val();
        for m in 0..self.mask.len() {
            self.access.link(&mut self.mask[m].access);
            self.answer.known.next = self.answer.known.val() | self.mask[m].answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | self.mask[m].answer.fits.val();
            self.answer.value.next = self.answer.value.val() | self.mask[m].answer.value.val();
        }
    }

    /// Setup of the registers that are there with several rules or ways.
    fn decode_choice(&mut self) {
        if let Some(rule) = &mut self.vc_rule {
            self.access.link(&mut rule.access);
            self.answer.known.next = self.answer.known.val() | rule.answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | rule.answer.fits.val();
            self.answer.value.next = self.answer.value.val() | rule.answer.value.val();
        }
        if let Some(patience) = &mut self.patience {
            self.access.link(&mut patience.access);
            self.answer.known.next = self.answer.known.val() | patience.answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | patience.answer.fits.val();
            self.answer.value.next = self.answer.value.val() | patience.answer.value.val();
        }
    }

    /// Setup of the registers of arbitration and ages.
    fn decode_ages(&mut self) {
        if let Some(arbitration) = &mut self.arbitration {
            self.access.link(&mut arbitration.access);
            self.answer.known.next = self.answer.known.val() | arbitration.answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | arbitration.answer.fits.val();
            self.answer.value.next = self.answer.value.val() | arbitration.answer.value.val();
        }
        if let Some(delays) = &mut self.delay_table {
            self.access.link(&mut delays.access);
            self.answer.known.next = self.answer.known.val() | delays.answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | delays.answer.fits.val();
            self.answer.value.next = self.answer.value.val() | delays.answer.value.val();
        }
    }

    /// What arbitration and ages are set to.
    fn show_ages(&mut self) {
        if let (Some(transit_first), Some(arbitration)) = (&mut self.transit_first, &self.arbitration) {
            transit_first.next = arbitration.setting.val().any();
        }
        if let Some(delays) = &self.delay_table {
            for p in 0..self.link_delay.len() {
                self.link_delay[p].next = delays.entry[p].val();
            }
        }
    }

    /// Place and ways.
    fn show(&mut self) {
        self.tables.router.next = self.coordinate.setting.val() >> self.router_field.val();
        self.tables.group.next = self.coordinate.setting.val() >> self.group_field.val();
        for e in 0..self.router_table.entries {
            self.tables.router_map[e].next = self.router_table.entry[e].val();
        }
        for e in 0..self.node_table.entries {
            self.tables.node_map[e].next = self.node_table.entry[e].val();
        }
        for e in 0..self.group_table.entries {
            self.tables.group_map[e].next = self.group_table.entry[e].val();
        }
    }

    /// Virtual channels.
    fn show_vcs(&mut self) {
        for m in 0..self.mask.len() {
            for c in 0..self.cases {
                self.vcs.legal[m * self.cases + c].next =
                    unsigned_cast(self.mask[m].setting.val() >> (c * self.mask_bits));
            }
        }
        if let (Some(rule), Some(of_rule)) = (&mut self.vcs.rule, &self.vc_rule) {
            rule.next = of_rule.setting.val();
        }
        if let (Some(tick), Some(patience)) = (&mut self.tick, &self.patience) {
            tick.next = patience.setting.val();
        }
    }
}
