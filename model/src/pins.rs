//! The pins of the switch as plain data, field by field named as in `railyard_spec::pins`.
//!
//! Layout, chosen so that comparing with packed Verilog vectors is cheap:
//!
//! | pin | field | layout |
//! | --- | --- | --- |
//! | a bit a port | `u64` | bit p is port p: the packed vector itself |
//! | a bit a (port, VC) | [`VcBits`] | bit `p * k + v` of nine `u64`: the packed vector itself |
//! | a flit a port | `Vec<u32>` | `words` 32-bit words a port, least significant first, bits above the flit width 0: the packed vector itself if the width is a multiple of 32 |
//! | `*_vc` | `[u8; 64]` | element p is port p |
//! | `*_credit` | `Vec<u16>` | element `p * k + v` |
//! | `drop_count` | `Vec<u16>` | element p |
//!
//! An element means nothing where the pin list says so: in [`Outputs`] it then holds what it held before. Values in
//! [`Inputs`] must fit their pins (a VC `vc_bits`, a tag `tag_bits`, a flit its width, ...).
//!
//! What changes when: `rx_credit` changes only in elements where `rx_credit_valid` is 1, or was 1 in the cycle before
//! (relative credits: it falls back to 0); `drop_count` only where `drop_valid` is 1; both also by a reset. A
//! comparison of all elements after each reset, and of those elements in other cycles, is complete for the model's
//! side.

use crate::bits::{VcBits, MAX_CANDIDATES, MAX_PORTS};
use crate::input::vc_buffer::copy_flit;
use railyard_spec::{ParityShape, Shape};

/// The APB input pins in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the pins' meaning: railyard_spec::pins
pub struct Apb {
    pub psel: bool,
    pub penable: bool,
    pub pwrite: bool,
    pub paddr: u16,
    pub pwdata: u32,
}

/// 32-bit words of a flit.
pub fn flit_words(shape: &Shape) -> usize {
    shape.flit_bits.div_ceil(32) as usize
}

/// The input pins in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the pins' meaning: railyard_spec::pins
pub struct Inputs {
    /// Words of a flit.
    pub words: usize,
    pub reset: bool,
    pub error_clear: bool,
    pub rx_valid: u64,
    pub rx_vc: [u8; MAX_PORTS],
    pub rx_head: u64,
    pub rx_tail: u64,
    pub rx_flit: Vec<u32>,
    pub rx_bad: u64,
    /// Words of an element of `rx_flip`; 0 without the pin.
    pub flip_words: usize,
    pub rx_flip: Vec<u32>,
    /// Words of an element of `cache_flip`; 0 without the pin.
    pub cache_flip_words: usize,
    pub cache_flip: Vec<u32>,
    pub table_flip: Vec<u32>,
    /// Words of an element of `group_flip`; 0 without the pin.
    pub group_flip_words: usize,
    pub group_flip: Vec<u32>,
    pub tx_credit_valid: VcBits,
    pub tx_credit: Vec<u16>,
    /// Empty without the pin.
    pub tx_min_credit: Vec<u16>,
    pub cam_request_ready: bool,
    pub cam_response_valid: bool,
    pub cam_response_tag: u32,
    pub cam_response_hit: bool,
    pub cam_response_port: u8,
    pub cam_response_vc_set: bool,
    pub cam_response_vc: u8,
    pub cam_response_group_set: bool,
    pub cam_response_group: u8,
    pub cam_response_candidates: u8,
    /// Element i is candidate number i + 1.
    pub cam_response_candidate: [u8; MAX_CANDIDATES - 1],
    pub cam_response_in_order: bool,
    pub apb: Apb,
}

impl Inputs {
    /// All pins at 0.
    pub fn new(shape: &Shape) -> Self {
        let words = flit_words(shape);
        let flips = shape.buffer_code.filter(|code| code.fault_pins);
        let flip_words = flips.map_or(0, |code| code.bits.div_ceil(32) as usize);
        let words_of = |word: Option<ParityShape>| {
            word.filter(|word| word.fault_pins).map_or(0, |word| word.bits.div_ceil(32) as usize)
        };
        let cache_flip_words = words_of(shape.cache_parity());
        let group_flip_words = words_of(shape.group_parity());
        Inputs {
            words,
            reset: false,
            error_clear: false,
            rx_valid: 0,
            rx_vc: [0; MAX_PORTS],
            rx_head: 0,
            rx_tail: 0,
            rx_flit: vec![0; shape.ports * words],
            rx_bad: 0,
            flip_words,
            rx_flip: vec![0; shape.ports * flip_words],
            cache_flip_words,
            cache_flip: vec![0; shape.ports * cache_flip_words],
            table_flip: vec![0; words_of(shape.table_parity())],
            group_flip_words,
            group_flip: vec![0; shape.ports * group_flip_words],
            tx_credit_valid: VcBits::default(),
            tx_credit: vec![0; shape.ports * shape.vcs],
            tx_min_credit: vec![0; min_totals(shape)],
            cam_request_ready: false,
            cam_response_valid: false,
            cam_response_tag: 0,
            cam_response_hit: false,
            cam_response_port: 0,
            cam_response_vc_set: false,
            cam_response_vc: 0,
            cam_response_group_set: false,
            cam_response_group: 0,
            cam_response_candidates: 0,
            cam_response_candidate: [0; MAX_CANDIDATES - 1],
            cam_response_in_order: false,
            apb: Apb::default(),
        }
    }

    /// Nothing happens at the pins: the bits that say so to 0, the values that they qualify as they are.
    /// `cam_request_ready` stays too.
    #[inline]
    pub fn idle(&mut self) {
        self.reset = false;
        self.error_clear = false;
        self.rx_valid = 0;
        self.tx_credit_valid.clear();
        self.cam_response_valid = false;
        self.apb.psel = false;
    }

    /// Whether nothing happens at the pins, as after [`Inputs::idle`].
    #[inline]
    pub fn is_idle(&self) -> bool {
        let comes = self.rx_valid != 0 || self.tx_credit_valid.any() || self.cam_response_valid || self.apb.psel;
        !(comes || self.reset || self.error_clear)
    }

    /// Ports of which an element of `cache_flip` has a 1.
    #[inline]
    pub fn flipping_ports(&self) -> u64 {
        not_zero(&self.cache_flip, self.cache_flip_words)
    }

    /// The ports of which `group_flip` has a bit.
    pub fn group_flipping_ports(&self) -> u64 {
        not_zero(&self.group_flip, self.group_flip_words)
    }

    /// A flit arrives at `port`; `flit` has `words` words.
    #[inline]
    pub fn receive(&mut self, port: usize, vc: u8, head: bool, tail: bool, flit: &[u32]) {
        let bit = 1u64 << port;
        self.rx_valid |= bit;
        self.rx_vc[port] = vc;
        self.rx_head = self.rx_head & !bit | (head as u64) << port;
        self.rx_tail = self.rx_tail & !bit | (tail as u64) << port;
        copy_flit(&mut self.rx_flit[port * self.words..(port + 1) * self.words], flit);
    }

    /// A credit report arrives for element `o * k + v`.
    #[inline]
    pub fn credit(&mut self, element: usize, value: u16) {
        self.tx_credit_valid.set(element);
        self.tx_credit[element] = value;
    }

    /// The total of minimal packets that goes with a credit report.
    #[inline]
    pub fn min_credit(&mut self, element: usize, value: u16) {
        self.tx_min_credit[element] = value;
    }

    /// The CAM answers with a route to an output port, on the packet's own VC, or without one.
    pub fn cam_answer(&mut self, tag: u32, route: Option<u8>) {
        self.cam_response_valid = true;
        self.cam_response_tag = tag;
        self.cam_response_hit = route.is_some();
        self.cam_response_port = route.unwrap_or(0);
        self.cam_response_vc_set = false;
        self.cam_response_group_set = false;
        self.cam_response_group = 0;
        self.cam_response_candidates = 0;
        self.cam_response_candidate = [0; MAX_CANDIDATES - 1];
        self.cam_response_in_order = false;
    }
}

/// The output pins in one cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the pins' meaning: railyard_spec::pins
pub struct Outputs {
    /// Words of a flit.
    pub words: usize,
    pub rx_credit_valid: VcBits,
    pub rx_credit: Vec<u16>,
    /// Empty without the pin.
    pub rx_min_credit: Vec<u16>,
    pub tx_valid: u64,
    pub tx_vc: [u8; MAX_PORTS],
    pub tx_head: u64,
    pub tx_tail: u64,
    pub tx_flit: Vec<u32>,
    pub tx_bad: u64,
    pub tx_corrected: u64,
    pub cam_request_valid: bool,
    pub cam_request_tag: u32,
    pub cam_request_address: u64,
    pub lookup_hit: u64,
    pub lookup_miss: u64,
    pub lookup_parity: u64,
    pub table_parity: bool,
    pub group_parity: u64,
    pub apb_prdata: u32,
    pub apb_pslverr: bool,
    pub drop_valid: VcBits,
    pub drop_count: Vec<u16>,
    pub error_vc: u64,
    pub error_framing: u64,
    pub error_overflow: u64,
    pub error_length: u64,
    pub error_credit: u64,
    pub error_cam: bool,
    pub event_interrupt: bool,
}

/// Elements of the totals of minimal packets.
fn min_totals(shape: &Shape) -> usize {
    let is_built = shape.dragonfly().is_some_and(|built| built.min_credits);
    if is_built {
        shape.ports * shape.vcs
    } else {
        0
    }
}

/// The elements, of so many words each, that have a bit.
fn not_zero(elements: &[u32], words: usize) -> u64 {
    if words == 0 {
        return 0;
    }
    let elements = elements.chunks(words).enumerate();
    elements.fold(0, |ports, (port, words)| ports | u64::from(words.iter().any(|word| *word != 0)) << port)
}

impl Outputs {
    /// The pins in the cycle after a reset.
    pub fn new(shape: &Shape) -> Self {
        let words = flit_words(shape);
        Outputs {
            words,
            rx_credit_valid: VcBits::default(),
            rx_credit: vec![0; shape.ports * shape.vcs],
            rx_min_credit: vec![0; min_totals(shape)],
            tx_valid: 0,
            tx_vc: [0; MAX_PORTS],
            tx_head: 0,
            tx_tail: 0,
            tx_flit: vec![0; shape.ports * words],
            tx_bad: 0,
            tx_corrected: 0,
            cam_request_valid: false,
            cam_request_tag: 0,
            cam_request_address: 0,
            lookup_hit: 0,
            lookup_miss: 0,
            lookup_parity: 0,
            table_parity: false,
            group_parity: 0,
            apb_prdata: 0,
            apb_pslverr: false,
            drop_valid: VcBits::default(),
            drop_count: vec![0; shape.ports],
            error_vc: 0,
            error_framing: 0,
            error_overflow: 0,
            error_length: 0,
            error_credit: 0,
            error_cam: false,
            event_interrupt: false,
        }
    }

    /// Takes the values of others, of the same shape; flits only where they are valid. Unlike a clone, this takes no
    /// memory.
    #[inline]
    pub fn copy_from(&mut self, other: &Outputs) {
        let words = self.words;
        for port in crate::bits::ones(other.tx_valid) {
            let place = port * words..(port + 1) * words;
            self.tx_flit[place.clone()].copy_from_slice(&other.tx_flit[place]);
        }
        self.rx_credit.copy_from_slice(&other.rx_credit);
        self.rx_min_credit.copy_from_slice(&other.rx_min_credit);
        self.drop_count.copy_from_slice(&other.drop_count);
        let own = (
            std::mem::take(&mut self.rx_credit),
            std::mem::take(&mut self.rx_min_credit),
            std::mem::take(&mut self.tx_flit),
            std::mem::take(&mut self.drop_count),
        );
        *self = Outputs { rx_credit: own.0, rx_min_credit: own.1, tx_flit: own.2, drop_count: own.3, ..*other };
    }

    /// The flit at the `tx_flit` pins of `port`.
    #[inline]
    pub fn flit(&self, port: usize) -> &[u32] {
        &self.tx_flit[port * self.words..(port + 1) * self.words]
    }

    /// The values of a reset; those that mean nothing then stay as they are.
    pub fn reset(&mut self) {
        self.rx_credit_valid.clear();
        self.rx_credit.fill(0);
        self.rx_min_credit.fill(0);
        self.tx_valid = 0;
        self.cam_request_valid = false;
        self.lookup_hit = 0;
        self.lookup_miss = 0;
        self.lookup_parity = 0;
        self.table_parity = false;
        self.group_parity = 0;
        self.apb_prdata = 0;
        self.apb_pslverr = false;
        self.drop_valid.clear();
        self.drop_count.fill(0);
        self.error_vc = 0;
        self.error_framing = 0;
        self.error_overflow = 0;
        self.error_length = 0;
        self.error_credit = 0;
        self.error_cam = false;
        self.event_interrupt = false;
    }
}
