//! Node reduction: destinations that leave the switch by the same link get the same key. Switchable at run time between
//! the functions and chunk widths built in.
//!
//! | port | width | meaning |
//! | --- | --- | --- |
//! | `destination` | A | destination address |
//! | `settings` | | [`ReductionSettings`] |
//! | `key`, `routed` | key bits, 1 | `ranks` cycles later (of an open unit, one less): the key; there is one |
//!
//! State: `ranks` ranks of registers; 0 leaves the unit combinational. With 1, the key is a register. With 2,
//! comparison, and for the cube the search of the lowest chunk that differs, for all chunk widths, are a stage of their own;
//! with 3 they are two. An *open* unit has the same stages, but no register behind the key: whoever takes it has one. Its `routed` is
//! a register all the same, a cycle behind the setting, so that it comes early to what it chooses; for whoever takes a write of a
//! setting as a flush, that is no difference. `clear` (reset) makes it 0.
//!
//! Each cycle: the destination is compared with `coordinate` and `bound` in chunks of all widths at once. In the last
//! stage each function makes its key of this, and `topology_select` chooses one: settings other than `coordinate` and `bound` act there.
//!
//! Source: switch reference, section 4.6; seed 000 section 5.2.

use crate::parts::chunk_compare::{chunk_compare, ChunkCompare, Order};
use crate::parts::lowest_number::{lowest_number, lowest_number_of_three, LowestNumber};
use crate::rtl::prelude::*;
use crate::units::route::reduction::cube_reduction::{cube_reduction, reduction_params, CubeReduction};
use crate::units::route::reduction::cube_select::{cube_select, CubeSelect};
use crate::units::route::reduction::dragonfly_reduction::{
    dragonfly_address_bits, dragonfly_reduction, DragonflyReduction,
};
use crate::units::route::reduction::fat_tree_reduction::{fat_tree_reduction, FatTreeReduction};
use crate::units::route::reduction::reduction_settings::{reduction_settings, ReductionSettings};
use railyard_spec::{ReductionShape, Topology};

/// The key of a destination; see the head of this file.
#[block]
pub struct NodeReduction {
    pub clock: ClockIn,
    pub clear: Vec<Flag<In>>,
    pub destination: Sig<In>,
    #[bare]
    pub settings: ReductionSettings<In>,
    pub key: Sig<Out>,
    pub routed: Flag<Out>,

    compared_differs: Vec<Reg>,
    compared_inside: Vec<Reg>,
    compared_over: Vec<Reg>,
    compared_destination: Vec<Reg>,
    searched_number: Vec<Reg>,
    searched_outside: Vec<Reg>,
    searched_over: Vec<Reg>,
    searched_differs: Vec<Reg>,
    searched_destination: Vec<Reg>,
    result_key: Vec<Reg>,
    result_routed: Vec<FlagReg>,

    compare: ChunkCompare,
    search: Vec<LowestNumber>,
    cube: Vec<CubeReduction>,
    cube_select: Vec<CubeSelect>,
    fat_tree: Vec<FatTreeReduction>,
    dragonfly: Vec<DragonflyReduction>,

    search_differs: Vec<Sig<Local>>,
    search_inside: Vec<Sig<Local>>,
    search_over: Vec<Sig<Local>>,
    search_destination: Vec<Sig<Local>>,
    outside: Vec<Sig<Local>>,
    over: Vec<Sig<Local>>,
    differs: Vec<Sig<Local>>,
    last_destination: Vec<Sig<Local>>,
    at_work: Sig<Local>,
    made: Sig<Local>,

    alone: Param,
    cube_place: Param,
    fat_tree_place: Param,
    dragonfly_place: Param,
    about: About,
}

/// Node reduction of the given shape with `ranks` ranks of registers, 0 to 3.
pub fn node_reduction(address_bits: usize, reduction: &ReductionShape, ranks: usize) -> NodeReduction {
    with_result(address_bits, reduction, ranks, false)
}

/// Open node reduction: stages as with `ranks` ranks of registers, the last of which is somebody else's.
pub fn open_node_reduction(address_bits: usize, reduction: &ReductionShape, ranks: usize) -> NodeReduction {
    with_result(address_bits, reduction, ranks, true)
}

fn with_result(address_bits: usize, reduction: &ReductionShape, ranks: usize, open: bool) -> NodeReduction {
    assert!(ranks <= 3, "node reduction has at most 3 stages");
    let widths: Vec<usize> = reduction.chunk_bits.iter().map(|w| *w as usize).collect();
    let key_bits = reduction.key_bits as usize;
    let chunks: Vec<usize> = widths.iter().map(|w| address_bits.div_ceil(*w)).collect();
    let has = |topology| reduction.has(topology);
    let (cube, fat_tree, dragonfly) =
        (usize::from(has(Topology::Cube)), usize::from(has(Topology::FatTree)), usize::from(has(Topology::Dragonfly)));
    let place = |topology| reduction.topologies.iter().position(|t| *t == topology).unwrap_or(0);
    let digits = usize::from(fat_tree + dragonfly > 0);
    let digit_address_bits = if fat_tree == 1 { address_bits } else { dragonfly_address_bits(address_bits, &widths) };
    let overs = usize::from(reduction.dateline).max(usize::from(reduction.full_radix));
    let order = match (reduction.any_radix(), reduction.full_radix) {
        (true, _) => Order::Bounds,
        (_, true) => Order::Rings,
        _ => Order::None,
    };
    let result = usize::from(ranks > 0 && !open);
    let (cut, late_cut) = (usize::from(ranks == 3), usize::from(ranks >= 2));
    let by_width = |there: usize, doc: &'static str| -> Vec<Sig<Local>> {
        chunks.iter().take(there * chunks.len()).map(|c| sig(*c).doc(doc)).collect()
    };
    let regs_by_width = |there: usize, doc: &'static str| -> Vec<Reg> {
        chunks.iter().take(there * chunks.len()).map(|c| reg_no_reset(*c).doc(doc)).collect()
    };
    let numbers = |there: usize| chunks.iter().take(there * chunks.len()).map(|c| clog2(c + 1));
    let search = |c: &usize| if overs == 1 { lowest_number_of_three(*c) } else { lowest_number(*c) };
    let address = |doc: &'static str| reg_no_reset(digit_address_bits).doc(doc);
    let of_order = |bounds, rings| if order == Order::Rings { rings } else { bounds };
    let doc = "Node reduction: makes a key of a destination, the same for all that leave by one link.";
    let about = about("node_reduction", doc)
        .param("address_bits", address_bits)
        .param("cube", cube)
        .param("fat_tree", fat_tree)
        .param("dragonfly", dragonfly)
        .param("chunk_bits", widths.iter().fold(0, |sum, w| sum * 10 + w))
        .param("ranks", ranks);
    NodeReduction {
        clock: clock(),
        clear: many(usize::from(open), || flag().doc("there is no key in the next cycle")),
        destination: sig(address_bits).doc("destination address"),
        settings: ReductionSettings {
            topology_select: sig(reduction.topologies.len()).doc("function at work; zero: none"),
            ..reduction_settings(address_bits, reduction)
        },
        key: sig(key_bits).doc("key of the destination"),
        routed: flag().doc("there is one: a function is at work"),
        compared_differs: regs_by_width(cut, "compared: chunks that differ"),
        compared_inside: regs_by_width(
            cut * cube,
            of_order(
                "compared: chunks above one of coordinate and bound",
                "compared: chunks in which plus is shorter around the ring",
            ),
        ),
        compared_over: regs_by_width(
            cut * overs,
            of_order(
                "compared: chunks above bound",
                "compared: chunks in which the shorter way leads over the ring's end",
            ),
        ),
        compared_destination: many(cut * digits, || address("compared: destination")),
        searched_number: numbers(late_cut * cube)
            .map(|bits| reg_no_reset(bits).doc("searched: 1 + lowest chunk that differs"))
            .collect(),
        searched_outside: many(late_cut * cube, || reg_no_reset(widths.len()).doc("searched: outside in this chunk")),
        searched_over: many(late_cut * overs, || {
            reg_no_reset(widths.len()).doc(of_order(
                "searched: above bound in this chunk",
                "searched: the shorter way leads over the ring's end",
            ))
        }),
        searched_differs: regs_by_width(late_cut * digits, "searched: chunks that differ"),
        searched_destination: many(late_cut * digits, || address("searched: destination")),
        result_key: many(result, || reg_no_reset(key_bits).doc("key")),
        result_routed: match open {
            false => many(result, || flag_reg_no_reset().doc("there is one")),
            true => many(1, || flag_reg_no_reset().doc("a function was at work in the cycle before")),
        },
        compare: chunk_compare(address_bits, &widths, order),
        search: chunks.iter().take(late_cut * cube * chunks.len()).map(search).collect(),
        cube: many((1 - late_cut) * cube, || cube_reduction(address_bits, reduction)),
        cube_select: many(late_cut * cube, || cube_select(address_bits, reduction)),
        fat_tree: many(fat_tree, || fat_tree_reduction(address_bits, &widths)),
        dragonfly: many(dragonfly, || dragonfly_reduction(address_bits, &widths)),
        search_differs: by_width(1, "chunks that differ, for the search"),
        search_inside: by_width(
            late_cut * cube,
            of_order(
                "chunks above one of coordinate and bound, for the search",
                "chunks in which plus is shorter around the ring, for the search",
            ),
        ),
        search_over: by_width(
            late_cut * overs,
            of_order(
                "chunks above bound, for the search",
                "chunks in which the shorter way leads over the ring's end, for the search",
            ),
        ),
        search_destination: many(digits, || sig(digit_address_bits).doc("destination, in the stage of the search")),
        outside: many(late_cut * cube, || {
            sig(widths.len()).doc("outside in the lowest chunk that differs, by chunk width")
        }),
        over: many(late_cut * overs, || {
            sig(widths.len()).doc(of_order(
                "above bound in the lowest chunk that differs, by chunk width",
                "the shorter way leads over the ring's end in the lowest chunk that differs, by chunk width",
            ))
        }),
        differs: by_width(digits, "chunks that differ, for the last stage"),
        last_destination: many(digits, || sig(digit_address_bits).doc("destination, in the last stage")),
        at_work: sig(reduction.topologies.len()).doc("function whose key is taken"),
        made: sig(key_bits).doc("key of the function at work"),
        alone: param(usize::from(reduction.topologies.len() == 1)),
        cube_place: param(place(Topology::Cube)),
        fat_tree_place: param(place(Topology::FatTree)),
        dragonfly_place: param(place(Topology::Dragonfly)),
        about: reduction_params(about, reduction),
    }
}

#[kernel]
impl NodeReduction {
    fn update(&mut self) {
        // Compare.
        self.compare.word.next = self.destination.val();
        self.compare.reference.next = self.settings.coordinate.val();
        for c in 0..self.settings.bound.len() {
            self.compare.bound[c].next = self.settings.bound[c].val();
        }
        for u in 0..self.search_differs.len() {
            self.search_differs[u].next = self.compare.differs[u].val();
        }
        for u in 0..self.search_inside.len() {
            self.search_inside[u].next = self.compare.above[u].val() ^ self.compare.over[u].val();
        }
        for u in 0..self.compared_differs.len() {
            self.compared_differs[u].d.next = self.compare.differs[u].val();
            self.search_differs[u].next = self.compared_differs[u].q.val();
        }
        for u in 0..self.compared_inside.len() {
            self.compared_inside[u].d.next = self.compare.above[u].val() ^ self.compare.over[u].val();
            self.search_inside[u].next = self.compared_inside[u].q.val();
        }
        for u in 0..self.search_over.len() {
            self.search_over[u].next = self.compare.over[u].val();
        }
        for u in 0..self.compared_over.len() {
            self.compared_over[u].d.next = self.compare.over[u].val();
            self.search_over[u].next = self.compared_over[u].q.val();
        }
        for c in 0..self.search_destination.len() {
            self.search_destination[c].next = unsigned_cast(self.destination.val());
        }
        for c in 0..self.compared_destination.len() {
            self.compared_destination[c].d.next = unsigned_cast(self.destination.val());
            self.search_destination[c].next = self.compared_destination[c].q.val();
        }

        // Search.
        for c in 0..self.outside.len() {
            self.outside[c].next = 0.into();
        }
        for u in 0..self.search.len() {
            self.search[u].bits.next = self.search_differs[u].val();
            self.search[u].marks.next = self.search_inside[u].val();
            self.outside[0].next =
                self.outside[0].val().replace_bit(u, self.search[u].any.val() & !self.search[u].mark.val());
        }
        for c in 0..self.over.len() {
            self.over[c].next = 0.into();
        }
        for u in 0..self.search_over.len() {
            self.search[u].more_marks[0].next = self.search_over[u].val();
            self.over[0].next =
                self.over[0].val().replace_bit(u, self.search[u].any.val() & self.search[u].more_mark[0].val());
        }
        for u in 0..self.searched_number.len() {
            self.searched_number[u].d.next = self.search[u].number.val();
        }
        for c in 0..self.searched_outside.len() {
            self.searched_outside[c].d.next = self.outside[c].val();
        }
        for c in 0..self.searched_over.len() {
            self.searched_over[c].d.next = self.over[c].val();
        }
        for u in 0..self.differs.len() {
            self.differs[u].next = self.search_differs[u].val();
        }
        for u in 0..self.searched_differs.len() {
            self.searched_differs[u].d.next = self.search_differs[u].val();
            self.differs[u].next = self.searched_differs[u].q.val();
        }
        for c in 0..self.last_destination.len() {
            self.last_destination[c].next = self.search_destination[c].val();
        }
        for c in 0..self.searched_destination.len() {
            self.searched_destination[c].d.next = self.search_destination[c].val();
            self.last_destination[c].next = self.searched_destination[c].q.val();
        }

        // Keys of the functions, and the one at work. Where one is built in, nothing needs to be chosen.
        self.at_work.next = self.settings.topology_select.val();
        for a in 0..self.alone.val() {
            self.at_work.next = (a + 1).into();
        }
        self.made.next = 0.into();
        for c in 0..self.cube.len() {
            for u in 0..self.search_differs.len() {
                self.cube[c].differs[u].next = self.compare.differs[u].val();
                self.cube[c].above[u].next = self.compare.above[u].val();
                self.cube[c].over[u].next = self.compare.over[u].val();
            }
            for w in 0..self.settings.wrap.len() {
                self.cube[c].wrap[w].next = self.settings.wrap[w].val();
            }
            for t in 0..self.settings.torus.len() {
                self.cube[c].torus[t].next = self.settings.torus[t].val();
            }
            for d in 0..self.settings.dateline.len() {
                self.cube[c].dateline[d].next = self.settings.dateline[d].val();
            }
            if self.at_work.val().get_bit(self.cube_place.val()) {
                self.made.next = self.made.val() | unsigned_cast(self.cube[c].key.val());
            }
        }
        for c in 0..self.cube_select.len() {
            for u in 0..self.searched_number.len() {
                self.cube_select[c].number[u].next = self.searched_number[u].q.val();
            }
            self.cube_select[c].outside.next = self.searched_outside[c].q.val();
            for w in 0..self.settings.wrap.len() {
                self.cube_select[c].wrap[w].next = self.settings.wrap[w].val();
            }
            for t in 0..self.settings.torus.len() {
                self.cube_select[c].torus[t].next = self.settings.torus[t].val();
            }
            for d in 0..self.settings.dateline.len() {
                self.cube_select[c].dateline[d].next = self.settings.dateline[d].val();
            }
            for o in 0..self.searched_over.len() {
                self.cube_select[c].over[o].next = self.searched_over[o].q.val();
            }
            if self.at_work.val().get_bit(self.cube_place.val()) {
                self.made.next = self.made.val() | unsigned_cast(self.cube_select[c].key.val());
            }
        }
        for c in 0..self.fat_tree.len() {
            self.fat_tree[c].destination.next = self.last_destination[0].val();
            for u in 0..self.differs.len() {
                self.fat_tree[c].differs[u].next = self.differs[u].val();
            }
            self.fat_tree[c].level_select.next = self.settings.level_select[c].val();
            self.fat_tree[c].above_level.next = self.settings.above_level[c].val();
            if self.at_work.val().get_bit(self.fat_tree_place.val()) {
                self.made.next = self.made.val() | unsigned_cast(self.fat_tree[c].key.val());
            }
        }
        for c in 0..self.dragonfly.len() {
            self.dragonfly[c].destination.next = unsigned_cast(self.last_destination[0].val());
            for u in 0..self.differs.len() {
                self.dragonfly[c].differs[u].next = self.differs[u].val();
            }
            if self.at_work.val().get_bit(self.dragonfly_place.val()) {
                self.made.next = self.made.val() | unsigned_cast(self.dragonfly[c].key.val());
            }
        }
        for s in 0..self.settings.chunk_select.len() {
            for c in 0..self.cube.len() {
                self.cube[c].chunk_select[s].next = self.settings.chunk_select[s].val();
            }
            for c in 0..self.cube_select.len() {
                self.cube_select[c].chunk_select[s].next = self.settings.chunk_select[s].val();
            }
            for c in 0..self.fat_tree.len() {
                self.fat_tree[c].chunk_select[s].next = self.settings.chunk_select[s].val();
            }
            for c in 0..self.dragonfly.len() {
                self.dragonfly[c].chunk_select[s].next = self.settings.chunk_select[s].val();
            }
        }
        self.key.next = self.made.val();
        self.routed.next = self.settings.topology_select.val().any();
        for c in 0..self.result_key.len() {
            self.result_key[c].d.next = self.made.val();
            self.key.next = self.result_key[c].q.val();
        }
        for c in 0..self.result_routed.len() {
            self.result_routed[c].d.next = self.settings.topology_select.val().any();
            self.routed.next = self.result_routed[c].q.val();
        }
        for c in 0..self.clear.len() {
            self.result_routed[c].d.next = self.settings.topology_select.val().any() & !self.clear[c].val();
        }
    }
}

#[cfg(test)]
mod tests;
