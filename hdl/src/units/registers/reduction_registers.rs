//! Reduction registers: the settings of node reduction, as written and decoded.
//!
//! State: the fields, the decoded settings beside them (so that the ports need no decoders), and the data of the cycle
//! before.
//!
//! Registers: `reduction`, `coordinate_low`, `coordinate_high`, `bound_low`, `bound_high`, `wrap`.
//!
//! Source: switch reference, sections 4.5, 4.6 and 9; `spec/src/registers.rs`.

use crate::units::prelude::*;
use railyard_spec::registers::topology_code;

/// Registers of node reduction: its settings, as written and decoded.
#[block]
pub struct ReductionRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: BusTransfer,
    pub answer: Answer,
    /// One of the registers is written in the current cycle.
    pub writing: Flag<Out>,
    pub settings: Bare<ReductionWires<Out>>,

    /// The transfer of the cycle before addressed one of the registers.
    was_known: FlagReg<NoReset>,
    /// Data of the cycle before.
    was_data: Reg,
    /// Chunk width in the data of the cycle before, decoded.
    was_chunk_select: Option<Reg>,
    /// Field `dateline` in the data of the cycle before.
    was_dateline: Option<FlagReg>,
    /// Field `torus` in the data of the cycle before.
    was_torus: Option<FlagReg>,
    /// Field topology.
    topology: Reg<topology_bits>,
    /// Field chunk_bits.
    chunk_bits: Reg,
    /// Field level.
    level: Reg,
    /// Register `wrap`.
    wrap_value: Option<Reg>,
    /// Field dateline.
    dateline_value: Option<FlagReg>,
    /// Field torus.
    torus_value: Option<FlagReg>,
    /// Field topology, decoded.
    topology_decoded: Reg,
    /// Field chunk_bits, decoded.
    chunk_decoded: Option<Reg>,

    reduction_word: RegisterWord,
    coordinate_setting: AddressSetting,
    bound_setting: Option<AddressSetting>,
    wrap_word: Option<RegisterWord>,
    option: Vec<ChunkOption>,

    /// Chunk width in the data, one-hot.
    chunk_chosen: Option<Sig<Local>>,
    /// Chunk width in the data, one-hot, if the level in the data is legal for the width.
    chunk_fits: Sig<Local>,
    /// Topology in the data.
    asked_topology: Sig<Local, topology_bits>,
    /// Topology to write.
    new_topology: Sig<Local, topology_bits>,
    /// Topology to write, decoded.
    new_topology_select: Sig<Local>,
    /// Level to write.
    new_level: Sig<Local>,
    levels: Option<Levels>,

    topologies: Konst,
    topology_field: Field,
    chunk_bits_field: Field,
    level_field: Field,
    address_field: Field,
    wrap_field: Field<0, chunks>,
    dateline_bit: usize,
    torus_bit: usize,
    topology_bits: usize,
    #[data]
    functions: Vec<Function>,

    /// Place of the group at the decoder.
    pub place: usize,
    address_bits: Param,
    chunks: Param,
}

/// Field level, decoded: there is a fat tree.
#[group(chunks: usize)]
struct Levels {
    /// Field level, decoded.
    level_decoded: Reg<chunks, 1u32>,
    /// Chunks above the level of field `level`, decoded.
    above_decoded: Reg<chunks, { (num_bigint::BigUint::from(1u8) << chunks) - 2u8 }>,
    /// Level to write, decoded.
    new_level_select: Sig<Local, chunks>,
    /// Chunks above the level to write.
    new_above_level: Sig<Local, chunks>,
}

/// A function of node reduction: its number in field `topology`, and its place among those that are built.
#[derive(Clone, Copy)]
struct Function {
    code: usize,
    place: usize,
}

/// The functions that are built.
fn functions(built: &ReductionShape) -> Vec<Function> {
    let all = [Topology::Cube, Topology::FatTree, Topology::Dragonfly].into_iter();
    let function = |topology| {
        let place = built.topologies.iter().position(|t| *t == topology)?;
        Some(Function { code: topology_code(topology) as usize, place })
    };
    all.filter_map(function).collect()
}

/// The group, if the switch has it.
pub fn reduction_registers(shape: &Shape, description: &mut Description) -> Option<ReductionRegisters> {
    let reduction = description.take("reduction", Kind::ReadWrite)?;
    let built = shape.reduction().expect("it has registers");
    let coordinate_low = description.take("coordinate_low", Kind::ReadWrite).expect("every function has a coordinate");
    let mut take = |name| description.take(name, Kind::ReadWrite);
    let (coordinate_high, bound_low, bound_high, wrap) =
        (take("coordinate_high"), take("bound_low"), take("bound_high"), take("wrap"));

    let (low_bits, address_bits) = setting_bits(&coordinate_low, coordinate_high.as_ref());
    let chunks = built.max_chunks as usize;
    let widths: Vec<usize> = built.chunk_bits.iter().map(|width| *width as usize).collect();
    let ((topology_low, topology_bits), (chunk_low, chunk_bits), (level_low, level_bits)) =
        (reduction.place("topology"), reduction.place("chunk_bits"), reduction.place("level"));
    let chunk_reset = reduction.field("chunk_bits").reset;
    let first_option = widths.iter().position(|width| *width == chunk_reset as usize).map_or(0u32, |i| 1 << i);

    let several = widths.len() > 1;
    let (dateline, torus, any_radix) = (built.dateline, built.full_radix, built.any_radix());

    let kept = [Some(&coordinate_low), wrap.as_ref()].into_iter().flatten();
    let kept = kept.fold(reduction.mask_but(&["dateline", "torus"]), |sum, register| sum | register.mask());
    Some(sized(ReductionRegisters {
        settings: reduction_wires(address_bits, built),
        was_data: reg_no_reset(WORD - kept.leading_zeros() as usize),
        was_chunk_select: several.then(|| reg_no_reset(widths.len())),
        was_dateline: dateline.then(flag_reg_no_reset),
        was_torus: torus.then(flag_reg_no_reset),
        chunk_bits: reg(chunk_bits, chunk_reset),
        level: reg(level_bits, 0u32),
        wrap_value: any_radix.then(|| reg(chunks, 0u32)),
        dateline_value: dateline.then(|| flag_reg(false)),
        torus_value: torus.then(|| flag_reg(false)),
        topology_decoded: reg(built.topologies.len(), 0u32),
        chunk_decoded: several.then(|| reg(widths.len(), first_option)),
        reduction_word: register_word(&reduction),
        coordinate_setting: address_setting(&coordinate_low, coordinate_high.as_ref(), "Place of the switch."),
        bound_setting: bound_low
            .as_ref()
            .map(|low| address_setting(low, bound_high.as_ref(), "Farthest coordinate in plus direction, by chunk.")),
        wrap_word: wrap.as_ref().map(register_word),
        option: widths.iter().map(|w| chunk_option(*w, address_bits.div_ceil(*w), chunk_bits, level_bits)).collect(),
        chunk_chosen: several.then(|| sig(widths.len())),
        chunk_fits: sig(widths.len()),
        new_topology_select: sig(built.topologies.len()),
        new_level: sig(level_bits),
        levels: built.has(Topology::FatTree).then(|| levels(chunks)),
        topologies: konst(1 << topology_bits, reduction.choices("topology")),
        topology_field: field(topology_low, topology_bits),
        chunk_bits_field: field(chunk_low, chunk_bits),
        level_field: field(level_low, level_bits),
        address_field: field(0, low_bits),
        dateline_bit: if built.dateline { reduction.place("dateline").0 } else { 0 },
        torus_bit: if built.full_radix { reduction.place("torus").0 } else { 0 },
        functions: functions(built),
        address_bits,
        chunks,
        place: description.place(),
        topology_bits,
        ..ReductionRegisters::plain()
    }))
}

#[kernel]
impl ReductionRegisters {
    fn update(&mut self) {
        self.find_word();
        self.choose_chunk();
        self.answer_reduction();
        self.keep();
        self.decode_functions();
        self.write_reduction();
        self.write_levels();
        self.write_ways();
    }

    /// Setup: the words, and which one the transfer is to; what it reads.
    fn find_word(&mut self) {
        self.access.link(&mut self.reduction_word.access);
        self.coordinate_setting.was_data.next = self.was_data.q.val() >> self.address_field.val();
        self.access.link(&mut self.coordinate_setting.access);
        self.answer.known.next = self.reduction_word.selected.val() | self.coordinate_setting.answer.known.val();
        self.answer.fits.next = self.coordinate_setting.answer.fits.val();
        self.answer.value.next = self.coordinate_setting.answer.value.val();
        if let Some(bound_setting) = &mut self.bound_setting {
            bound_setting.was_data.next = self.was_data.q.val() >> self.address_field.val();
            self.access.link(&mut bound_setting.access);
            self.answer.known.next = self.answer.known.val() | bound_setting.answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | bound_setting.answer.fits.val();
            self.answer.value.next = self.answer.value.val() | bound_setting.answer.value.val();
            if let Some(bound) = &mut self.settings.bound {
                bound.next = bound_setting.setting.val();
            }
        }
        self.settings.coordinate.next = self.coordinate_setting.setting.val();
        if let (Some(wrap_word), Some(wrap_value)) = (&mut self.wrap_word, &self.wrap_value) {
            self.access.link(&mut wrap_word.access);
            self.answer.known.next = self.answer.known.val() | wrap_word.selected.val();
            self.answer.fits.next = self.answer.fits.val() | wrap_word.fits.val();
            if wrap_word.selected.val() {
                self.answer.value.next = unsigned_cast(wrap_value.q.val());
            }
        }
    }

    /// Setup of register reduction: a chunk width and a level that go together.
    fn choose_chunk(&mut self) {
        if let Some(chunk_chosen) = &mut self.chunk_chosen {
            chunk_chosen.next = 0.into();
        }
        self.chunk_fits.next = 0.into();
        for u in 0..self.option.len() {
            self.option[u].chunk_bits.next = self.access.data.val() >> self.chunk_bits_field.val();
            self.option[u].level.next = self.access.data.val() >> self.level_field.val();
            if let Some(chunk_chosen) = &mut self.chunk_chosen {
                chunk_chosen.set(u, self.option[u].chosen.val());
            }
            self.chunk_fits.set(u, self.option[u].fits.val());
        }
    }

    /// Setup of register reduction: a function, and what is read.
    fn answer_reduction(&mut self) {
        self.asked_topology.next = self.access.data.val() >> self.topology_field.val();
        if self.reduction_word.fits.val() {
            self.answer.fits.next =
                self.topologies.val().get_bit(self.asked_topology.val()) & self.chunk_fits.val().any();
        }
        if self.reduction_word.selected.val() {
            self.answer.value.set(self.topology_field.val(), self.topology.q.val());
            self.answer.value.set(self.chunk_bits_field.val(), self.chunk_bits.q.val());
            self.answer.value.set(self.level_field.val(), self.level.q.val());
            if let Some(dateline_value) = &self.dateline_value {
                self.answer.value.set(self.dateline_bit, dateline_value.q.val());
            }
            if let Some(torus_value) = &self.torus_value {
                self.answer.value.set(self.torus_bit, torus_value.q.val());
            }
        }
    }

    /// What is kept of a setup for the access phase.
    fn keep(&mut self) {
        self.was_known.d.next = self.answer.known.val();
        self.was_data.d.next = unsigned_cast(self.access.data.val());
        if let (Some(was_chunk_select), Some(chunk_chosen)) = (&mut self.was_chunk_select, &self.chunk_chosen) {
            was_chunk_select.d.next = chunk_chosen.val();
        }
        if let Some(was_dateline) = &mut self.was_dateline {
            was_dateline.d.next = self.access.data.val().get_bit(self.dateline_bit);
        }
        if let Some(was_torus) = &mut self.was_torus {
            was_torus.d.next = self.access.data.val().get_bit(self.torus_bit);
        }
    }

    /// Access: the function that is written.
    fn decode_functions(&mut self) {
        self.writing.next = self.was_known.q.val() & self.access.write.val();
        self.new_level.next = self.was_data.q.val() >> self.level_field.val();
        self.new_topology.next = self.was_data.q.val() >> self.topology_field.val();
        self.new_topology_select.next = 0.into();
        for f in 0..self.functions.len() {
            let code = self.functions[f].code;
            let place = self.functions[f].place;
            self.new_topology_select.set(place, self.new_topology.val() == code);
        }
    }

    /// Access: register reduction, and what it means.
    fn write_reduction(&mut self) {
        if self.reduction_word.writing.val() {
            self.topology.d.next = self.new_topology.val();
            self.topology_decoded.d.next = self.new_topology_select.val();
            self.chunk_bits.d.next = self.was_data.q.val() >> self.chunk_bits_field.val();
            self.level.d.next = self.new_level.val();
        }
        if let (Some(chunk_decoded), Some(was_chunk_select)) = (&mut self.chunk_decoded, &self.was_chunk_select) {
            if self.reduction_word.writing.val() {
                chunk_decoded.d.next = was_chunk_select.q.val();
            }
            if let Some(chunk_select) = &mut self.settings.chunk_select {
                chunk_select.next = chunk_decoded.q.val();
            }
        }
    }

    /// Access: levels of the fat tree.
    fn write_levels(&mut self) {
        if let Some(levels) = &mut self.levels {
            levels.new_level_select.next = 0.into();
            levels.new_above_level.next = 0.into();
            for j in 0..self.chunks {
                if self.new_level.val() == j {
                    levels.new_level_select.set(j, true);
                }
            }
            for j in 1..self.chunks {
                if self.new_level.val() < j {
                    levels.new_above_level.set(j, true);
                }
            }
            if self.reduction_word.writing.val() {
                levels.level_decoded.d.next = levels.new_level_select.val();
                levels.above_decoded.d.next = levels.new_above_level.val();
            }
            if let Some(level_select) = &mut self.settings.level_select {
                level_select.next = levels.level_decoded.q.val();
            }
            if let Some(above_level) = &mut self.settings.above_level {
                above_level.next = levels.above_decoded.q.val();
            }
        }
    }

    /// Access: ways of the cube, in register reduction and in register wrap.
    fn write_ways(&mut self) {
        if let (Some(dateline_value), Some(was_dateline)) = (&mut self.dateline_value, &self.was_dateline) {
            if self.reduction_word.writing.val() {
                dateline_value.d.next = was_dateline.q.val();
            }
            if let Some(dateline) = &mut self.settings.dateline {
                dateline.next = dateline_value.q.val();
            }
        }
        if let (Some(torus_value), Some(was_torus)) = (&mut self.torus_value, &self.was_torus) {
            if self.reduction_word.writing.val() {
                torus_value.d.next = was_torus.q.val();
            }
            if let Some(torus) = &mut self.settings.torus {
                torus.next = torus_value.q.val();
            }
        }
        self.settings.topology_select.next = self.topology_decoded.q.val();
        if let (Some(wrap_value), Some(wrap_word)) = (&mut self.wrap_value, &self.wrap_word) {
            if wrap_word.writing.val() {
                wrap_value.d.next = self.was_data.q.val() >> self.wrap_field.val();
            }
            if let Some(wrap) = &mut self.settings.wrap {
                wrap.next = wrap_value.q.val();
            }
        }
    }
}
