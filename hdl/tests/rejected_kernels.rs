//! Kernels that have no meaning in hardware are errors that name block and signal, never silent nonsense.

use railyard_hdl::rtl::prelude::*;

/// A block with inputs, outputs, arrays, a register and a sub-block, and the kernel given.
macro_rules! rejected {
    ($test:ident, $signal:literal, $message:literal, $($kernel:tt)*) => {
        #[test]
        fn $test() {
            #[block]
            struct Bad {
                clock: ClockIn,
                a: Sig<In>,
                b: Sig<In>,
                lane: Vec<Sig<In>>,
                x: Sig<Out>,
                lanes_out: Vec<Sig<Out>>,
                local: Sig<Local>,
                other: Sig<Local>,
                hold: Reg,
                child: Child,
                about: About,
            }
            #[kernel]
            impl Bad {
                $($kernel)*
            }
            let bad = Bad {
                clock: clock(), a: sig(8), b: sig(4), lane: many(3, || sig(8)), x: sig(8), lanes_out: many(3, || sig(8)),
                local: sig(8), other: sig(8), hold: reg_no_reset(8), child: child(), about: about("bad", ""),
            };
            expect(&bad, "bad", $signal, $message);
        }
    };
}

#[block]
struct Child {
    i: Sig<In>,
    o: Sig<Out>,
    about: About,
}

fn child() -> Child {
    Child { i: sig(8), o: sig(8), about: about("child", "") }
}

#[kernel]
impl Child {
    fn update(&mut self) {
        self.o.next = self.i.val();
    }
}

fn expect(block: &dyn Block, name: &str, signal: &str, message: &str) {
    let errors = emit(block, "top").map(|design| design.text()).expect_err("must be rejected");
    let found = errors.iter().any(|e| e.block == name && e.signal == signal && e.message.contains(message));
    assert!(found, "wanted {signal}: {message}; got {errors:#?}");
}

rejected!(
    assigned_width,
    "x",
    "4 bits where 8 are needed",
    fn update(&mut self) {
        self.x.next = self.b.val();
    }
);
rejected!(
    mixed_widths,
    "x",
    "8 bits meet 4 bits",
    fn update(&mut self) {
        self.x.next = self.a.val() + self.b.val();
    }
);
rejected!(
    compared_widths,
    "condition",
    "8 bits meet 4 bits",
    fn update(&mut self) {
        if self.a.val() == self.b.val() {
            self.x.next = 0.into();
        }
    }
);
rejected!(
    number_too_large,
    "x",
    "number 256 does not fit 8 bits",
    fn update(&mut self) {
        self.x.next = 256.into();
    }
);
rejected!(
    input_assigned,
    "a",
    "an input is assigned",
    fn update(&mut self) {
        self.a.next = 0.into();
    }
);
rejected!(
    output_of_child_assigned,
    "child.o",
    "an output of a sub-block is assigned",
    fn update(&mut self) {
        self.child.o.next = 0.into();
    }
);
rejected!(
    held_value_assigned,
    "hold.q",
    "assign `d`",
    fn update(&mut self) {
        self.hold.q.next = 0.into();
    }
);
rejected!(
    next_value_read,
    "x",
    "`hold.d` is read",
    fn update(&mut self) {
        self.hold.d.next = self.a.val();
        self.x.next = self.hold.d.val();
    }
);
rejected!(
    index_out_of_range,
    "lane",
    "index 3 is out of range",
    fn update(&mut self) {
        for i in 0..3 {
            self.lanes_out[i].next = self.lane[i + 1].val();
        }
    }
);
rejected!(
    bit_out_of_range,
    "a",
    "out of range",
    fn update(&mut self) {
        if self.a.val().get_bit(8) {
            self.x.next = 0.into();
        }
    }
);
rejected!(
    dynamic_target,
    "lanes_out[a]",
    "chosen by a signal",
    fn update(&mut self) {
        self.lanes_out[self.a.val().index()].next = 0.into();
    }
);
rejected!(
    cut_of_computed_value,
    "local",
    "assign it to a Local",
    fn update(&mut self) {
        self.local.next = unsigned_cast(bit_cast_to(self.a.val(), 16) >> self.b.val());
    }
);
rejected!(
    no_width_anywhere,
    "condition",
    "neither side",
    fn update(&mut self) {
        if unsigned_cast(self.a.val()) == unsigned_cast(self.b.val()) {
            self.x.next = 0.into();
        }
    }
);
rejected!(
    label_too_large,
    "match",
    "label 16 does not fit 4 bits",
    fn update(&mut self) {
        match self.b.val().index() {
            16 => {
                self.x.next = 0.into();
            }
            _ => {}
        }
    }
);

/// Blocks whose fault is in their fields or in what they leave out.
macro_rules! faulty {
    ($test:ident, $signal:literal, $message:literal, { $($field:ident : $type:ty = $make:expr),+ },
     $($kernel:tt)*) => {
        #[test]
        fn $test() {
            #[block]
            struct Bad { $($field: $type,)+ about: About }
            #[kernel]
            impl Bad {
                $($kernel)*
            }
            expect(&Bad { $($field: $make,)+ about: about("bad", "") }, "bad", $signal, $message);
        }
    };
}

faulty!(latch, "x", "latch", { a: Flag<In> = flag(), x: Flag<Out> = flag() }, fn update(&mut self) {
    if self.a.val() { self.x.next = true; }
});
faulty!(latch_in_match, "x", "latch", { a: Sig<In> = sig(2), x: Flag<Out> = flag() }, fn update(&mut self) {
    match self.a.val().index() { 0 => { self.x.next = true; } 1 => { self.x.next = false; } _ => {} }
});
faulty!(undriven_output, "x", "never assigned", { a: Flag<In> = flag(), x: Flag<Out> = flag(), y: Flag<Out> = flag() },
    fn update(&mut self) { self.y.next = self.a.val(); });
faulty!(undriven_element, "x", "element 2 is never assigned", { a: Sig<In> = sig(4), x: Vec<Sig<Out>> = many(3, || sig(4)) },
    fn update(&mut self) { for i in 0..2 { self.x[i].next = self.a.val(); } });
faulty!(undriven_input_of_child, "child_i", "never assigned", { x: Sig<Out> = sig(8), child: Child = child() },
    fn update(&mut self) { self.x.next = self.child.o.val(); });
faulty!(undriven_local, "l", "never assigned", { x: Flag<Out> = flag(), l: Flag<Local> = flag() },
    fn update(&mut self) { self.x.next = self.l.val(); });
faulty!(keyword, "begin", "keyword", { begin: Flag<In> = flag(), x: Flag<Out> = flag() },
    fn update(&mut self) { self.x.next = self.begin.val(); });
faulty!(collision, "child_i", "two things have this name", { child_i: Sig<In> = sig(8), x: Sig<Out> = sig(8), child: Child = child() },
    fn update(&mut self) { self.child.i.next = self.child_i.val(); self.x.next = self.child.o.val(); });
faulty!(combinational_loop, "m", "combinational loop", { x: Flag<Out> = flag(), l: Flag<Local> = flag(), m: Flag<Local> = flag() },
    fn update(&mut self) { self.l.next = !self.m.val(); self.m.next = self.l.val(); self.x.next = self.m.val(); });
faulty!(loop_through_elements, "c", "combinational loop",
{ a: Sig<In> = sig(4), c: Vec<Flag<Local>> = many(4, flag), x: Flag<Out> = flag() },
fn update(&mut self) {
    for i in 0..4 { self.c[i].next = self.c[(i + 3) % 4].val() & self.a.val().get_bit(i); }
    self.x.next = self.c[3].val();
});
faulty!(bit_without_default, "x", "before the signal has a value", { a: Flag<In> = flag(), x: Sig<Out> = sig(2) },
    fn update(&mut self) { self.x.next = self.x.val().replace_bit(0, self.a.val()); });
faulty!(register_without_clock, "r", "no clock", { a: Sig<In> = sig(2), r: Reg = reg_no_reset(2), x: Sig<Out> = sig(2) },
    fn update(&mut self) { self.r.d.next = self.a.val(); self.x.next = self.r.q.val(); });
faulty!(register_without_reset, "r", "port `reset`",
    { clock: ClockIn = clock(), a: Sig<In> = sig(2), r: Reg = reg(2, 1u8), x: Sig<Out> = sig(2) },
    fn update(&mut self) { self.r.d.next = self.a.val(); self.x.next = self.r.q.val(); });

#[test]
fn a_block_without_kernel() {
    #[block]
    struct Bad {
        a: Flag<In>,
        about: About,
    }
    impl Logic for Bad {
        fn update(&mut self) {}
    }
    expect(&Bad { a: flag(), about: about("bad", "") }, "bad", "", "no kernel");
}

#[test]
#[should_panic(expected = "top.x: 4 bits are assigned where 8 are needed")]
fn simulation_names_the_signal_too() {
    #[block]
    struct Bad {
        a: Sig<In>,
        x: Sig<Out>,
    }
    #[kernel]
    impl Bad {
        fn update(&mut self) {
            self.x.next = self.a.val();
        }
    }
    Bench::combinational(Bad { a: sig(4), x: sig(8) });
}
