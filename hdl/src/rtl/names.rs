//! Full names of signals, for the messages of panics in simulation.

use super::bundle::UNNAMED;
use rust_hdl_core::prelude::*;
use std::cell::Cell;
use std::collections::HashMap;
use std::panic::Location;
use std::sync::{LazyLock, Mutex};

static NAMES: LazyLock<Mutex<HashMap<usize, String>>> = LazyLock::new(Default::default);

thread_local! {
    /// Where the test let a bench run last.
    static RUN_AT: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Remembers which line of a test lets a bench run.
pub fn run_at(line: &'static Location<'static>) {
    RUN_AT.set(Some(line));
}

/// That line, for behind the message of a panic. What is wrong was assigned before it.
pub fn line() -> String {
    RUN_AT.get().map_or(String::new(), |at| format!(", in the cycle that the test runs at {at}"))
}

/// Remembers the name of every signal under `block`.
pub fn remember(name: &str, block: &dyn Block) {
    struct Walk(Vec<String>);
    impl Probe for Walk {
        fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
            self.0.push(name.into());
        }
        fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
            self.0.push(name.into());
        }
        fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
            let name = format!("{}.{name}", self.0.join(".")).replace('$', ".").replace(UNNAMED, "");
            assert!(signal.bits() > 0, "{name} has no width: the constructor does not set it");
            NAMES.lock().expect("no panic while locked").insert(signal.id(), name);
        }
        fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
            self.0.pop();
        }
        fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
            self.0.pop();
        }
    }
    block.accept(name, &mut Walk(vec![]));
}

/// The name of a signal, as far as it is known.
pub fn of(id: usize) -> String {
    let known = NAMES.lock().ok().and_then(|names| names.get(&id).cloned());
    known.unwrap_or_else(|| format!("signal {id} (not under a Bench, so its name is not known)"))
}
