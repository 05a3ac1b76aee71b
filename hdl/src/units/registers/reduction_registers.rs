//! Reduction registers: the settings of node reduction, as written and decoded.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `access_*`, `answer_*` | | the transfer, and what this group says of it; see [`bus`](super::bus) |
//! | `writing` | 1 | one of these registers is written in this cycle |
//! | `settings` | | the fields, decoded: [`ReductionSettings`] |
//!
//! State: the fields, the decoded settings beside them (so that the ports need no decoders), and the data of the cycle before.
//!
//! Registers: `reduction`, `coordinate_low`, `coordinate_high`, `bound_low`, `bound_high`, `wrap`.
//!
//! Source: switch reference, sections 4.5, 4.6 and 9; `spec/src/registers.rs`.

use super::address_setting::{address_setting, setting_bits, AddressSetting};
use super::bus::{access, answer, Access, Answer};
use super::description::{Description, WORD};
use super::register_word::{register_word, RegisterWord};
use crate::rtl::prelude::*;
use crate::units::route::reduction::chunk_option::{chunk_option, ChunkOption};
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use railyard_spec::registers::{topology_code, Access as Kind};
use railyard_spec::{Shape, Topology};

/// The group of this name; see the head of this file.
#[block]
pub struct ReductionRegisters {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    pub access: Access,
    pub answer: Answer,
    pub writing: Flag<Out>,
    pub settings: Bare<ReductionSettings<Out>>,

    was_known: FlagReg,
    was_data: Reg,
    was_chunk_select: Vec<Reg>,
    was_dateline: Vec<FlagReg>,
    was_torus: Vec<FlagReg>,
    topology: Reg,
    chunk_bits: Reg,
    level: Reg,
    wrap_value: Vec<Reg>,
    dateline_value: Vec<FlagReg>,
    torus_value: Vec<FlagReg>,
    topology_decoded: Reg,
    chunk_decoded: Vec<Reg>,
    level_decoded: Vec<Reg>,
    above_decoded: Vec<Reg>,

    reduction_word: RegisterWord,
    coordinate_setting: AddressSetting,
    bound_setting: Vec<AddressSetting>,
    wrap_word: Vec<RegisterWord>,
    option: Vec<ChunkOption>,

    chunk_chosen: Vec<Sig<Local>>,
    chunk_fits: Sig<Local>,
    asked_topology: Sig<Local>,
    new_topology: Sig<Local>,
    new_topology_select: Sig<Local>,
    new_level: Sig<Local>,
    new_level_select: Vec<Sig<Local>>,
    new_above_level: Vec<Sig<Local>>,

    topologies: Konst,
    topology_field: Field,
    chunk_bits_field: Field,
    level_field: Field,
    address_field: Field,
    wrap_field: Field,
    dateline_bit: Param,
    torus_bit: Param,
    chunks: Param,
    cube: Param,
    cube_code: Param,
    cube_place: Param,
    fat_tree: Param,
    fat_tree_code: Param,
    fat_tree_place: Param,
    dragonfly: Param,
    dragonfly_code: Param,
    dragonfly_place: Param,
    about: About,
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
    let functions = built.topologies.len();
    let chunks = built.max_chunks as usize;
    let widths: Vec<usize> = built.chunk_bits.iter().map(|width| *width as usize).collect();
    let ((topology_low, topology_bits), (chunk_low, chunk_bits), (level_low, level_bits)) =
        (reduction.place("topology"), reduction.place("chunk_bits"), reduction.place("level"));
    let chunk_reset = reduction.field("chunk_bits").reset;
    let first_option = widths.iter().position(|width| *width == chunk_reset as usize).map_or(0u32, |i| 1 << i);

    let has = |topology| usize::from(built.has(topology));
    let (cube, fat_tree, dragonfly) = (has(Topology::Cube), has(Topology::FatTree), has(Topology::Dragonfly));
    let order = |topology| param(built.topologies.iter().position(|t| *t == topology).unwrap_or(0));
    let code = |topology| param(topology_code(topology) as usize);
    let several = usize::from(widths.len() > 1);
    let (dateline, torus, any_radix) =
        (usize::from(built.dateline), usize::from(built.full_radix), usize::from(built.any_radix()));

    let kept = [Some(&coordinate_low), wrap.as_ref()].into_iter().flatten();
    let kept = kept.fold(reduction.mask_but(&["dateline", "torus"]), |sum, register| sum | register.mask());
    Some(ReductionRegisters {
        clock: clock(),
        reset: flag().doc("synchronous reset, active high"),
        access: access(),
        answer: answer(),
        writing: flag().doc("one of these registers is written in this cycle"),
        settings: Bare(reduction_settings(address_bits, built)),
        was_known: flag_reg_no_reset().doc("the transfer of the cycle before is to one of these registers"),
        was_data: reg_no_reset(WORD - kept.leading_zeros() as usize).doc("its data"),
        was_chunk_select: many(several, || reg_no_reset(widths.len()).doc("its chunk width, decoded")),
        was_dateline: many(dateline, || flag_reg_no_reset().doc("its dateline field, which lies apart")),
        was_torus: many(torus, || flag_reg_no_reset().doc("its torus field, which lies apart")),
        topology: reg(topology_bits, 0u32).doc("field topology"),
        chunk_bits: reg(chunk_bits, chunk_reset).doc("field chunk_bits"),
        level: reg(level_bits, 0u32).doc("field level"),
        wrap_value: many(any_radix, || reg(chunks, 0u32).doc("register wrap")),
        dateline_value: many(dateline, || flag_reg(false).doc("field dateline")),
        torus_value: many(torus, || flag_reg(false).doc("field torus")),
        topology_decoded: reg(functions, 0u32).doc("field topology, decoded"),
        chunk_decoded: many(several, || reg(widths.len(), first_option).doc("field chunk_bits, decoded")),
        level_decoded: many(fat_tree, || reg(chunks, 1u32).doc("field level, decoded")),
        above_decoded: many(fat_tree, || {
            reg(chunks, (num_bigint::BigUint::from(1u8) << chunks) - 2u8).doc("field level, chunks above it")
        }),
        reduction_word: register_word(&reduction),
        coordinate_setting: address_setting(&coordinate_low, coordinate_high.as_ref(), "place of this switch"),
        bound_setting: bound_low
            .iter()
            .map(|low| address_setting(low, bound_high.as_ref(), "farthest coordinate in plus direction, by chunk"))
            .collect(),
        wrap_word: wrap.iter().map(register_word).collect(),
        option: widths.iter().map(|w| chunk_option(*w, address_bits.div_ceil(*w), chunk_bits, level_bits)).collect(),
        chunk_chosen: many(several, || sig(widths.len()).doc("chunk width in the data, one-hot")),
        chunk_fits: sig(widths.len()).doc("the same, if the level in the data goes with it"),
        asked_topology: sig(topology_bits).doc("topology in the data"),
        new_topology: sig(topology_bits).doc("topology to write"),
        new_topology_select: sig(functions).doc("the same, decoded"),
        new_level: sig(level_bits).doc("level to write"),
        new_level_select: many(fat_tree, || sig(chunks).doc("level to write, decoded")),
        new_above_level: many(fat_tree, || sig(chunks).doc("chunks above it")),
        topologies: konst(1 << topology_bits, reduction.choices("topology")),
        topology_field: field(topology_low, topology_bits),
        chunk_bits_field: field(chunk_low, chunk_bits),
        level_field: field(level_low, level_bits),
        address_field: field(0, low_bits),
        wrap_field: field(0, chunks),
        dateline_bit: param(if built.dateline { reduction.place("dateline").0 } else { 0 }),
        torus_bit: param(if built.full_radix { reduction.place("torus").0 } else { 0 }),
        chunks: param(chunks),
        cube: param(cube),
        cube_code: code(Topology::Cube),
        cube_place: order(Topology::Cube),
        fat_tree: param(fat_tree),
        fat_tree_code: code(Topology::FatTree),
        fat_tree_place: order(Topology::FatTree),
        dragonfly: param(dragonfly),
        dragonfly_code: code(Topology::Dragonfly),
        dragonfly_place: order(Topology::Dragonfly),
        about: about("reduction_registers", "Registers of node reduction: its settings, as written and decoded.")
            .param("address_bits", address_bits)
            .param("chunks", chunks),
    })
}

#[kernel]
impl ReductionRegisters {
    fn update(&mut self) {
        // The words, and which one the transfer is to; what it reads.
        Access::link(&mut self.access, &mut self.reduction_word.access);
        self.coordinate_setting.was_data.next = self.was_data.q.val() >> self.address_field.val();
        Access::link(&mut self.access, &mut self.coordinate_setting.access);
        self.answer.known.next = self.reduction_word.selected.val() | self.coordinate_setting.answer.known.val();
        self.answer.fits.next = self.coordinate_setting.answer.fits.val();
        self.answer.value.next = self.coordinate_setting.answer.value.val();
        for c in 0..self.bound_setting.len() {
            self.bound_setting[c].was_data.next = self.was_data.q.val() >> self.address_field.val();
            Access::link(&mut self.access, &mut self.bound_setting[c].access);
            self.answer.known.next = self.answer.known.val() | self.bound_setting[c].answer.known.val();
            self.answer.fits.next = self.answer.fits.val() | self.bound_setting[c].answer.fits.val();
            self.answer.value.next = self.answer.value.val() | self.bound_setting[c].answer.value.val();
            if let Some(bound) = &mut self.settings.bound {
                bound.next = self.bound_setting[c].setting.val();
            }
        }
        self.settings.coordinate.next = self.coordinate_setting.setting.val();
        for c in 0..self.wrap_word.len() {
            Access::link(&mut self.access, &mut self.wrap_word[c].access);
            self.answer.known.next = self.answer.known.val() | self.wrap_word[c].selected.val();
            self.answer.fits.next = self.answer.fits.val() | self.wrap_word[c].fits.val();
            if self.wrap_word[c].selected.val() {
                self.answer.value.next = unsigned_cast(self.wrap_value[c].q.val());
            }
        }

        // Register reduction: a function, a chunk width and a level that go together.
        for c in 0..self.chunk_chosen.len() {
            self.chunk_chosen[c].next = 0.into();
        }
        self.chunk_fits.next = 0.into();
        for u in 0..self.option.len() {
            self.option[u].chunk_bits.next = self.access.data.val() >> self.chunk_bits_field.val();
            self.option[u].level.next = self.access.data.val() >> self.level_field.val();
            for c in 0..self.chunk_chosen.len() {
                self.chunk_chosen[c].next = self.chunk_chosen[c].val().replace_bit(u, self.option[u].chosen.val());
            }
            self.chunk_fits.next = self.chunk_fits.val().replace_bit(u, self.option[u].fits.val());
        }
        self.asked_topology.next = self.access.data.val() >> self.topology_field.val();
        if self.reduction_word.fits.val() {
            self.answer.fits.next =
                self.topologies.val().get_bit(self.asked_topology.val()) & self.chunk_fits.val().any();
        }
        if self.reduction_word.selected.val() {
            self.answer.value.next =
                self.answer.value.val().replace_bit(self.topology_field.val(), self.topology.q.val());
            self.answer.value.next =
                self.answer.value.val().replace_bit(self.chunk_bits_field.val(), self.chunk_bits.q.val());
            self.answer.value.next = self.answer.value.val().replace_bit(self.level_field.val(), self.level.q.val());
            for d in 0..self.dateline_value.len() {
                self.answer.value.next =
                    self.answer.value.val().replace_bit(self.dateline_bit.val(), self.dateline_value[d].q.val());
            }
            for t in 0..self.torus_value.len() {
                self.answer.value.next =
                    self.answer.value.val().replace_bit(self.torus_bit.val(), self.torus_value[t].q.val());
            }
        }

        // What is kept of a setup for the access phase.
        self.was_known.d.next = self.answer.known.val();
        self.was_data.d.next = unsigned_cast(self.access.data.val());
        for c in 0..self.was_chunk_select.len() {
            self.was_chunk_select[c].d.next = self.chunk_chosen[c].val();
        }
        for d in 0..self.was_dateline.len() {
            self.was_dateline[d].d.next = self.access.data.val().get_bit(self.dateline_bit.val());
        }
        for t in 0..self.was_torus.len() {
            self.was_torus[t].d.next = self.access.data.val().get_bit(self.torus_bit.val());
        }

        // Access: register reduction, and what it means.
        self.writing.next = self.was_known.q.val() & self.access.write.val();
        self.new_level.next = self.was_data.q.val() >> self.level_field.val();
        self.new_topology.next = self.was_data.q.val() >> self.topology_field.val();
        self.new_topology_select.next = 0.into();
        for t in 0..self.cube.val() {
            self.new_topology_select.next = self
                .new_topology_select
                .val()
                .replace_bit(t + self.cube_place.val(), self.new_topology.val() == self.cube_code.val());
        }
        for t in 0..self.fat_tree.val() {
            self.new_topology_select.next = self
                .new_topology_select
                .val()
                .replace_bit(t + self.fat_tree_place.val(), self.new_topology.val() == self.fat_tree_code.val());
        }
        for t in 0..self.dragonfly.val() {
            self.new_topology_select.next = self
                .new_topology_select
                .val()
                .replace_bit(t + self.dragonfly_place.val(), self.new_topology.val() == self.dragonfly_code.val());
        }
        if self.reduction_word.writing.val() {
            self.topology.d.next = self.new_topology.val();
            self.topology_decoded.d.next = self.new_topology_select.val();
            self.chunk_bits.d.next = self.was_data.q.val() >> self.chunk_bits_field.val();
            self.level.d.next = self.new_level.val();
        }
        for c in 0..self.chunk_decoded.len() {
            self.chunk_decoded[c].d.next = self.chunk_decoded[c].q.val();
            if self.reduction_word.writing.val() {
                self.chunk_decoded[c].d.next = self.was_chunk_select[c].q.val();
            }
            if let Some(chunk_select) = &mut self.settings.chunk_select {
                chunk_select.next = self.chunk_decoded[c].q.val();
            }
        }
        for c in 0..self.level_decoded.len() {
            self.new_level_select[c].next = 0.into();
            self.new_above_level[c].next = 0.into();
            for j in 0..self.chunks.val() {
                if self.new_level.val() == j {
                    self.new_level_select[c].next = self.new_level_select[c].val().replace_bit(j, true);
                }
            }
            for j in 1..self.chunks.val() {
                if self.new_level.val() < j {
                    self.new_above_level[c].next = self.new_above_level[c].val().replace_bit(j, true);
                }
            }
            self.level_decoded[c].d.next = self.level_decoded[c].q.val();
            self.above_decoded[c].d.next = self.above_decoded[c].q.val();
            if self.reduction_word.writing.val() {
                self.level_decoded[c].d.next = self.new_level_select[c].val();
                self.above_decoded[c].d.next = self.new_above_level[c].val();
            }
            if let Some(level_select) = &mut self.settings.level_select {
                level_select.next = self.level_decoded[c].q.val();
            }
            if let Some(above_level) = &mut self.settings.above_level {
                above_level.next = self.above_decoded[c].q.val();
            }
        }
        for d in 0..self.dateline_value.len() {
            self.dateline_value[d].d.next = self.dateline_value[d].q.val();
            if self.reduction_word.writing.val() {
                self.dateline_value[d].d.next = self.was_dateline[d].q.val();
            }
            if let Some(dateline) = &mut self.settings.dateline {
                dateline.next = self.dateline_value[d].q.val();
            }
        }
        for t in 0..self.torus_value.len() {
            self.torus_value[t].d.next = self.torus_value[t].q.val();
            if self.reduction_word.writing.val() {
                self.torus_value[t].d.next = self.was_torus[t].q.val();
            }
            if let Some(torus) = &mut self.settings.torus {
                torus.next = self.torus_value[t].q.val();
            }
        }
        self.settings.topology_select.next = self.topology_decoded.q.val();

        // Access: register wrap.
        for c in 0..self.wrap_value.len() {
            self.wrap_value[c].d.next = self.wrap_value[c].q.val();
            if self.wrap_word[c].writing.val() {
                self.wrap_value[c].d.next = self.was_data.q.val() >> self.wrap_field.val();
            }
            if let Some(wrap) = &mut self.settings.wrap {
                wrap.next = self.wrap_value[c].q.val();
            }
        }
    }
}
