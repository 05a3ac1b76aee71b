//! Link registers: groups of links, and how packets are spread over them.
//!
//! State: these fields, and the data of the cycle before (no more of them than a field needs).
//!
//! Registers: `link_selection`, `group`, `group_link`.
//!
//! Source: switch reference, sections 5.1 and 9; `spec/src/registers.rs`.

use crate::units::prelude::*;

/// Registers of link aggregation: selection, groups, links.
#[block(shape: &Shape, selection: &Described, group: &Described, link: &Described, place: usize)]
pub struct LinkRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    pub settings: Bare<LinkSettings<Out, shape>>,

    /// Data of the cycle before.
    was_data: Reg<{ method_bits.max(link_bits).max(port_bits) }, NoReset>,
    /// Field method.
    method_value: Reg<method_bits, { selection.reset() }>,
    /// Field links of each group.
    links_value: Regs<groups, link_bits, { group.reset() }>,
    /// Field port of each group_link.
    link_value: Regs<group_links, port_bits, { link.reset() }>,

    selection_word: RegisterWord<selection>,
    group_word: RegisterArray<group>,
    link_word: RegisterArray<link>,

    methods: Konst<{ 1 << method_bits }, { selection.choices("method") }>,
    method_field: Field<0, method_bits>,
    links_field: Field<0, link_bits>,
    links_whole_field: Field<0, { group.place("links").1 }>,
    link_field: Field<0, port_bits>,
    link_whole_field: Field<0, { link.place("port").1 }>,
    method_bits: Number<{ selection.place("method").1 }>,
    link_bits: Number<{ clog2(links_limit).max(1) }>,
    port_bits: Number<{ clog2(ports).max(1) }>,
    links_limit: Number<{ group.limit("links") }>,
    /// Place of the group at the decoder.
    pub place: usize,
    groups: Param<{ group.count() }>,
    group_links: Param<{ link.count() }>,
    ports: Param<{ link.limit("port") }>,
}

/// The group, if the switch has it.
pub fn take_link_registers(shape: &Shape, description: &mut Description) -> Option<LinkRegisters> {
    let selection = description.take("link_selection", Kind::ReadWrite)?;
    let mut of_groups = |name| description.take(name, Kind::ReadWrite).expect("links are selected in groups");
    let (group, link) = (of_groups("group"), of_groups("group_link"));
    let lows = [selection.place("method").0, group.place("links").0, link.place("port").0];
    assert_eq!(lows, [0; 3], "the fields of links lie at the low end");
    Some(link_registers(shape, &selection, &group, &link, description.place()))
}

#[kernel]
impl LinkRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.selection_word.access);
        self.access.link(&mut self.group_word.access);
        self.access.link(&mut self.link_word.access);

        // Setup.
        self.answer.known.next =
            self.selection_word.selected.val() | self.group_word.selected.val() | self.link_word.selected.val();
        self.answer.fits.next = (self.selection_word.fits.val()
            & self.methods.val().get_bit(self.access.data.val() >> self.method_field.val()))
            | (self.group_word.fits.val()
                & ((self.access.data.val() >> self.links_whole_field.val()) < self.links_limit))
            | (self.link_word.fits.val() & ((self.access.data.val() >> self.link_whole_field.val()) < self.ports));
        self.answer.value.next = 0.into();
        if self.selection_word.selected.val() {
            self.answer.value.next = unsigned_cast(self.method_value.q.val());
        }
        for g in 0..self.groups {
            if self.group_word.selected.val() & (self.group_word.index.val() == g) {
                self.answer.value.next = self.answer.value.val() | unsigned_cast(self.links_value.q[g].val());
            }
        }
        for l in 0..self.group_links {
            if self.link_word.selected.val() & (self.link_word.index.val() == l) {
                self.answer.value.next = self.answer.value.val() | unsigned_cast(self.link_value.q[l].val());
            }
        }
        self.was_data.d.next = unsigned_cast(self.access.data.val());

        // Access.
        if self.selection_word.writing.val() {
            self.method_value.d.next = self.was_data.q.val() >> self.method_field.val();
        }
        for g in 0..self.groups {
            if self.group_word.writing.val() & (self.group_word.writing_index.val() == g) {
                self.links_value.d[g].next = self.was_data.q.val() >> self.links_field.val();
            }
        }
        for l in 0..self.group_links {
            if self.link_word.writing.val() & (self.link_word.writing_index.val() == l) {
                self.link_value.d[l].next = self.was_data.q.val() >> self.link_field.val();
            }
        }

        // Settings.
        self.settings.method.next = self.method_value.q.val();
        for g in 0..self.groups {
            self.settings.groups.links[g].next = self.links_value.q[g].val();
        }
        for l in 0..self.group_links {
            self.settings.groups.group_link[l].next = self.link_value.q[l].val();
        }
    }
}
