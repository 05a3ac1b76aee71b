//! The ends of bundles, wire by wire.

use super::tree::{copy, push_rounds};
use crate::rtl::bundle::{Opposite, Side};
use crate::rtl::signal::{Carried, Wire};
use rust_hdl_core::ast::VerilogBlock;
use rust_hdl_core::prelude::AtomKind;

/// One end of a bundle, or a part of it. What only one end has is not connected.
pub trait Bundle {
    /// The other end.
    type End;
    /// Hands the bundle on: `self` is of this block, `other` of a part.
    fn link(&mut self, other: &mut Self);
    /// Connects two ends.
    fn join(&mut self, other: &mut Self::End);
    /// [`Bundle::link`] in the syntax tree.
    fn link_hdl(&self, other: &Self, this: &str, that: &str, out: &mut VerilogBlock);
    /// [`Bundle::join`] in the syntax tree.
    fn join_hdl(&self, other: &Self::End, this: &str, that: &str, out: &mut VerilogBlock);
}

fn leads_in<D: Side>() -> bool {
    D::KIND == AtomKind::InputParameter
}

impl<D: Side, T: Carried> Bundle for Wire<D, T> {
    type End = Wire<Opposite<D>, T>;
    fn link(&mut self, other: &mut Self) {
        if leads_in::<D>() {
            other.next = self.now();
        } else {
            self.next = other.fitted();
        }
    }
    fn join(&mut self, other: &mut Self::End) {
        if leads_in::<D>() {
            self.next = other.fitted();
        } else {
            other.next = self.fitted();
        }
    }
    fn link_hdl(&self, _: &Self, this: &str, that: &str, out: &mut VerilogBlock) {
        let (target, source) = if leads_in::<D>() { (that, this) } else { (this, that) };
        out.push(copy(target.into(), source));
    }
    fn join_hdl(&self, _: &Self::End, this: &str, that: &str, out: &mut VerilogBlock) {
        let (target, source) = if leads_in::<D>() { (this, that) } else { (that, this) };
        out.push(copy(target.into(), source));
    }
}

impl<B: Bundle> Bundle for Option<B> {
    type End = Option<B::End>;
    fn link(&mut self, other: &mut Self) {
        if let (Some(a), Some(b)) = (self, other) {
            a.link(b);
        }
    }
    fn join(&mut self, other: &mut Self::End) {
        if let (Some(a), Some(b)) = (self, other) {
            a.join(b);
        }
    }
    fn link_hdl(&self, other: &Self, this: &str, that: &str, out: &mut VerilogBlock) {
        if let (Some(a), Some(b)) = (self, other) {
            a.link_hdl(b, &format!("{this}[0]"), &format!("{that}[0]"), out);
        }
    }
    fn join_hdl(&self, other: &Self::End, this: &str, that: &str, out: &mut VerilogBlock) {
        if let (Some(a), Some(b)) = (self, other) {
            a.join_hdl(b, &format!("{this}[0]"), &format!("{that}[0]"), out);
        }
    }
}

/// Elements of two arrays, side by side. An array without elements is one that is not there.
fn pairs<'a, A, B>(one: &'a mut [A], other: &'a mut [B]) -> impl Iterator<Item = (&'a mut A, &'a mut B)> {
    assert_lengths(one.len(), other.len(), "the ends of a bundle");
    one.iter_mut().zip(other)
}

fn assert_lengths(one: usize, other: usize, of: &str) {
    assert!(one == other || one == 0 || other == 0, "{of} have {one} and {other} elements");
}

fn pairs_hdl<A, B>(
    (one, other): (&[A], &[B]),
    (this, that): (&str, &str),
    element: impl Fn(&A, &B, &str, &str, &mut VerilogBlock),
    out: &mut VerilogBlock,
) {
    assert_lengths(one.len(), other.len(), &format!("`{this}` and `{that}`"));
    let round = |i: usize, index: &str| {
        let mut block = vec![];
        element(&one[i], &other[i], &format!("{this}[{index}]"), &format!("{that}[{index}]"), &mut block);
        block
    };
    push_rounds("each", 0, one.len().min(other.len()), &round, out);
}

impl<B: Bundle> Bundle for Vec<B> {
    type End = Vec<B::End>;
    fn link(&mut self, other: &mut Self) {
        pairs(self, other).for_each(|(a, b)| a.link(b));
    }
    fn join(&mut self, other: &mut Self::End) {
        pairs(self, other).for_each(|(a, b)| a.join(b));
    }
    fn link_hdl(&self, other: &Self, this: &str, that: &str, out: &mut VerilogBlock) {
        pairs_hdl((self, other), (this, that), |a, b, x, y, out| a.link_hdl(b, x, y, out), out);
    }
    fn join_hdl(&self, other: &Self::End, this: &str, that: &str, out: &mut VerilogBlock) {
        pairs_hdl((self, other), (this, that), |a, b, x, y, out| a.join_hdl(b, x, y, out), out);
    }
}
