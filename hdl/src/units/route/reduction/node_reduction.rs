//! Node reduction: destinations that leave the switch by the same link get the same key. Switchable at run time between
//! the functions and chunk widths built in.
//!
//! State: `ranks` ranks of registers.
//! - 0: the unit is combinational.
//! - 1: the key is a register.
//! - 2: a stage of its own compares and, for the cube, searches the lowest chunk that differs, for all chunk widths.
//! - 3: comparison and search are a stage each.
//!
//! An *open* unit has the same stages, but no register behind the key: the block that uses the key has the register.
//! `routed` is a register in an open unit, too, one cycle behind the setting. So `routed` comes early in the cycle. The
//! delay has no effect where a write of a setting is a flush. `clear` (reset) sets `routed` to 0.
//!
//! Each cycle: the destination is compared with `coordinate` and `bound` in chunks of all widths at once. In the last
//! stage each function makes its key of this, and `topology_select` chooses one: settings other than `coordinate` and
//! `bound` act there.
//!
//! Source: switch reference, section 4.6; Hirasawa2022, 5.2.

use crate::units::prelude::*;

/// Node reduction: makes a key of a destination, the same for all that leave by one link.
#[block]
pub struct NodeReduction {
    pub clock: ClockIn,
    /// No key is there in the next cycle.
    pub clear: Option<Flag<In>>,
    /// Destination address.
    pub destination: Sig<In>,
    pub settings: Bare<ReductionWires<In>>,
    /// Key of the destination.
    pub key: Sig<Out>,
    /// A function is at work, and the key is meaningful.
    pub routed: Flag<Out>,

    compared_differs: Vec<Reg>,
    compared_inside: Vec<Reg>,
    compared_over: Vec<Reg>,
    compared_destination: Option<Reg>,
    /// Result of the search: lowest chunk that differs plus 1.
    searched_number: Vec<Reg>,
    /// Result of the search: the destination is outside in the chunk.
    searched_outside: Option<Reg>,
    searched_over: Option<Reg>,
    searched_differs: Vec<Reg>,
    searched_destination: Option<Reg>,
    /// Key of the destination.
    result_key: Option<Reg>,
    result_routed: Option<FlagReg>,

    compare: ChunkCompare,
    search: Vec<LowestNumber>,
    cube: Option<CubeReduction>,
    cube_select: Option<CubeSelect>,
    fat_tree: Option<FatTreeReduction>,
    dragonfly: Option<DragonflyReduction>,

    search_differs: Vec<Sig<Local>>,
    search_inside: Vec<Sig<Local>>,
    search_over: Vec<Sig<Local>>,
    /// Destination, in the stage of the search.
    search_destination: Option<Sig<Local>>,
    /// The destination is outside in the lowest chunk that differs, by chunk width.
    outside: Option<Sig<Local>>,
    over: Option<Sig<Local>>,
    differs: Vec<Sig<Local>>,
    /// Destination, in the last stage.
    last_destination: Option<Sig<Local>>,
    /// Function whose key is taken.
    at_work: Sig<Local>,
    /// Key of the function at work.
    made: Sig<Local>,

    alone: bool,
    cube_place: usize,
    fat_tree_place: usize,
    dragonfly_place: usize,
    address_bits: Param,
    #[listed(cube)]
    has_cube: Param<bool>,
    #[listed(fat_tree)]
    has_fat_tree: Param<bool>,
    #[listed(dragonfly)]
    has_dragonfly: Param<bool>,
    chunk_bits: Param,
    ranks: Param,
    dateline: Param<Option<usize>>,
    full_radix: Param<Option<usize>>,
}

/// Node reduction of the given shape with `ranks` ranks of registers, 0 to 3.
pub fn node_reduction(address_bits: usize, reduction: &ReductionShape, ranks: usize) -> NodeReduction {
    with_result(address_bits, reduction, ranks, false)
}

/// Open node reduction: stages as with `ranks` ranks of registers, without the last of them, which is in another block.
pub fn open_node_reduction(address_bits: usize, reduction: &ReductionShape, ranks: usize) -> NodeReduction {
    with_result(address_bits, reduction, ranks, true)
}

/// What is built in, and how wide.
struct Sizes {
    /// Bits of what fat tree and dragonfly take of the destination.
    digit_address_bits: usize,
    /// Chunk widths, and chunks of an address by width.
    widths: Vec<usize>,
    chunks: Vec<usize>,
    order: ComparedOrder,
    cube: bool,
    digits: bool,
    /// The unit reports chunks above the bound or over the end of a ring.
    overs: bool,
    /// Ranks of registers behind the comparison and behind the search.
    cut: bool,
    late_cut: bool,
}

impl Sizes {
    fn new(address_bits: usize, reduction: &ReductionShape, ranks: usize) -> Sizes {
        let widths: Vec<usize> = reduction.chunk_bits.iter().map(|w| *w as usize).collect();
        let fat_tree = reduction.has(Topology::FatTree);
        let narrow = || dragonfly_address_bits(address_bits, &widths);
        Sizes {
            digit_address_bits: if fat_tree { address_bits } else { narrow() },
            chunks: widths.iter().map(|w| address_bits.div_ceil(*w)).collect(),
            order: match (reduction.any_radix(), reduction.full_radix) {
                (true, _) => ComparedOrder::Bounds,
                (_, true) => ComparedOrder::Rings,
                _ => ComparedOrder::None,
            },
            cube: reduction.has(Topology::Cube),
            digits: fat_tree || reduction.has(Topology::Dragonfly),
            overs: reduction.dateline || reduction.full_radix,
            cut: ranks == 3,
            late_cut: ranks >= 2,
            widths,
        }
    }

    /// A wire of so many bits as there are chunks for each width, if there is need.
    fn wires(&self, there: bool, doc: &'static str) -> Vec<Sig<Local>> {
        self.chunks.iter().filter(|_| there).map(|chunks| sig(*chunks).doc(doc)).collect()
    }

    /// The same of registers.
    fn registers(&self, there: bool, doc: &'static str) -> Vec<Reg> {
        self.chunks.iter().filter(|_| there).map(|chunks| reg_no_reset(*chunks).doc(doc)).collect()
    }

    fn of_order(&self, bounds: &'static str, rings: &'static str) -> &'static str {
        if self.order == ComparedOrder::Rings {
            rings
        } else {
            bounds
        }
    }
}

/// The registers behind the comparison; nothing else is sized.
fn compared(of: &Sizes) -> NodeReduction {
    let inside = of.of_order(
        "Compared: chunks above one of coordinate and bound.",
        "Compared: chunks in which plus is shorter around the ring.",
    );
    let over = of.of_order(
        "Compared: chunks above the bound.",
        "Compared: chunks in which the shorter way leads over the ring's end.",
    );
    let destination = || reg_no_reset(of.digit_address_bits).doc("Compared: destination.");
    NodeReduction {
        compared_differs: of.registers(of.cut, "Compared: chunks that differ."),
        compared_inside: of.registers(of.cut && of.cube, inside),
        compared_over: of.registers(of.cut && of.overs, over),
        compared_destination: (of.cut && of.digits).then(destination),
        ..NodeReduction::plain()
    }
}

/// The search, its wires and the registers behind it, with those behind the comparison.
fn searched(of: &Sizes) -> NodeReduction {
    let late_cube = of.late_cut && of.cube;
    let late_overs = of.late_cut && of.overs;
    let late_digits = of.late_cut && of.digits;
    let search = |chunks: &usize| if of.overs { lowest_number_of_three(*chunks) } else { lowest_number(*chunks) };
    let destination = || reg_no_reset(of.digit_address_bits).doc("Searched: destination.");
    let searched_over = of.of_order(
        "Searched: the destination is above the bound in the chunk.",
        "Searched: the shorter way leads over the ring's end.",
    );
    let search_inside = of.of_order(
        "Chunks above one of coordinate and bound, for the search.",
        "Chunks in which plus is shorter around the ring, for the search.",
    );
    let search_over = of.of_order(
        "Chunks above the bound, for the search.",
        "Chunks in which the shorter way leads over the ring's end, for the search.",
    );
    let over = of.of_order(
        "The destination is above the bound in the lowest chunk that differs, by chunk width.",
        "The shorter way leads over the ring's end in the lowest chunk that differs, by chunk width.",
    );
    NodeReduction {
        search: of.chunks.iter().filter(|_| late_cube).map(search).collect(),
        search_differs: of.wires(true, "Chunks that differ, for the search."),
        search_inside: of.wires(late_cube, search_inside),
        search_over: of.wires(late_overs, search_over),
        search_destination: of.digits.then(|| sig(of.digit_address_bits)),
        outside: late_cube.then(|| sig(of.widths.len())),
        over: late_overs.then(|| sig(of.widths.len()).doc(over)),
        searched_number: of.chunks.iter().filter(|_| late_cube).map(|c| reg_no_reset(clog2(c + 1))).collect(),
        searched_outside: late_cube.then(|| reg_no_reset(of.widths.len())),
        searched_over: late_overs.then(|| reg_no_reset(of.widths.len()).doc(searched_over)),
        searched_differs: of.registers(late_digits, "Searched: chunks that differ."),
        searched_destination: late_digits.then(destination),
        differs: of.wires(of.digits, "Chunks that differ, for the last stage."),
        last_destination: of.digits.then(|| sig(of.digit_address_bits)),
        ..compared(of)
    }
}

fn with_result(address_bits: usize, reduction: &ReductionShape, ranks: usize, open: bool) -> NodeReduction {
    assert!(ranks <= 3, "node reduction has at most 3 stages");
    let of = Sizes::new(address_bits, reduction, ranks);
    let key_bits = reduction.key_bits as usize;
    let result = ranks > 0 && !open;
    let has = |topology| reduction.has(topology);
    let (cube, fat_tree, dragonfly) = (has(Topology::Cube), has(Topology::FatTree), has(Topology::Dragonfly));
    let place = |topology| reduction.topologies.iter().position(|t| *t == topology).unwrap_or(0);
    NodeReduction {
        clear: open.then(flag),
        destination: sig(address_bits),
        settings: ReductionWires {
            topology_select: sig(reduction.topologies.len()).doc("Function at work; zero if none."),
            ..reduction_wires(address_bits, reduction)
        },
        key: sig(key_bits),
        result_key: result.then(|| reg_no_reset(key_bits)),
        result_routed: match open {
            false => result.then(|| flag_reg_no_reset().doc("A key is there.")),
            true => Some(flag_reg_no_reset().doc("A function was at work in the cycle before.")),
        },
        compare: chunk_compare(address_bits, &of.widths, of.order),
        cube: (!of.late_cut && cube).then(|| cube_reduction(address_bits, reduction)),
        cube_select: (of.late_cut && cube).then(|| cube_select(address_bits, reduction)),
        fat_tree: fat_tree.then(|| fat_tree_reduction(address_bits, &of.widths)),
        dragonfly: dragonfly.then(|| dragonfly_reduction(address_bits, &of.widths)),
        at_work: sig(reduction.topologies.len()),
        made: sig(key_bits),
        alone: reduction.topologies.len() == 1,
        cube_place: place(Topology::Cube),
        fat_tree_place: place(Topology::FatTree),
        dragonfly_place: place(Topology::Dragonfly),
        address_bits,
        has_cube: cube,
        has_fat_tree: fat_tree,
        has_dragonfly: dragonfly,
        chunk_bits: of.widths.iter().fold(0, |sum, w| sum * 10 + w),
        ranks,
        dateline: reduction.dateline.then_some(1),
        full_radix: reduction.full_radix.then_some(1),
        ..searched(&of)
    }
}

#[kernel]
impl NodeReduction {
    fn update(&mut self) {
        self.compare();
        self.hand_destination_on();
        self.search();
        self.search_over();
        self.hand_search_on();
        self.choose();
        self.reduce_cube();
        self.select_cube();
        self.reduce_fat_tree();
        self.reduce_dragonfly();
        self.show();
    }

    fn compare(&mut self) {
        self.compare.word.next = self.destination.val();
        self.compare.reference.next = self.settings.coordinate.val();
        if let (Some(to), Some(bound)) = (&mut self.compare.bound, &self.settings.bound) {
            to.next = bound.val();
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
    }

    fn hand_destination_on(&mut self) {
        if let Some(search) = &mut self.search_destination {
            search.next = unsigned_cast(self.destination.val());
            if let Some(compared) = &mut self.compared_destination {
                compared.d.next = unsigned_cast(self.destination.val());
                search.next = compared.q.val();
            }
        }
    }

    fn search(&mut self) {
        if let Some(outside) = &mut self.outside {
            outside.next = 0.into();
            for u in 0..self.search.len() {
                self.search[u].bits.next = self.search_differs[u].val();
                self.search[u].marks.next = self.search_inside[u].val();
                outside.set(u, self.search[u].any.val() & !self.search[u].mark.val());
            }
        }
    }

    fn search_over(&mut self) {
        if let Some(over) = &mut self.over {
            over.next = 0.into();
            for u in 0..self.search_over.len() {
                let search = &mut self.search[u];
                if let (Some(marks), Some(mark)) = (&mut search.more_marks, &search.more_mark) {
                    marks.next = self.search_over[u].val();
                    over.set(u, search.any.val() & mark.val());
                }
            }
        }
    }

    fn hand_search_on(&mut self) {
        for u in 0..self.searched_number.len() {
            self.searched_number[u].d.next = self.search[u].number.val();
        }
        if let (Some(searched_outside), Some(outside)) = (&mut self.searched_outside, &self.outside) {
            searched_outside.d.next = outside.val();
        }
        if let (Some(searched_over), Some(over)) = (&mut self.searched_over, &self.over) {
            searched_over.d.next = over.val();
        }
        for u in 0..self.differs.len() {
            self.differs[u].next = self.search_differs[u].val();
        }
        for u in 0..self.searched_differs.len() {
            self.searched_differs[u].d.next = self.search_differs[u].val();
            self.differs[u].next = self.searched_differs[u].q.val();
        }
        if let (Some(last), Some(search)) = (&mut self.last_destination, &self.search_destination) {
            last.next = search.val();
            if let Some(searched) = &mut self.searched_destination {
                searched.d.next = search.val();
                last.next = searched.q.val();
            }
        }
    }

    /// The function at work. Where one is built in, nothing needs to be chosen.
    fn choose(&mut self) {
        self.at_work.next = self.settings.topology_select.val();
        if self.alone {
            self.at_work.next = 1.into();
        }
        self.made.next = 0.into();
    }

    fn reduce_cube(&mut self) {
        if let Some(cube) = &mut self.cube {
            for u in 0..self.search_differs.len() {
                cube.differs[u].next = self.compare.differs[u].val();
                cube.above[u].next = self.compare.above[u].val();
                cube.over[u].next = self.compare.over[u].val();
            }
            self.settings.wrap.link(&mut cube.wrap);
            self.settings.torus.link(&mut cube.torus);
            self.settings.dateline.link(&mut cube.dateline);
            self.settings.chunk_select.link(&mut cube.chunk_select);
            if self.at_work.val().get_bit(self.cube_place) {
                self.made.next = self.made.val() | unsigned_cast(cube.key.val());
            }
        }
    }

    fn select_cube(&mut self) {
        if let (Some(cube), Some(searched_outside)) = (&mut self.cube_select, &self.searched_outside) {
            for u in 0..self.searched_number.len() {
                cube.number[u].next = self.searched_number[u].q.val();
            }
            cube.outside.next = searched_outside.q.val();
            if let (Some(over), Some(searched_over)) = (&mut cube.over, &self.searched_over) {
                over.next = searched_over.q.val();
            }
            self.settings.wrap.link(&mut cube.wrap);
            self.settings.torus.link(&mut cube.torus);
            self.settings.dateline.link(&mut cube.dateline);
            self.settings.chunk_select.link(&mut cube.chunk_select);
            if self.at_work.val().get_bit(self.cube_place) {
                self.made.next = self.made.val() | unsigned_cast(cube.key.val());
            }
        }
    }

    fn reduce_fat_tree(&mut self) {
        if let (Some(fat_tree), Some(destination), Some(level), Some(above)) =
            (&mut self.fat_tree, &self.last_destination, &self.settings.level_select, &self.settings.above_level)
        {
            fat_tree.destination.next = destination.val();
            for u in 0..self.differs.len() {
                fat_tree.differs[u].next = self.differs[u].val();
            }
            fat_tree.level_select.next = level.val();
            fat_tree.above_level.next = above.val();
            self.settings.chunk_select.link(&mut fat_tree.chunk_select);
            if self.at_work.val().get_bit(self.fat_tree_place) {
                self.made.next = self.made.val() | unsigned_cast(fat_tree.key.val());
            }
        }
    }

    fn reduce_dragonfly(&mut self) {
        if let (Some(dragonfly), Some(destination)) = (&mut self.dragonfly, &self.last_destination) {
            dragonfly.destination.next = unsigned_cast(destination.val());
            for u in 0..self.differs.len() {
                dragonfly.differs[u].next = self.differs[u].val();
            }
            self.settings.chunk_select.link(&mut dragonfly.chunk_select);
            if self.at_work.val().get_bit(self.dragonfly_place) {
                self.made.next = self.made.val() | unsigned_cast(dragonfly.key.val());
            }
        }
    }

    fn show(&mut self) {
        self.key.next = self.made.val();
        self.routed.next = self.settings.topology_select.val().any();
        if let Some(key) = &mut self.result_key {
            key.d.next = self.made.val();
            self.key.next = key.q.val();
        }
        if let Some(routed) = &mut self.result_routed {
            routed.d.next = self.settings.topology_select.val().any();
            if let Some(clear) = &self.clear {
                routed.d.next = self.settings.topology_select.val().any() & !clear.val();
            }
            self.routed.next = routed.q.val();
        }
    }
}

#[cfg(test)]
mod tests;
