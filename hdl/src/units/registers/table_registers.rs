//! Table registers: entries for the forwarding table, laid out in registers and written as a whole.
//!
//! State: the entry that is written next; of the data of the cycle before, what belongs to an address, a place, a
//! start.
//!
//! Each cycle: the access phase of a legal write of `table_write` writes the entry, that of a 1 to `table_clear.start`
//! empties the table. A write of `table_write` is legal only while the table is not being emptied.
//!
//! Registers: `table_address_low`, `table_address_high`, `table_route`, `table_candidates`, `table_write`,
//! `table_clear`, `table_status`.
//!
//! Source: switch reference, sections 4.7 and 9; `spec/src/registers/`.

use crate::units::prelude::*;

/// Registers of the forwarding table: the entry written next, and its place.
#[block]
pub struct TableRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// The table is being emptied in the current cycle.
    pub sweeping: Flag<In>,
    pub table: TableWrite<Out>,

    /// Field value in the data of the cycle before.
    was_address: Reg,
    /// Field index in the data of the cycle before.
    was_index: Reg<index_bits, NoReset>,
    /// Field way in the data of the cycle before.
    was_way: Reg,
    /// Field valid in the data of the cycle before.
    was_valid: FlagReg<NoReset>,
    /// Field start in the data of the cycle before.
    was_start: FlagReg<NoReset>,

    address: AddressSetting,
    route: RouteSetting,
    write_word: RegisterWord,
    clear_word: RegisterWord,

    /// The index and way exist.
    place_exists: Flag<Local>,
    /// The transfer addresses table_status.
    in_status: Flag<Local>,

    status_address: Konst,
    no_place: Konst,
    index_field: Field,
    way_field: Field,
    valid_bit: usize,
    start_bit: usize,
    sweeping_bit: usize,
    /// Place of the group at the decoder.
    pub place: usize,
    address_bits: Param,
    index_bits: Param,
}

/// The bits that are 0 in all legal values of this field, which are those below a power of two.
fn unused(register: &Described, name: &str) -> u32 {
    let ((low, bits), limit) = (register.place(name), register.limit(name));
    assert!(limit.is_power_of_two(), "a table has powers of two of everything");
    (((1u64 << bits) - limit as u64) as u32) << low
}

/// The group, if the switch has it.
pub fn table_registers(shape: &Shape, description: &mut Description) -> Option<TableRegisters> {
    let address_low = description.take("table_address_low", Kind::ReadWrite)?;
    let table = shape.forwarding_table().expect("it has registers");
    let address_high = description.take("table_address_high", Kind::ReadWrite);
    let candidates = description.take("table_candidates", Kind::ReadWrite);
    let mut take = |name, kind| description.take(name, kind).expect("a table is written and emptied through registers");
    let route = take("table_route", Kind::ReadWrite);
    let (write, clear) = (take("table_write", Kind::Command), take("table_clear", Kind::Command));
    let status = take("table_status", Kind::ReadOnly);
    let (low_bits, address_bits) = setting_bits(&address_low, address_high.as_ref());
    let (index_bits, way_bits) = (table.index_bits as usize, way_bits(table));
    let (index_low, way_low) = (write.place("index").0, write.place("way").0);
    Some(sized(TableRegisters {
        table: table_write(shape, table),
        was_address: reg_no_reset(low_bits),
        was_way: reg_no_reset(way_bits),
        address: address_setting(&address_low, address_high.as_ref(), "Address of the entry that is written next."),
        route: route_setting(shape, &route, candidates.as_ref()),
        write_word: register_word(&write),
        clear_word: register_word(&clear),
        status_address: konst(APB_ADDRESS_BITS as usize, status.address()),
        no_place: konst(WORD, unused(&write, "index") | unused(&write, "way")),
        index_field: field(index_low, index_bits),
        way_field: field(way_low, way_bits),
        valid_bit: write.place("valid").0,
        start_bit: clear.place("start").0,
        sweeping_bit: status.place("sweeping").0,
        address_bits,
        index_bits,
        place: description.place(),
        ..TableRegisters::plain()
    }))
}

#[kernel]
impl TableRegisters {
    fn update(&mut self) {
        self.access.link(&mut self.address.access);
        self.access.link(&mut self.route.access);
        self.access.link(&mut self.write_word.access);
        self.access.link(&mut self.clear_word.access);

        // Setup.
        self.in_status.next = self.access.address.val() == self.status_address.val();
        self.place_exists.next = !(self.access.data.val() & self.no_place.val()).any();
        self.answer.known.next = self.address.answer.known.val()
            | self.route.answer.known.val()
            | self.write_word.selected.val()
            | self.clear_word.selected.val()
            | self.in_status.val();
        self.answer.fits.next = self.address.answer.fits.val()
            | self.route.answer.fits.val()
            | (self.write_word.fits.val() & self.place_exists.val() & !self.sweeping.val())
            | self.clear_word.fits.val();
        self.answer.value.next = self.address.answer.value.val() | self.route.answer.value.val();
        if self.in_status.val() {
            self.answer.value.set(self.sweeping_bit, self.sweeping.val());
        }
        self.was_address.d.next = unsigned_cast(self.access.data.val());
        self.was_index.d.next = self.access.data.val() >> self.index_field.val();
        self.was_way.d.next = self.access.data.val() >> self.way_field.val();
        self.was_valid.d.next = self.access.data.val().get_bit(self.valid_bit);
        self.was_start.d.next = self.access.data.val().get_bit(self.start_bit);
        self.address.was_data.next = self.was_address.q.val();

        // Access.
        self.table.write.next = self.write_word.writing.val();
        self.table.way.next = self.was_way.q.val();
        self.table.index.next = self.was_index.q.val();
        self.table.valid.next = self.was_valid.q.val();
        self.table.address.next = self.address.setting.val();
        self.table.route.next = self.route.setting.val();
        self.table.clear.next = self.clear_word.writing.val() & self.was_start.q.val();
    }
}
