//! The golden model's types at the pins of the Verilated design.
//!
//! Pins are looked up once. A cycle writes only what the inputs say is valid (the rest keeps its old, meaningless
//! value) and compares packed words; credit totals and drop counts are kept packed and brought up to date where they
//! change.

use super::packed_totals::PackedTotals;
use super::{differences, Difference};
use railyard_model::{bits::ones, Inputs, Outputs, VcBits};
use railyard_spec::pins::DROP_COUNT_BITS;
use railyard_spec::registers::registers;
use railyard_spec::{ParityShape, Shape};
use railyard_verilated::{read_field, In, ModelError, Out, Pins};

/// The packed totals are made afresh every so many cycles, so that a change nobody announced can't hide for long.
const REPACK: u32 = 64;

/// How the values of the golden model's types are written to a design's pins, and compared with them.
#[derive(Debug)]
pub struct PinMap {
    shape: Shape,
    pins: SwitchPorts,
    cam: Option<CamPins>,
    /// `lookup_hit` and `lookup_miss`.
    lookups: Option<(Out, Out)>,
    apb: Option<ApbPins>,
    interrupt: Option<Out>,
    protection: Option<ProtectionPins>,
    parity: ParityPins,
    minimal: Option<MinCreditPins>,
    credit: PackedTotals,
    drops: PackedTotals,
    until_repack: u32,
}

#[derive(Debug)]
struct SwitchPorts {
    reset: In,
    error_clear: In,
    rx_valid: In,
    rx_vc: In,
    rx_head: In,
    rx_tail: In,
    rx_flit: In,
    tx_credit_valid: In,
    tx_credit: In,
    rx_credit_valid: Out,
    rx_credit: Out,
    tx_valid: Out,
    tx_vc: Out,
    tx_head: Out,
    tx_tail: Out,
    tx_flit: Out,
    drop_valid: Out,
    drop_count: Out,
    errors: [Out; 5],
}

#[derive(Debug)]
struct CamPins {
    ready: In,
    response_valid: In,
    response_tag: In,
    response_hit: In,
    response_port: In,
    /// Whether answers name the VC of the next link, and which.
    response_vc: Option<(In, In)>,
    /// Whether answers name a group, and which.
    response_group: Option<(In, In)>,
    /// Number of further candidates, their ports, whether in order.
    response_candidates: Option<(In, In, In)>,
    valid: Out,
    tag: Out,
    address: Out,
    error: Out,
}

/// Error correction of the buffers.
#[derive(Debug)]
struct ProtectionPins {
    rx_bad: In,
    rx_flip: Option<In>,
    tx_bad: Out,
    tx_corrected: Out,
}

/// Credit of minimal packets.
#[derive(Debug)]
struct MinCreditPins {
    tx: In,
    rx: Out,
    totals: PackedTotals,
}

impl MinCreditPins {
    fn new(model: &impl Pins, shape: &Shape) -> Result<Option<MinCreditPins>, ModelError> {
        if !shape.dragonfly().is_some_and(|built| built.min_credits) {
            return Ok(None);
        }
        Ok(Some(MinCreditPins {
            tx: model.input("tx_min_credit")?,
            rx: model.output("rx_min_credit")?,
            totals: PackedTotals::new(shape.ports * shape.vcs, shape.credit_bits),
        }))
    }
}

/// Parity of caches and tables; what is not built is missing.
#[derive(Debug)]
struct ParityPins {
    cache_flip: Option<In>,
    table_flip: Option<In>,
    group_flip: Option<In>,
    lookup_parity: Option<Out>,
    table_parity: Option<Out>,
    group_parity: Option<Out>,
}

impl ParityPins {
    fn new(model: &impl Pins, shape: &Shape) -> Result<ParityPins, ModelError> {
        let input = |word: Option<ParityShape>, name| {
            word.filter(|word| word.fault_pins).map(|_| model.input(name)).transpose()
        };
        let output = |word: Option<ParityShape>, name| word.map(|_| model.output(name)).transpose();
        let (cache, table, groups) = (shape.cache_parity(), shape.table_parity(), shape.group_parity());
        Ok(ParityPins {
            cache_flip: input(cache, "cache_flip")?,
            table_flip: input(table, "table_flip")?,
            group_flip: input(groups, "group_flip")?,
            lookup_parity: output(cache, "lookup_parity")?,
            table_parity: output(table, "table_parity")?,
            group_parity: output(groups, "group_parity")?,
        })
    }
}

#[derive(Debug)]
struct ApbPins {
    psel: In,
    penable: In,
    pwrite: In,
    paddr: In,
    pwdata: In,
    pready: Out,
    prdata: Out,
    pslverr: Out,
}

impl PinMap {
    /// Finds the pins of a switch of that shape.
    ///
    /// # Errors
    /// The design lacks one.
    pub fn new(model: &impl Pins, shape: &Shape) -> Result<PinMap, ModelError> {
        let (i, o) = (|name| model.input(name), |name| model.output(name));
        let pins = SwitchPorts {
            reset: i(shape.reset.pin())?,
            error_clear: i("error_clear")?,
            rx_valid: i("rx_valid")?,
            rx_vc: i("rx_vc")?,
            rx_head: i("rx_head")?,
            rx_tail: i("rx_tail")?,
            rx_flit: i("rx_flit")?,
            tx_credit_valid: i("tx_credit_valid")?,
            tx_credit: i("tx_credit")?,
            rx_credit_valid: o("rx_credit_valid")?,
            rx_credit: o("rx_credit")?,
            tx_valid: o("tx_valid")?,
            tx_vc: o("tx_vc")?,
            tx_head: o("tx_head")?,
            tx_tail: o("tx_tail")?,
            tx_flit: o("tx_flit")?,
            drop_valid: o("drop_valid")?,
            drop_count: o("drop_count")?,
            errors: [o("error_vc")?, o("error_framing")?, o("error_overflow")?, o("error_length")?, o("error_credit")?],
        };
        let lookups = match shape.table() {
            None => None,
            Some(_) => Some((o("lookup_hit")?, o("lookup_miss")?)),
        };
        let cam = match shape.external_cam() {
            false => None,
            true => Some(CamPins {
                ready: i("cam_request_ready")?,
                response_valid: i("cam_response_valid")?,
                response_tag: i("cam_response_tag")?,
                response_hit: i("cam_response_hit")?,
                response_port: i("cam_response_port")?,
                response_vc: match shape.next_vc {
                    true => Some((i("cam_response_vc_set")?, i("cam_response_vc")?)),
                    false => None,
                },
                response_group: match shape.link_aggregation {
                    Some(_) => Some((i("cam_response_group_set")?, i("cam_response_group")?)),
                    None => None,
                },
                response_candidates: match shape.candidates {
                    1 => None,
                    _ => {
                        Some((i("cam_response_candidates")?, i("cam_response_candidate")?, i("cam_response_in_order")?))
                    }
                },
                valid: o("cam_request_valid")?,
                tag: o("cam_request_tag")?,
                address: o("cam_request_address")?,
                error: o("error_cam")?,
            }),
        };
        let apb = match registers(shape).is_empty() {
            true => None,
            false => Some(ApbPins {
                psel: i("apb_psel")?,
                penable: i("apb_penable")?,
                pwrite: i("apb_pwrite")?,
                paddr: i("apb_paddr")?,
                pwdata: i("apb_pwdata")?,
                pready: o("apb_pready")?,
                prdata: o("apb_prdata")?,
                pslverr: o("apb_pslverr")?,
            }),
        };
        let interrupt = if shape.events { Some(o("event_interrupt")?) } else { None };
        let protection = match shape.buffer_code {
            None => None,
            Some(code) => Some(ProtectionPins {
                rx_bad: i("rx_bad")?,
                rx_flip: if code.fault_pins { Some(i("rx_flip")?) } else { None },
                tx_bad: o("tx_bad")?,
                tx_corrected: o("tx_corrected")?,
            }),
        };
        Ok(PinMap {
            parity: ParityPins::new(model, shape)?,
            minimal: MinCreditPins::new(model, shape)?,
            pins,
            cam,
            lookups,
            apb,
            interrupt,
            protection,
            credit: PackedTotals::new(shape.ports * shape.vcs, shape.credit_bits),
            drops: PackedTotals::new(shape.ports, DROP_COUNT_BITS),
            until_repack: 0,
            shape: shape.clone(),
        })
    }

    /// Writes the inputs to the pins.
    #[inline]
    pub fn drive(&self, model: &mut impl Pins, inputs: &Inputs) {
        let (pins, shape) = (&self.pins, &self.shape);
        model.set(pins.reset, u64::from(inputs.reset != shape.reset.is_low()));
        model.set(pins.error_clear, u64::from(inputs.error_clear));
        model.set(pins.rx_valid, inputs.rx_valid);
        if inputs.rx_valid != 0 {
            model.set(pins.rx_head, inputs.rx_head);
            model.set(pins.rx_tail, inputs.rx_tail);
            for port in ones(inputs.rx_valid) {
                let bits = shape.vc_bits as usize;
                model.set_field(pins.rx_vc, port, bits, u64::from(inputs.rx_vc[port]));
            }
            let (width, words) = (shape.flit_bits as usize, inputs.words);
            let flit = |port: usize| &inputs.rx_flit[port * words..(port + 1) * words];
            if width % 32 == 0 && shape.ports * width > 64 {
                let mut target = model.words_mut(pins.rx_flit);
                for port in ones(inputs.rx_valid) {
                    target[port * words..(port + 1) * words].copy_from_slice(flit(port));
                }
            } else {
                for port in ones(inputs.rx_valid) {
                    model.write_bits(pins.rx_flit, port * width, width, flit(port));
                }
            }
        }
        let channels = shape.ports * shape.vcs;
        if channels <= 64 {
            model.set(pins.tx_credit_valid, inputs.tx_credit_valid.0[0]);
        } else {
            let mut target = model.words_mut(pins.tx_credit_valid);
            for (word, target) in target.iter_mut().enumerate() {
                *target = (inputs.tx_credit_valid.0[word / 2] >> (32 * (word % 2))) as u32;
            }
        }
        let bits = shape.credit_bits as usize;
        for word in 0..channels.div_ceil(64) {
            for bit in ones(inputs.tx_credit_valid.0[word]) {
                let channel = word * 64 + bit;
                model.set_field(pins.tx_credit, channel, bits, u64::from(inputs.tx_credit[channel]));
                if let Some(minimal) = &self.minimal {
                    model.set_field(minimal.tx, channel, bits, u64::from(inputs.tx_min_credit[channel]));
                }
            }
        }
        if let Some(cam) = &self.cam {
            model.set(cam.ready, u64::from(inputs.cam_request_ready));
            model.set(cam.response_valid, u64::from(inputs.cam_response_valid));
            if inputs.cam_response_valid {
                model.set(cam.response_tag, u64::from(inputs.cam_response_tag));
                model.set(cam.response_hit, u64::from(inputs.cam_response_hit));
                model.set(cam.response_port, u64::from(inputs.cam_response_port));
                if let Some((vc_set, vc)) = cam.response_vc {
                    model.set(vc_set, u64::from(inputs.cam_response_vc_set));
                    model.set(vc, u64::from(inputs.cam_response_vc));
                }
                if let Some((group_set, group)) = cam.response_group {
                    model.set(group_set, u64::from(inputs.cam_response_group_set));
                    model.set(group, u64::from(inputs.cam_response_group));
                }
                if let Some((count, ports, in_order)) = cam.response_candidates {
                    let candidates = inputs.cam_response_candidate[..shape.candidates - 1].iter().rev();
                    let packed = candidates.fold(0, |packed, &port| packed << shape.port_bits | u64::from(port));
                    model.set(count, u64::from(inputs.cam_response_candidates));
                    model.set(ports, packed);
                    model.set(in_order, u64::from(inputs.cam_response_in_order));
                }
            }
        }
        self.drive_protection(model, inputs);
        self.drive_parity(model, inputs);
        self.drive_apb(model, inputs);
    }

    /// Writes what comes beside flits with error correction.
    #[inline]
    fn drive_protection(&self, model: &mut impl Pins, inputs: &Inputs) {
        let Some(pins) = self.protection.as_ref().filter(|_| inputs.rx_valid != 0) else { return };
        model.set(pins.rx_bad, inputs.rx_bad);
        if let (Some(pin), Some(code)) = (pins.rx_flip, self.shape.buffer_code) {
            let (width, words) = (code.bits as usize, inputs.flip_words);
            for port in ones(inputs.rx_valid) {
                model.write_bits(pin, port * width, width, &inputs.rx_flip[port * words..(port + 1) * words]);
            }
        }
    }

    /// Writes the wrong bits of words with parity.
    #[inline]
    fn drive_parity(&self, model: &mut impl Pins, inputs: &Inputs) {
        if let (Some(pin), Some(word)) = (self.parity.cache_flip, self.shape.cache_parity()) {
            for (port, flips) in inputs.cache_flip.chunks(inputs.cache_flip_words).enumerate() {
                model.write_bits(pin, port * word.bits as usize, word.bits as usize, flips);
            }
        }
        if let (Some(pin), Some(word)) = (self.parity.group_flip, self.shape.group_parity()) {
            for (port, flips) in inputs.group_flip.chunks(inputs.group_flip_words).enumerate() {
                model.write_bits(pin, port * word.bits as usize, word.bits as usize, flips);
            }
        }
        if let (Some(pin), Some(word)) = (self.parity.table_flip, self.shape.table_parity()) {
            model.write_bits(pin, 0, word.bits as usize, &inputs.table_flip);
        }
    }

    /// Writes the register port's inputs.
    #[inline]
    fn drive_apb(&self, model: &mut impl Pins, inputs: &Inputs) {
        let apb = &inputs.apb;
        if let Some(pins) = &self.apb {
            model.set(pins.psel, u64::from(apb.psel));
            model.set(pins.penable, u64::from(apb.penable));
            model.set(pins.pwrite, u64::from(apb.pwrite));
            model.set(pins.paddr, u64::from(apb.paddr));
            model.set(pins.pwdata, u64::from(apb.pwdata));
        }
    }

    #[inline]
    fn protection_matches(&self, model: &impl Pins, expected: &Outputs) -> bool {
        let Some(pins) = &self.protection else { return true };
        let bad = model.get(pins.tx_bad) ^ expected.tx_bad;
        let corrected = model.get(pins.tx_corrected) ^ expected.tx_corrected;
        (bad | corrected) & expected.tx_valid == 0
    }

    #[inline]
    fn parity_matches(&self, model: &impl Pins, expected: &Outputs) -> bool {
        let ParityPins { lookup_parity, table_parity, group_parity, .. } = self.parity;
        lookup_parity.is_none_or(|pin| model.get(pin) == expected.lookup_parity)
            && table_parity.is_none_or(|pin| model.get(pin) == u64::from(expected.table_parity))
            && group_parity.is_none_or(|pin| model.get(pin) == expected.group_parity)
    }

    #[inline]
    fn apb_matches(&self, model: &impl Pins, expected: &Outputs) -> bool {
        let Some(apb) = &self.apb else { return true };
        model.get(apb.pready) == 1
            && model.get(apb.prdata) == u64::from(expected.apb_prdata)
            && model.get(apb.pslverr) == u64::from(expected.apb_pslverr)
    }

    /// Brings the packed totals up to date.
    #[inline]
    fn follow(&mut self, expected: &Outputs) {
        if self.until_repack == 0 {
            self.credit.repack(&expected.rx_credit);
            self.drops.repack(&expected.drop_count);
            if let Some(minimal) = &mut self.minimal {
                minimal.totals.repack(&expected.rx_min_credit);
            }
            self.until_repack = REPACK;
        }
        self.until_repack -= 1;
        for word in 0..(self.shape.ports * self.shape.vcs).div_ceil(64) {
            let valid = expected.rx_credit_valid.0[word];
            for bit in ones(valid | self.credit.recent.0[word]) {
                self.credit.put(word * 64 + bit, expected.rx_credit[word * 64 + bit]);
            }
            if let Some(minimal) = &mut self.minimal {
                ones(valid)
                    .for_each(|bit| minimal.totals.put(word * 64 + bit, expected.rx_min_credit[word * 64 + bit]));
            }
            self.credit.recent.0[word] = valid;
            for bit in ones(expected.drop_valid.0[word]) {
                let port = (word * 64 + bit) / self.shape.vcs;
                self.drops.put(port, expected.drop_count[port]);
            }
        }
    }

    #[inline]
    fn channels_match(&self, model: &impl Pins, pin: Out, expected: &VcBits) -> bool {
        let channels = self.shape.ports * self.shape.vcs;
        if channels <= 64 {
            return model.get(pin) == expected.0[0];
        }
        let words = model.words(pin).iter().enumerate();
        words.fold(true, |same, (i, &word)| same & (word == (expected.0[i / 2] >> (32 * (i % 2))) as u32))
    }

    #[inline]
    fn totals_match(&self, model: &impl Pins, pin: Out, expected: &PackedTotals) -> bool {
        match model.width(pin) {
            ..=64 => model.get(pin) == read_field(&expected.words, 0, model.width(pin)),
            _ => model.words(pin) == &expected.words[..],
        }
    }

    #[inline]
    fn flits_match(&self, model: &impl Pins, expected: &Outputs) -> bool {
        let (pins, shape) = (&self.pins, &self.shape);
        let (width, words) = (shape.flit_bits as usize, expected.words);
        let valid = expected.tx_valid;
        let marks = (model.get(pins.tx_head) ^ expected.tx_head) | (model.get(pins.tx_tail) ^ expected.tx_tail);
        let bits = shape.vc_bits as usize;
        let vcs = ones(valid).all(|port| model.field(pins.tx_vc, port, bits) == u64::from(expected.tx_vc[port]));
        let flits = if width % 32 == 0 && shape.ports * width > 64 {
            let got = model.words(pins.tx_flit);
            ones(valid).all(|port| got[port * words..(port + 1) * words] == *expected.flit(port))
        } else {
            ones(valid).all(|port| {
                expected.flit(port).iter().enumerate().all(|(i, &word)| {
                    let bits = (width - 32 * i).min(32);
                    model.bits(pins.tx_flit, port * width + 32 * i, bits) == u64::from(word)
                })
            })
        };
        marks & valid == 0 && vcs && flits
    }

    #[inline]
    fn cam_matches(&self, model: &impl Pins, expected: &Outputs) -> bool {
        let Some(cam) = &self.cam else { return true };
        let request = !expected.cam_request_valid
            || model.get(cam.tag) == u64::from(expected.cam_request_tag)
                && model.get(cam.address) == expected.cam_request_address;
        model.get(cam.valid) == u64::from(expected.cam_request_valid)
            && request
            && model.get(cam.error) == u64::from(expected.error_cam)
    }

    #[inline]
    fn lookups_match(&self, model: &impl Pins, expected: &Outputs) -> bool {
        let Some((hit, miss)) = self.lookups else { return true };
        model.get(hit) == expected.lookup_hit && model.get(miss) == expected.lookup_miss
    }

    /// Reads all output pins. What has no meaning in this cycle stays as it was in `outputs`.
    pub fn read(&self, model: &impl Pins, outputs: &mut Outputs) {
        let (pins, shape) = (&self.pins, &self.shape);
        let channels = shape.ports * shape.vcs;
        outputs.tx_valid = model.get(pins.tx_valid);
        outputs.tx_head = model.get(pins.tx_head);
        outputs.tx_tail = model.get(pins.tx_tail);
        let (width, words) = (shape.flit_bits as usize, outputs.words);
        for port in ones(outputs.tx_valid) {
            outputs.tx_vc[port] = model.field(pins.tx_vc, port, shape.vc_bits as usize) as u8;
            model.read_bits(pins.tx_flit, port * width, width, &mut outputs.tx_flit[port * words..(port + 1) * words]);
        }
        let read_channels = |pin: Out, bits: &mut VcBits| {
            bits.clear();
            (0..channels).filter(|&channel| model.field(pin, channel, 1) == 1).for_each(|channel| bits.set(channel));
        };
        read_channels(pins.rx_credit_valid, &mut outputs.rx_credit_valid);
        read_channels(pins.drop_valid, &mut outputs.drop_valid);
        for (channel, credit) in outputs.rx_credit.iter_mut().enumerate() {
            *credit = model.field(pins.rx_credit, channel, shape.credit_bits as usize) as u16;
        }
        if let Some(minimal) = &self.minimal {
            for (channel, credit) in outputs.rx_min_credit.iter_mut().enumerate() {
                *credit = model.field(minimal.rx, channel, shape.credit_bits as usize) as u16;
            }
        }
        for (port, count) in outputs.drop_count.iter_mut().enumerate() {
            *count = model.field(pins.drop_count, port, DROP_COUNT_BITS as usize) as u16;
        }
        if let Some(cam) = &self.cam {
            outputs.cam_request_valid = model.get(cam.valid) == 1;
            outputs.cam_request_tag = model.get(cam.tag) as u32;
            outputs.cam_request_address = model.get(cam.address);
            outputs.error_cam = model.get(cam.error) == 1;
        }
        if let Some((hit, miss)) = self.lookups {
            (outputs.lookup_hit, outputs.lookup_miss) = (model.get(hit), model.get(miss));
        }
        if let Some(apb) = &self.apb {
            outputs.apb_prdata = model.get(apb.prdata) as u32;
            outputs.apb_pslverr = model.get(apb.pslverr) == 1;
        }
        if let Some(pins) = &self.protection {
            (outputs.tx_bad, outputs.tx_corrected) = (model.get(pins.tx_bad), model.get(pins.tx_corrected));
        }
        if let Some(pin) = self.parity.lookup_parity {
            outputs.lookup_parity = model.get(pin);
        }
        if let Some(pin) = self.parity.table_parity {
            outputs.table_parity = model.get(pin) == 1;
        }
        if let Some(pin) = self.parity.group_parity {
            outputs.group_parity = model.get(pin);
        }
        if let Some(interrupt) = self.interrupt {
            outputs.event_interrupt = model.get(interrupt) == 1;
        }
        let [vc, framing, overflow, length, credit] = pins.errors.map(|pin| model.get(pin));
        (outputs.error_vc, outputs.error_framing, outputs.error_overflow) = (vc, framing, overflow);
        (outputs.error_length, outputs.error_credit) = (length, credit);
    }

    /// The packed totals are made afresh in the next comparison.
    #[inline]
    pub fn repack(&mut self) {
        self.until_repack = 0;
    }

    /// Whether some output that means something differs from what is expected after this cycle. Called once for each.
    #[inline]
    pub fn differs(&mut self, model: &impl Pins, expected: &Outputs) -> bool {
        self.follow(expected);
        let pins = &self.pins;
        let errors = [
            expected.error_vc,
            expected.error_framing,
            expected.error_overflow,
            expected.error_length,
            expected.error_credit,
        ];
        let same = model.get(pins.tx_valid) == expected.tx_valid
            && self.flits_match(model, expected)
            && self.channels_match(model, pins.rx_credit_valid, &expected.rx_credit_valid)
            && self.totals_match(model, pins.rx_credit, &self.credit)
            && self.minimal.as_ref().is_none_or(|minimal| self.totals_match(model, minimal.rx, &minimal.totals))
            && self.channels_match(model, pins.drop_valid, &expected.drop_valid)
            && self.totals_match(model, pins.drop_count, &self.drops)
            && pins.errors.iter().zip(errors).all(|(&pin, error)| model.get(pin) == error)
            && self.cam_matches(model, expected)
            && self.lookups_match(model, expected)
            && self.apb_matches(model, expected)
            && self.protection_matches(model, expected)
            && self.parity_matches(model, expected)
            && self.interrupt.is_none_or(|pin| model.get(pin) == u64::from(expected.event_interrupt));
        !same
    }

    /// All of them, for the report.
    pub fn differences(&self, model: &impl Pins, expected: &Outputs) -> Vec<Difference> {
        differences(&self.shape, expected, |pin, element| {
            let out = model.output(pin.name).expect("all pins were found at the start");
            let bits = pin.bits as usize;
            let mut words = vec![0; bits.div_ceil(32)];
            model.read_bits(out, element * bits, bits, &mut words);
            words
        })
    }
}
