//! Link registers: groups of links, and how packets are spread over them.
//!
//! State: these fields, and the data of the cycle before (no more of them than a field needs).
//!
//! Registers: `link_selection`, `group`, `group_link`.
//!
//! Source: switch reference, sections 5.1 and 9; `spec/src/registers.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::Description;
use super::register_array::{register_array, RegisterArray};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;
use crate::units::route::link_groups::{link_settings, LinkSettings};
use railyard_spec::registers::Access as Kind;
use railyard_spec::Shape;

/// Registers of link aggregation: selection, groups, links.
#[block]
pub struct LinkRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    #[bare]
    pub settings: LinkSettings<Out>,

    /// Data of the cycle before.
    was_data: Reg,
    /// Field method.
    method_value: Reg,
    /// Field links of each group.
    links_value: Regs,
    /// Field port of each group_link.
    link_value: Regs,

    selection_word: RegisterWord,
    group_word: RegisterArray,
    link_word: RegisterArray,

    methods: Konst,
    method_field: Field,
    links_field: Field,
    links_whole_field: Field,
    link_field: Field,
    link_whole_field: Field,
    links_limit: usize,
    /// Place of the group at the decoder.
    pub place: usize,
    groups: Param,
    group_links: Param,
    ports: Param,
}

/// The group, if the switch has it.
pub fn link_registers(shape: &Shape, description: &mut Description) -> Option<LinkRegisters> {
    let selection = description.take("link_selection", Kind::ReadWrite)?;
    let mut of_groups = |name| description.take(name, Kind::ReadWrite).expect("links are selected in groups");
    let (group, group_link) = (of_groups("group"), of_groups("group_link"));
    let ((method_low, method_bits), (links_low, links_whole_bits), (link_low, link_whole_bits)) =
        (selection.place("method"), group.place("links"), group_link.place("port"));
    assert_eq!([method_low, links_low, link_low], [0; 3], "the fields of links lie at the low end");
    let (links_limit, ports) = (group.limit("links"), group_link.limit("port"));
    let (link_bits, port_bits) = (clog2(links_limit).max(1), clog2(ports).max(1));
    let (groups, group_links) = (group.count(), group_link.count());
    Some(LinkRegisters {
        access: access(),
        answer: answer(),
        settings: link_settings(shape),
        was_data: reg_no_reset(method_bits.max(link_bits).max(port_bits)),
        method_value: reg(method_bits, selection.reset()),
        links_value: regs(groups, link_bits, group.reset()),
        link_value: regs(group_links, port_bits, group_link.reset()),
        selection_word: register_word(&selection),
        group_word: register_array(&group),
        link_word: register_array(&group_link),
        methods: konst(1 << method_bits, selection.choices("method")),
        method_field: field(0, method_bits),
        links_field: field(0, link_bits),
        links_whole_field: field(0, links_whole_bits),
        link_field: field(0, port_bits),
        link_whole_field: field(0, link_whole_bits),
        links_limit,
        groups,
        group_links,
        ports,
        place: description.place(),
        ..LinkRegisters::plain()
    })
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
