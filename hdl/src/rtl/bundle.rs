//! Bundles: wires that belong together, as one field of a block and one statement of a kernel.
//!
//! A bundle is a struct with `#[derive(LogicInterface)]` over the direction in which it leads. Its two ends are
//! `Bundle<Out>` and `Bundle<In>`; a wire that leads the other way is `Flag<Opposite<D>>`.
//!
//! ```
//! use railyard_hdl::rtl::prelude::*;
//!
//! /// A request, until it is accepted.
//! #[derive(LogicInterface)]
//! #[join = "RequestEnd"]
//! pub struct Request<D: Side> {
//!     pub valid: Flag<D>,
//!     pub ready: Flag<Opposite<D>>,
//!     pub address: Sig<D>,
//!     pub urgent: Array<Flag<D>>,
//! }
//! type RequestEnd<D> = Request<Opposite<D>>;
//! ```
//!
//! In Verilog a wire of the field `request` is `request_valid`; in a field of type [`Bare`] it is plain `valid`.
//! `Request::<Out>::join(&mut self.asker.request, &mut self.answerer.request)` connects the two ends between sub-blocks,
//! `Request::<In>::link(&mut self.request, &mut self.sub.request)` hands a bundle on to a sub-block, or a sub-block's out of the block.
//! (Two elements of one array of sub-blocks are joined wire by wire: Rust does not lend the array twice.)
//!
//! A wire that is not always there is an [`Array`]. Where only one end has it, it is not connected: what is then missing at a sub-block
//! is found as an input that nobody drives.

use super::signal::{Carried, Wire};
use rust_hdl_core::ast::{VerilogLink, VerilogLinkDetails};
use rust_hdl_core::prelude::*;
use std::ops::{Deref, DerefMut};

/// The direction of a wire between blocks: [`In`] or [`Out`].
pub trait Side: Direction {
    /// What the wire is at its other end.
    type Opposite: Side<Opposite = Self>;
}

impl Side for In {
    type Opposite = Out;
}

impl Side for Out {
    type Opposite = In;
}

/// The direction at the other end.
pub type Opposite<D> = <D as Side>::Opposite;

fn is_input<D: Direction>() -> bool {
    D::KIND == AtomKind::InputParameter
}

fn details(my_name: &str, this: &str, that: &str) -> VerilogLinkDetails {
    VerilogLinkDetails { my_name: my_name.into(), owner_name: this.into(), other_name: that.into() }
}

impl<D: Side, T: Carried> LogicLink for Wire<D, T> {
    fn link(&mut self, other: &mut Self) {
        if is_input::<D>() {
            other.next = self.now();
        } else {
            self.next = other.fitted();
        }
    }
    fn link_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        let details = details(my_name, this, that);
        vec![if is_input::<D>() { VerilogLink::Forward(details) } else { VerilogLink::Backward(details) }]
    }
    fn link_connect_source(&mut self) {
        if !is_input::<D>() {
            self.connect();
        }
    }
    fn link_connect_dest(&mut self) {
        if is_input::<D>() {
            self.connect();
        }
    }
}

impl<D: Side, T: Carried> LogicJoin for Wire<D, T> {
    fn join_connect(&mut self) {
        self.connect();
    }
    fn join_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        let details = details(my_name, this, that);
        vec![if is_input::<D>() { VerilogLink::Backward(details) } else { VerilogLink::Forward(details) }]
    }
}

impl<D: Side, T: Carried> Wire<D, T> {
    /// Takes the value of the other end, or gives it its own.
    pub fn join(&mut self, other: &mut Wire<D::Opposite, T>) {
        if is_input::<D>() {
            self.next = other.fitted();
        } else {
            other.next = self.fitted();
        }
    }
}

/// Wires of a bundle that are alike: any number of them, or one that is not always there. Used as a `Vec`.
#[derive(Clone, Debug)]
pub struct Array<W>(Vec<W>);

/// In a name of the syntax tree: each element of the array.
pub(super) const EACH: &str = "[]";

impl<W> Default for Array<W> {
    fn default() -> Self {
        Array(vec![])
    }
}

impl<W> FromIterator<W> for Array<W> {
    fn from_iter<I: IntoIterator<Item = W>>(wires: I) -> Self {
        Array(wires.into_iter().collect())
    }
}

/// The elements of both ends, side by side.
fn pairs<'a, A, B>(one: &'a mut Array<A>, other: &'a mut Array<B>) -> impl Iterator<Item = (&'a mut A, &'a mut B)> {
    let (a, b) = (one.len(), other.len());
    assert!(a == b || a == 0 || b == 0, "the ends of a bundle have {a} and {b} wires of a kind");
    one.0.iter_mut().zip(&mut other.0)
}

impl<D: Side, T: Carried> Array<Wire<D, T>> {
    /// Each wire with the one at the other end.
    pub fn join(&mut self, other: &mut Array<Wire<D::Opposite, T>>) {
        pairs(self, other).for_each(|(a, b)| a.join(b));
    }
}

impl<D: Side, T: Carried> LogicLink for Array<Wire<D, T>> {
    fn link(&mut self, other: &mut Self) {
        pairs(self, other).for_each(|(a, b)| a.link(b));
    }
    fn link_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        Wire::<D, T>::link_hdl(&format!("{my_name}{EACH}"), this, that)
    }
    fn link_connect_source(&mut self) {
        self.0.iter_mut().for_each(LogicLink::link_connect_source);
    }
    fn link_connect_dest(&mut self) {
        self.0.iter_mut().for_each(LogicLink::link_connect_dest);
    }
}

impl<D: Side, T: Carried> LogicJoin for Array<Wire<D, T>> {
    fn join_connect(&mut self) {
        self.0.iter_mut().for_each(LogicJoin::join_connect);
    }
    fn join_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        Wire::<D, T>::join_hdl(&format!("{my_name}{EACH}"), this, that)
    }
}

/// A bundle, or a `Vec` of bundles, whose wires go by their own names in Verilog, without that of the field.
#[derive(Clone, Debug)]
pub struct Bare<B>(pub B);

/// In a name of the block tree: this part is not in Verilog's name.
pub(super) const UNNAMED: char = '~';

impl<B> FromIterator<B> for Bare<Vec<B>> {
    fn from_iter<I: IntoIterator<Item = B>>(bundles: I) -> Self {
        Bare(bundles.into_iter().collect())
    }
}

impl<B: LogicLink> LogicLink for Bare<B> {
    fn link(&mut self, other: &mut Self) {
        self.0.link(&mut other.0);
    }
    fn link_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        B::link_hdl(my_name, this, that)
    }
    fn link_connect_source(&mut self) {
        self.0.link_connect_source();
    }
    fn link_connect_dest(&mut self) {
        self.0.link_connect_dest();
    }
}

impl<B: LogicJoin> LogicJoin for Bare<B> {
    fn join_connect(&mut self) {
        self.0.join_connect();
    }
    fn join_hdl(my_name: &str, this: &str, that: &str) -> Vec<VerilogLink> {
        B::join_hdl(my_name, this, that)
    }
}

/// Both are seen through: a block reads and assigns what they hold.
macro_rules! transparent {
    ($wrapper:ident<$inner:ident>, $held:ty, $name:expr) => {
        impl<$inner> Deref for $wrapper<$inner> {
            type Target = $held;
            fn deref(&self) -> &$held {
                &self.0
            }
        }
        impl<$inner> DerefMut for $wrapper<$inner> {
            fn deref_mut(&mut self) -> &mut $held {
                &mut self.0
            }
        }
        impl<$inner: Block> Logic for $wrapper<$inner> {
            fn update(&mut self) {}
        }
        impl<$inner: Block> Block for $wrapper<$inner> {
            fn connect_all(&mut self) {
                self.0.connect_all();
            }
            fn update_all(&mut self) {
                self.0.update_all();
            }
            fn has_changed(&self) -> bool {
                self.0.has_changed()
            }
            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                self.0.accept(&$name(name), probe);
            }
        }
    };
}

transparent!(Array<W>, Vec<W>, str::to_string);
transparent!(Bare<B>, B, |name| format!("{name}{UNNAMED}"));
