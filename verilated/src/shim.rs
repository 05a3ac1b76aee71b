//! The C++ file that stands between a Verilator model and Rust.
//!
//! It exports one symbol: a table of functions. The Rust side of the table is [`Api`]; both change together, and
//! with them [`ABI`].

use std::ffi::{c_char, c_void};

use crate::{layout::storage_bytes, layout::Layout, trace::Waveforms, PinDirection, TopPort};

/// Version of the table and of the way models are built: part of each cache key.
pub(crate) const ABI: u32 = 6;

/// The exported table's symbol.
pub(crate) const SYMBOL: &[u8] = b"railyard_model\0";

/// A model instance, opaque to Rust.
pub(crate) type Handle = *mut c_void;

/// The functions of a model. Those that evaluate return true once the design has stopped.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Api {
    pub abi: u32,
    pub create: unsafe extern "C" fn(scope: *const c_char, random: bool, seed: i32) -> Handle,
    pub destroy: unsafe extern "C" fn(Handle),
    /// Runs the `final` blocks, once; true if the design has failed in them or stopped before.
    pub finish: unsafe extern "C" fn(Handle) -> bool,
    /// The storage of port `index` of the port list.
    pub port: unsafe extern "C" fn(Handle, index: usize) -> *mut u8,
    pub eval: unsafe extern "C" fn(Handle) -> bool,
    /// `count` cycles: clock low, eval, clock high, eval.
    pub tick: unsafe extern "C" fn(Handle, clock: *mut u8, count: u64) -> bool,
    /// Copies all inputs from a block of memory, all outputs to one; places are those of [`Layout`].
    pub load: unsafe extern "C" fn(Handle, inputs: *const u8),
    pub store: unsafe extern "C" fn(Handle, outputs: *mut u8),
    /// Why the design stopped; empty while it runs.
    pub reason: unsafe extern "C" fn(Handle) -> *const c_char,
    /// The rest is `None` without waveforms.
    pub trace_open: Option<unsafe extern "C" fn(Handle, path: *const c_char) -> bool>,
    pub trace_dump: Option<unsafe extern "C" fn(Handle, time: u64)>,
    pub trace_close: Option<unsafe extern "C" fn(Handle)>,
}

const HEAD: &str = r#"
#include "Vdut.h"
#include "verilated.h"
TRACE_INCLUDE
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace {

// Leaves an evaluation that can't go on. Verilator's code takes it that `vl_fatal` doesn't return: a loop of logic that
// doesn't settle would be evaluated for ever.
struct Fatal final {};

// What a design says when it stops itself; Verilator's own answer would end the process.
struct Context final : VerilatedContext {
    std::string reason;
    bool stopped = false;
    bool over = false;    // `final` blocks run, or have run
    bool broken = false;  // left in the middle of an evaluation: there is no other

    void stop(const char* what, const char* file, int line, const char* detail) {
        gotFinish(true);
        if (stopped) return;
        stopped = true;
        reason = std::string{file ? file : ""} + ":" + std::to_string(line) + ": " + what;
        if (detail && *detail) reason += std::string{": "} + detail;
        if (over) reason += ", in a final block";
    }
};

struct Instance final {
    Context context;
    Vdut top;
    TRACE_MEMBER

    Instance(const char* scope, bool random, int seed)
        : top{prepare(random, seed), scope} {}
    Context* prepare(bool random, int seed) {
        Verilated::threadContextp(&context);
        TRACE_EVER_ON
        context.fatalOnError(false);
        context.randReset(random ? 2 : 0);
        if (random) context.randSeed(seed);
        return &context;
    }
    // Messages of the design find their instance through the thread's context.
    void select() { Verilated::threadContextp(&context); }
};

// Scope and text of the assertion that failed last in this thread.
constexpr char ASSERTION_FAILED[] = "Assertion failed in ";
thread_local std::string failed_assertion;

Context& current() { return *static_cast<Context*>(Verilated::threadContextp()); }

// Does `work`, unless the model is broken or that breaks it; true if it is done.
template <typename Work>
bool guarded(Instance* self, Work work) {
    self->select();
    if (self->context.broken) return false;
    try {
        work();
        return true;
    } catch (const Fatal&) {
        self->context.broken = true;
        return false;
    }
}

Instance* create(const char* scope, bool random, int seed) { return new Instance{scope, random, seed}; }

bool finish(Instance* self) {
    if (self->context.over) return self->context.stopped;
    self->context.over = true;
    guarded(self, [&] {
        TRACE_RESET
        self->top.final();
    });
    return self->context.stopped;
}

void destroy(Instance* self) {
    finish(self);
    // What the design has printed is out when its model is gone, wherever standard output leads afterwards.
    std::fflush(stdout);
    delete self;
}

bool eval(Instance* self) {
    guarded(self, [&] { self->top.eval(); });
    return self->context.stopped;
}

bool tick(Instance* self, uint8_t* clock, uint64_t count) {
    guarded(self, [&] {
        for (; count != 0 && !self->context.stopped; --count) {
            *clock = 0;
            self->top.eval();
            *clock = 1;
            self->top.eval();
        }
    });
    return self->context.stopped;
}

const char* reason(Instance* self) { return self->context.reason.c_str(); }

"#;

const TRACE_FUNCTIONS: &str = r#"
bool trace_open(Instance* self, const char* path) {
    guarded(self, [&] {
        self->trace.reset(new TraceFile);
        self->top.trace(self->trace.get(), 99);
        self->trace->open(path);
    });
    if (self->trace && self->trace->isOpen()) return true;
    self->trace.reset();
    return false;
}

void trace_dump(Instance* self, uint64_t time) {
    guarded(self, [&] {
        self->context.time(time);
        self->trace->dump(time);
    });
}

void trace_close(Instance* self) {
    self->select();
    self->trace->close();
    self->trace.reset();
}

"#;

const TABLE: &str = r#"
struct Api final {
    uint32_t abi;
    Instance* (*create)(const char*, bool, int);
    void (*destroy)(Instance*);
    bool (*finish)(Instance*);
    void* (*port)(Instance*, size_t);
    bool (*eval)(Instance*);
    bool (*tick)(Instance*, uint8_t*, uint64_t);
    void (*load)(Instance*, const uint8_t*);
    void (*store)(Instance*, uint8_t*);
    const char* (*reason)(Instance*);
    bool (*trace_open)(Instance*, const char*);
    void (*trace_dump)(Instance*, uint64_t);
    void (*trace_close)(Instance*);
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Api railyard_model{
    ABI_VERSION, create, destroy, finish, port, eval, tick, load, store, reason, TRACE_ENTRIES};

// A simulation that is over can't be ended: `$finish` in a `final` block says nothing.
void vl_finish(const char* file, int line, const char*) {
    if (!current().over) current().stop("$finish", file, line, "");
}
void vl_stop(const char* file, int line, const char*) {
    const std::string detail = std::exchange(failed_assertion, "");
    current().stop(detail.empty() ? "$stop or failed assertion" : "assertion failed", file, line, detail.c_str());
}
// What a design prints comes here. Verilator prints the scope and the text of an assertion right before it stops the
// design.
extern "C" int railyard_print(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char text[1024];
    va_list copy;
    va_copy(copy, arguments);
    std::vsnprintf(text, sizeof text, format, copy);
    va_end(copy);
    const char* const failed = std::strstr(text, ASSERTION_FAILED);
    if (failed) failed_assertion.assign(failed + sizeof ASSERTION_FAILED - 1, std::strcspn(failed, "\n") - (sizeof ASSERTION_FAILED - 1));
    const int printed = std::vprintf(format, arguments);
    va_end(arguments);
    return printed;
}
void vl_fatal(const char* file, int line, const char*, const char* message) {
    current().stop("fatal", file, line, message);
    throw Fatal{};
}
"#;

/// The shim for a model with these ports, which have the given C++ names.
pub(crate) fn source(ports: &[TopPort], names: &[String], trace: Waveforms) -> String {
    let class = match trace {
        Waveforms::None => None,
        Waveforms::Vcd => Some(("verilated_vcd_c.h", "VerilatedVcdC")),
        Waveforms::Fst => Some(("verilated_fst_c.h", "VerilatedFstC")),
    };
    let traced = |text: &str| if class.is_some() { text.to_owned() } else { String::new() };
    let include =
        class.map_or(String::new(), |(header, class)| format!("#include \"{header}\"\nusing TraceFile = {class};"));

    let mut text = HEAD
        .replace("TRACE_INCLUDE", &include)
        .replace("TRACE_MEMBER", &traced("std::unique_ptr<TraceFile> trace;"))
        .replace("TRACE_EVER_ON", &traced("context.traceEverOn(true);"))
        .replace("TRACE_RESET", &traced("if (self->trace) self->trace->close();\n        self->trace.reset();"));
    text.push_str(&port_function(ports, names));
    text.push_str(&copy_functions(ports, names));
    if class.is_some() {
        text.push_str(TRACE_FUNCTIONS);
    }
    let entries = if class.is_some() { "trace_open, trace_dump, trace_close" } else { "nullptr, nullptr, nullptr" };
    text.push_str(&TABLE.replace("ABI_VERSION", &ABI.to_string()).replace("TRACE_ENTRIES", entries));
    text
}

fn port_function(ports: &[TopPort], names: &[String]) -> String {
    let mut text = String::from("void* port(Instance* self, size_t index) {\n    switch (index) {\n");
    for (index, (port, name)) in ports.iter().zip(names).enumerate() {
        let bytes = storage_bytes(port.width);
        text.push_str(&format!(
            "    case {index}: static_assert(sizeof(self->top.{name}) == {bytes}, \"{name}\"); \
             return &self->top.{name};\n"
        ));
    }
    text.push_str("    default: return nullptr;\n    }\n}\n");
    text
}

/// `load` and `store`.
fn copy_functions(ports: &[TopPort], names: &[String]) -> String {
    let (mut load, mut store) = (String::new(), String::new());
    for ((port, name), at) in ports.iter().zip(names).zip(Layout::new(ports).offsets) {
        let bytes = storage_bytes(port.width);
        match port.direction {
            PinDirection::Input => {
                load.push_str(&format!("    std::memcpy(&self->top.{name}, from + {at}, {bytes});\n"))
            }
            PinDirection::Output => {
                store.push_str(&format!("    std::memcpy(to + {at}, &self->top.{name}, {bytes});\n"))
            }
        }
    }
    format!("void load(Instance* self, const uint8_t* from) {{\n{load}}}\n\nvoid store(Instance* self, uint8_t* to) {{\n{store}}}\n")
}
