//! Properties that a kernel states with `assert!`.
//!
//! A kernel runs several times before signals have settled, and a property may be false in between. So a false one is
//! only noted; a bench forgets the notes before each pass, and reads those of the last pass before the clock edge.

use rust_hdl_core::ast::*;
use std::cell::{Cell, RefCell};

/// What the comment that stands for a property begins with in the syntax tree.
pub(crate) const MARK: char = '\u{3}';

thread_local! {
    static IN_RESET: Cell<bool> = const { Cell::new(false) };
    static BROKEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A property in the syntax tree: `if !holds { comment }`, with a marked comment.
pub fn property(text: &str, holds: VerilogExpression) -> VerilogStatement {
    let holds = Box::new(VerilogExpression::Paren(Box::new(holds)));
    VerilogStatement::If(VerilogConditional {
        test: VerilogExpression::Unary(VerilogOpUnary::Not, holds),
        then: vec![VerilogStatement::Comment(format!("{MARK}{text}"))],
        otherwise: VerilogBlockOrConditional::None,
    })
}

/// A kernel begins to run; properties are not checked in reset.
pub fn begin_checks(in_reset: bool) {
    IN_RESET.set(in_reset);
}

/// Notes a property that does not hold.
pub fn check(holds: bool, text: &'static str, block: &'static str) {
    if !holds && !IN_RESET.get() {
        BROKEN.with_borrow_mut(|broken| {
            broken.get_or_insert_with(|| format!("{block}: {text}"));
        });
    }
}

/// The first broken property since this was asked last.
pub(crate) fn take_broken() -> Option<String> {
    BROKEN.take()
}
