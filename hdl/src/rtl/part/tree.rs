//! Pieces of the syntax tree: names, numbers, assignments, loops.

use crate::rtl::bundle::UNNAMED;
use rust_hdl_core::ast::{VerilogBlock, VerilogBlockOrConditional, VerilogExpression, VerilogLoop, VerilogStatement};

/// `target.next = value`.
pub fn assign(target: String, value: VerilogExpression) -> VerilogStatement {
    VerilogStatement::Assignment(VerilogExpression::Signal(target), value)
}

/// `signal.set(place, bits)`: some bits of a signal change.
pub fn set(signal: &str, place: VerilogExpression, bits: VerilogExpression) -> VerilogStatement {
    let word = VerilogExpression::Signal(signal.into());
    let changed = VerilogExpression::IndexReplace(Box::new(word), Box::new(place), Box::new(bits));
    assign(format!("{signal}$next"), changed)
}

/// A wire or port takes the value of another.
pub(super) fn copy(target: String, source: &str) -> VerilogStatement {
    assign(target + "$next", VerilogExpression::Signal(source.into()))
}

/// A number known at elaboration, as a value: a literal, or the loop index or parameter of that name.
pub fn number(text: &str) -> VerilogExpression {
    match text.parse::<usize>() {
        Ok(number) => VerilogExpression::Literal(number.into()),
        Err(_) => VerilogExpression::Signal(text.into()),
    }
}

/// A bound of a loop. A value of the hardware is none.
#[diagnostic::on_unimplemented(
    message = "a bound of a loop is known at elaboration: loop over all, and write `if` inside",
    label = "this is a value of the hardware"
)]
pub trait Bound {
    /// The number.
    fn number(self) -> usize;
}

impl Bound for usize {
    fn number(self) -> usize {
        self
    }
}

/// The number that a bound of a loop is.
pub fn bound(bound: impl Bound) -> usize {
    bound.number()
}

/// `else if`: stays one, so that the tree reads as the source does.
pub fn else_if(mut next: VerilogBlock) -> VerilogBlockOrConditional {
    match (next.pop(), next.is_empty()) {
        (Some(only @ VerilogStatement::If(_)), true) => VerilogBlockOrConditional::Conditional(Box::new(only)),
        (last, _) => {
            next.extend(last);
            VerilogBlockOrConditional::Block(next)
        }
    }
}

/// The index of a loop whose range ends at an argument of a step: with the name of a number of the block, if the
/// argument is one.
pub fn named_range(index: &str, end: &str) -> String {
    match end.parse::<usize>() {
        Ok(_) => index.into(),
        Err(_) => format!("{index}<{end}"),
    }
}

/// A loop all of whose rounds have one tree; `v<vcs` names its index and the number that its range ends at. That of a
/// loop without rounds is not made: its parts may not be there.
pub fn push_loop(index: &str, from: usize, to: usize, body: &dyn Fn() -> VerilogBlock, out: &mut VerilogBlock) {
    if from < to {
        let (index, from, to, block) = (index.into(), from.into(), to.into(), body());
        out.push(VerilogStatement::Loop(VerilogLoop { index, from, to, block }));
    }
}

/// A loop in which something is decided for each index: `round` gives the tree of a round, for the number and the text
/// of its index. Rounds that are alike become one loop, others follow one another.
pub fn push_rounds(
    index: &str,
    from: usize,
    to: usize,
    round: &dyn Fn(usize, &str) -> VerilogBlock,
    out: &mut VerilogBlock,
) {
    let plain = index.split('<').next().unwrap_or(index);
    let mut looped: Vec<VerilogBlock> = (from..to).map(|i| round(i, plain)).collect();
    if looped.windows(2).all(|pair| format!("{:?}", pair[0]) == format!("{:?}", pair[1])) {
        let Some(block) = looped.pop() else { return };
        push_loop(index, from, to, &|| block.clone(), out);
    } else {
        out.extend((from..to).flat_map(|i| round(i, &i.to_string())));
    }
}

/// The name of a part that goes by the names of its own parts: the mark stands in front of indices.
pub fn unnamed(name: &str) -> String {
    let (name, indices) = name.split_once('$').map_or((name, None), |(name, indices)| (name, Some(indices)));
    match indices {
        Some(indices) => format!("{name}{UNNAMED}${indices}"),
        None => format!("{name}{UNNAMED}"),
    }
}

/// `stage$3`, as blocks are visited, is `stage[3]` in a kernel.
pub(super) fn in_kernel(name: &str) -> String {
    let mut out = String::new();
    for (i, part) in name.split('$').enumerate() {
        match part.parse::<usize>() {
            Ok(index) => out += &format!("[{index}]"),
            Err(_) if i > 0 => out += &format!("${}", part.trim_end_matches(UNNAMED)),
            Err(_) => out += part.trim_end_matches(UNNAMED),
        }
    }
    out
}
