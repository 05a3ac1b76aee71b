//! Cache registers: the routing caches of all ports, enabled and flushed.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `reducing` | 1 | settings of node reduction are written in this cycle (with node reduction only) |
//! | `sweeping` | 1 | the caches sweep in this cycle |
//! | `enable` | 1 | field `cache.enable` |
//! | `flush` | 1 | a flush is in this cycle |
//!
//! State: `enable`, `flushing` (which is `flush`), and the data of the cycle before.
//!
//! Each cycle: an access that writes 1 to `flush.start`, or a setting of node reduction, makes `flush` 1 in the cycle behind it, in which
//! the new value is seen. `cache_status` reads that a flush is, or that the caches sweep.
//!
//! Registers: `cache`, `flush`, `cache_status`.
//!
//! Source: switch reference, sections 4.5 and 9; `spec/src/registers.rs`.

use super::bus::{access, answer, Access, Answer};
use super::description::Description;
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;
use railyard_spec::registers::{Access as Kind, APB_ADDRESS_BITS};

/// The group of this name; see the head of this file.
#[block]
pub struct CacheRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub reducing: Vec<Flag<In>>,
    pub sweeping: Flag<In>,
    pub enable: Flag<Out>,
    pub flush: Flag<Out>,

    was_enable: FlagReg,
    was_start: FlagReg,
    enabled: FlagReg,
    flushing: FlagReg,

    cache_word: RegisterWord,
    flush_word: RegisterWord,

    in_status: Flag<Local>,

    status_address: Konst,
    enable_bit: Param,
    start_bit: Param,
    sweeping_bit: Param,
    about: About,
}

/// The group, if the switch has it; `reduced`: behind node reduction.
pub fn cache_registers(description: &mut Description, reduced: bool) -> Option<CacheRegisters> {
    let cache = description.take("cache", Kind::ReadWrite)?;
    let flush = description.take("flush", Kind::Command).expect("caches that can be disabled can be flushed");
    let status = description.take("cache_status", Kind::ReadOnly).expect("and tell whether they sweep");
    Some(CacheRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        reducing: many(usize::from(reduced), || flag().doc("settings of node reduction are written in this cycle")),
        sweeping: flag().doc("the caches sweep in this cycle"),
        enable: flag().doc("the caches are enabled"),
        flush: flag().doc("a flush of the caches is in this cycle"),
        was_enable: flag_reg_no_reset().doc("field enable in the data of the cycle before"),
        was_start: flag_reg_no_reset().doc("field start in the data of the cycle before"),
        enabled: flag_reg(cache.field("enable").reset == 1).doc("field enable"),
        flushing: flag_reg(false).doc("a flush is in this cycle"),
        cache_word: register_word(&cache),
        flush_word: register_word(&flush),
        in_status: flag().doc("the transfer is to cache_status"),
        status_address: konst(APB_ADDRESS_BITS as usize, status.address()),
        enable_bit: param(cache.place("enable").0),
        start_bit: param(flush.place("start").0),
        sweeping_bit: param(status.place("sweeping").0),
        about: about("cache_registers", "Registers of the routing caches: enable, flush, and whether they sweep."),
    })
}

#[kernel]
impl CacheRegisters {
    fn update(&mut self) {
        Access::link(&mut self.access, &mut self.cache_word.access);
        Access::link(&mut self.access, &mut self.flush_word.access);

        // Setup.
        self.in_status.next = self.access.address.val() == self.status_address.val();
        self.answer.known.next = self.cache_word.selected.val() | self.flush_word.selected.val() | self.in_status.val();
        self.answer.fits.next = self.cache_word.fits.val() | self.flush_word.fits.val();
        self.answer.value.next = 0.into();
        if self.cache_word.selected.val() {
            self.answer.value.next = self.answer.value.val().replace_bit(self.enable_bit.val(), self.enabled.q.val());
        }
        if self.in_status.val() {
            self.answer.value.next = self
                .answer
                .value
                .val()
                .replace_bit(self.sweeping_bit.val(), self.sweeping.val() | self.flushing.q.val());
        }
        self.was_enable.d.next = self.access.data.val().get_bit(self.enable_bit.val());
        self.was_start.d.next = self.access.data.val().get_bit(self.start_bit.val());

        // Access.
        if self.cache_word.writing.val() {
            self.enabled.d.next = self.was_enable.q.val();
        }
        self.flushing.d.next = self.flush_word.writing.val() & self.was_start.q.val();
        for r in 0..self.reducing.len() {
            self.flushing.d.next = (self.flush_word.writing.val() & self.was_start.q.val()) | self.reducing[r].val();
        }

        self.enable.next = self.enabled.q.val();
        self.flush.next = self.flushing.q.val();
    }
}
