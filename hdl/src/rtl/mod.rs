//! Registers, wires and memories whose sizes are chosen at run time, and the Verilog back-end.
//!
//! # How to write a block
//!
//! A block is a struct with `#[derive(LogicBlock)]`, a constructor function that sizes it, and one kernel:
//! `impl Logic` with `#[hdl_gen] fn update`. The kernel is ordinary Rust and runs as such in the simulator; rust-hdl's
//! macro also turns it into a syntax tree, from which [`emit`](verilog::emit) prints Verilog of the same meaning.
//!
//! ```
//! use railyard_hdl::rtl::prelude::*;
//!
//! /// Counts pulses per lane; adds nothing while frozen.
//! #[derive(LogicBlock)]
//! pub struct LaneCounters {
//!     pub clock: ClockIn,
//!     pub reset: Flag<In>,
//!     pub freeze: Flag<In>,
//!     pub pulse: Vec<Flag<In>>,
//!     pub total: Vec<Sig<Out>>,
//!     pub busiest: Sig<Out>,
//!     count: Regs,
//!     lanes: Param,
//!     about: About,
//! }
//!
//! pub fn lane_counters(lanes: usize, width: usize) -> LaneCounters {
//!     LaneCounters {
//!         clock: clock(),
//!         reset: flag().doc("synchronous, active high"),
//!         freeze: flag().doc("no counting in this cycle"),
//!         pulse: many(lanes, || flag().doc("count one, per lane")),
//!         total: many(lanes, || sig(width).doc("pulses since reset, per lane")),
//!         busiest: sig(width).doc("the largest total"),
//!         count: regs(lanes, width, 0u32),
//!         lanes: param(lanes),
//!         about: about("lane_counters", "Counts pulses per lane; adds nothing while frozen.")
//!             .param("lanes", lanes)
//!             .param("width", width),
//!     }
//! }
//!
//! impl Logic for LaneCounters {
//!     #[hdl_gen]
//!     fn update(&mut self) {
//!         dff_setup!(self, clock, count);
//!         self.busiest.next = 0.into();
//!         for i in 0..self.lanes.val() {
//!             if self.pulse[i].val() & !self.freeze.val() {
//!                 self.count.d[i].next = self.count.q[i].val() + 1;
//!             }
//!             self.total[i].next = self.count.q[i].val();
//!             if self.count.q[i].val() > self.busiest.val() {
//!                 self.busiest.next = self.count.q[i].val();
//!             }
//!         }
//!     }
//! }
//!
//! let mut bench = Bench::new(lane_counters(3, 8), |b| &mut b.clock);
//! bench.reset.next = true;
//! bench.cycle();
//! bench.reset.next = false;
//! bench.pulse[1].next = true;
//! bench.cycle();
//! bench.cycle();
//! assert_eq!(bench.total[1].val(), 2);
//! assert_eq!(bench.busiest.val(), 2);
//! ```
//!
//! ## Fields
//! | field | made by | read | write |
//! | --- | --- | --- | --- |
//! | `ClockIn` | `clock()` | `.val()` | `sub.clock.next = self.clock.val()` |
//! | `Flag<In / Out / Local>`: one bit, a `bool` | `flag()` | `.val()` | `.next = a & !b` |
//! | `Sig<..>`: a vector of any width, a [`Value`] | `sig(width)` | `.val()` | `.next = ..` |
//! | `Vec<Flag<..>>`, `Vec<Sig<..>>`: a packed vector in Verilog | `many(n, \|\| sig(width))` | `[i].val()`, `[self.select.val()].val()` | `[i].next = ..` |
//! | `Reg`, `FlagReg`, `Regs` (array): registers | `reg(w, reset)`, `reg_no_reset(w)`, `flag_reg(reset)`, `regs(n, w, reset)` .. | `.q.val()`, `.q[i].val()` | `.d.next = ..`, `.d[i].next = ..` |
//! | `Ram`: memory, one write and one synchronous read port | `ram(depth, width)` | `.read_data.val()` | its other ports |
//! | another block, or a `Vec` of blocks | its constructor | `self.arbiter[i].grant.val()` | `self.arbiter[i].request.next = ..` |
//! | `Param`: a number fixed at elaboration, a `usize` | `param(n)` | `.val()` | |
//! | `Konst`: a constant vector | `konst(width, value)` | `.val()` | |
//! | `Field`: a slice of a word | `field(lsb, width)` | `word.val() >> self.f.val()` | `word.val().replace_bit(self.f.val(), x)` |
//! | `About`: name and meaning, for the module's header | `about(name, doc).param(..)` | | |
//! | a [`bundle`] with `#[derive(LogicInterface)]` | your constructor | field by field | `Bundle::<In>::link(&mut self.x, &mut self.sub.x)` |
//!
//! Fields whose name starts with `_` are plain Rust and unknown to the kernel's Verilog. Signals take `.doc("one line")`.
//!
//! ## What a kernel may contain
//! - Assignments `self.signal.next = expression;`. Later assignments override earlier ones; reading a `Local` or `Out`
//!   signal gives what was assigned so far. **Give every signal a value on every path** (a default first): what is not
//!   assigned would be a latch and is an error. Widths must agree; a number literal takes the width it needs
//!   (`0.into()` where it stands alone).
//! - `if` / `else if` / `else` over `bool`s (`&`, `|`, `!`, `&&`, `||`, comparisons, `.any()`, `.get_bit(..)`).
//! - `match value.index() { 0 => {..} IDLE => {..} _ => {..} }` with numbers, or Rust `const`s made known by
//!   `about(..).constant("IDLE", IDLE)`.
//! - `for i in a..b { }`, bounds from numbers and `self.n.val()` or `.len()` but **not** from an outer index (write
//!   `if j < i { }` inside instead). It stays a `for` loop in Verilog, unless it has one round or copies whole vectors.
//! - Index arithmetic over loop indices, numbers and `Param`s: `+ - * << >>` (and `/ %` inside `[..]` only), as in `self.node[2 * i + 1]`,
//!   `self.cell[i * self.columns.val() + j]`; as values too (`self.x.val() == i`), and in conditions (`if i + 1 < self.n.val()`).
//! - `+ - & | ^ ! << >> == != < <= > >=`, `.any()`, `.all()`, `.xor()`, `.get_bit(i)`, `.get_bit(self.sel.val())`,
//!   `.replace_bit(i, flag)`, `.replace_bit(i * w, vector)`. Sums wrap at their width.
//! - Slices: `unsigned_cast(self.flit[i].val() >> self.lsb.val())` takes as many bits as the assigned signal (or the other
//!   operand) is wide; `self.flit[i].val() >> self.field.val()` as many as the `Field` says; `bit_cast_to(x, self.w.val())`
//!   gives a width explicitly, but its arguments may not contain a loop index. All three zero-extend as well.
//! - Not: `let`, functions, closures, `if` as a value. Name a `Local` signal instead.
//!
//! ## How do I write ..
//! - **a concatenation**: default, then fields: `self.word.next = 0.into(); self.word.next =
//!   self.word.val().replace_bit(self.tag.val(), self.x.val());` prints `word[23:8] = x`. Or, in one expression,
//!   `(unsigned_cast(self.hi.val()) << self.low_width.val()) | unsigned_cast(self.lo.val())`.
//! - **a sum with its carry**: `self.sum.next = unsigned_cast(self.a.val()) + unsigned_cast(self.b.val());` is computed
//!   at the width of `sum`.
//! - **a flag from / to a vector**: `self.v.next = self.flag.val().into()` (one bit), `self.v.val().any()`.
//! - **a mux by one-hot select**: `self.y.next = 0.into(); for i in .. { if self.grant.val().get_bit(i) { self.y.next =
//!   self.y.val() | self.x[i].val(); } }`; **by binary select**: `self.x[self.select.val()].val()`.
//! - **one-hot from binary**: `for i in .. { self.hot[i].next = self.select.val() == i; }`.
//! - **lowest set bit**: `self.r.val() & (!self.r.val() + 1)`; bits below it: `!self.r.val() & (self.r.val() - 1)`.
//! - **priority**: a loop whose later assignments win, or the mask above.
//! - **a tree**: nodes in heap order in one `Vec<Sig<Local>>` (`self.node[i]` from `self.node[2 * i + 1]` and `self.node[2 * i
//!   + 2]`; leaves at the end), filled from the last node down: `for k in 0..n { self.node[n - 1 - k].next = .. }`.
//! - **a prefix network**: levels in one `Vec` (`self.p[(l + 1) * n + i]`), `if i >= (1 << l) { .. } else { .. }`.
//! - **anything else**: see [`expression`]: a function generic over [`expression::Algebra`] is called
//!   with `Value`s by a hand-written `update` and with `Expr`s by a hand-written `hdl`.
//!
//! ## In simulation and in Verilog
//! - [`Bench`] runs a block for a unit test, one `cycle` at a time (`Bench::combinational` for one without clock).
//! - An index chosen by a signal must be in range; a memory's word is undefined until written, and while it is written.
//! - What is not read should not be there: lint tools report bits of inputs and wires that nobody uses. Outputs of
//!   sub-blocks may stay unread (their nets are named `.._unused`).
//! - Names must not be Verilog or SystemVerilog keywords (`input`, `output`, `begin`, `bit`, `program` ..);
//!   `next` and `val` are taken by the signals themselves.
//! - An array of sub-blocks of one shape becomes a `generate` loop and its ports packed vectors, `arbiter_grant[k*W +: W]`;
//!   arrays of unlike elements are taken apart (`stage_0`, `stage_1`) and loops over them unrolled.
//!
//! Sub-blocks get `clock` and `reset` by assignment; registers by `dff_setup!` (which needs ports `clock` and `reset`).

pub mod bench;
pub mod bundle;
pub mod constant;
pub mod expression;
pub mod memory;
pub mod names;
pub mod part;
pub mod register;
pub mod signal;
pub mod value;
pub mod verilog;

pub use bench::Bench;
pub use bundle::{Array, Bare, Opposite, Side};
pub use constant::{about, field, konst, param, About, Field, Konst, Param};
pub use memory::{ram, Ram};
pub use register::{flag_reg, flag_reg_no_reset, reg, reg_no_reset, regs, regs_no_reset, FlagReg, Reg, Regs};
pub use signal::{clock, flag, many, sig, ClockIn, Flag, Sig};
pub use value::{bit_cast_to, unsigned_cast, Value};
pub use verilog::{emit, Design, ElaborationError, Module, Port, PortDirection};

/// Everything a block's file needs.
pub mod prelude {
    pub use super::part::Plain as _;
    pub use super::*;
    pub use crate::dff_setup;
    pub use railyard_hdl_macros::{block, bundle, group, kernel};
    pub use rust_hdl::core::prelude::{
        ast, block, clog2, hdl_gen, logic, probe, Block, In, Local, Logic, LogicBlock, LogicInterface, LogicJoin,
        LogicLink, Out, Verilog,
    };
}
