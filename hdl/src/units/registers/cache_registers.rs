//! Cache registers: the routing caches of all ports, enabled and flushed.
//!
//! State: `enable`, `flushing` (which is `flush`), and the data of the cycle before.
//!
//! Each cycle: an access that writes 1 to `flush.start`, or a setting of node reduction, makes `flush` 1 in the cycle
//! behind it, in which the new value is seen. `cache_status` reads that a flush is, or that the caches sweep.
//!
//! Registers: `cache`, `flush`, `cache_status`.
//!
//! Source: switch reference, sections 4.5 and 9; `spec/src/registers.rs`.

use crate::units::prelude::*;

/// Registers of the routing caches: enable, flush, and whether they sweep.
#[block]
pub struct CacheRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// Settings of node reduction are written in the current cycle.
    pub reducing: Option<Flag<In>>,
    /// The caches sweep in the current cycle.
    pub sweeping: Flag<In>,
    /// The caches are enabled.
    pub enable: Flag<Out>,
    /// The caches are flushed in the current cycle.
    pub flush: Flag<Out>,

    /// Field enable in the data of the cycle before.
    was_enable: FlagReg<NoReset>,
    /// Field start in the data of the cycle before.
    was_start: FlagReg<NoReset>,
    /// Field enable.
    enabled: FlagReg,
    /// The caches are flushed in the current cycle.
    flushing: FlagReg,

    cache_word: RegisterWord,
    flush_word: RegisterWord,

    /// The transfer addresses cache_status.
    in_status: Flag<Local>,

    status_address: Konst,
    enable_bit: usize,
    start_bit: usize,
    sweeping_bit: usize,
    /// Place of the group at the decoder.
    pub place: usize,
}

/// The group, if the switch has it; `reduced`: behind node reduction.
pub fn cache_registers(description: &mut Description, reduced: bool) -> Option<CacheRegisters> {
    let cache = description.take("cache", Kind::ReadWrite)?;
    let flush = description.take("flush", Kind::Command).expect("caches that can be disabled can be flushed");
    let status = description.take("cache_status", Kind::ReadOnly).expect("and tell whether they sweep");
    Some(sized(CacheRegisters {
        reducing: reduced.then(flag),
        enabled: flag_reg(cache.field("enable").reset == 1),
        cache_word: register_word(&cache),
        flush_word: register_word(&flush),
        status_address: konst(APB_ADDRESS_BITS as usize, status.address()),
        enable_bit: cache.place("enable").0,
        start_bit: flush.place("start").0,
        sweeping_bit: status.place("sweeping").0,
        place: description.place(),
        ..CacheRegisters::plain()
    }))
}

#[kernel]
impl CacheRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.cache_word.access);
        self.access.link(&mut self.flush_word.access);

        // Setup.
        self.in_status.next = self.access.address.val() == self.status_address.val();
        self.answer.known.next = self.cache_word.selected.val() | self.flush_word.selected.val() | self.in_status.val();
        self.answer.fits.next = self.cache_word.fits.val() | self.flush_word.fits.val();
        self.answer.value.next = 0.into();
        if self.cache_word.selected.val() {
            self.answer.value.set(self.enable_bit, self.enabled.q.val());
        }
        if self.in_status.val() {
            self.answer.value.set(self.sweeping_bit, self.sweeping.val() | self.flushing.q.val());
        }
        self.was_enable.d.next = self.access.data.val().get_bit(self.enable_bit);
        self.was_start.d.next = self.access.data.val().get_bit(self.start_bit);

        // Access.
        if self.cache_word.writing.val() {
            self.enabled.d.next = self.was_enable.q.val();
        }
        self.flushing.d.next = self.flush_word.writing.val() & self.was_start.q.val();
        if let Some(reducing) = &self.reducing {
            self.flushing.d.next = (self.flush_word.writing.val() & self.was_start.q.val()) | reducing.val();
        }

        self.enable.next = self.enabled.q.val();
        self.flush.next = self.flushing.q.val();
    }
}
