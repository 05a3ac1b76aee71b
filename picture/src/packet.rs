//! Packet and header: which bits of which flits mean what.

use crate::canvas::{Anchor, Canvas, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_spec::barrier::MESSAGE_BITS;
use railyard_spec::{CheckedConfig, RoutingShape, Shape};

/// Width of a flit.
const WIDTH: i32 = 760;
/// Width of the narrowest field.
const NARROWEST: i32 = 62;
const HEIGHT: i32 = 34;
/// Left edge of the flits.
const LEFT: i32 = 70;

/// A field of a flit: highest and lowest bit, meaning.
struct Field {
    high: u32,
    low: u32,
    name: String,
    ink: Ink,
}

/// The packet of a description, its header bit by bit, and the other headers that the switch knows.
pub fn packet(config: &CheckedConfig) -> Canvas {
    let shape = config.shape();
    let title = format!("{}: packets of up to {} flits of {} bits", config.name, shape.max_flits, shape.flit_bits);
    let description = format!(
        "Bit fields. A packet has up to {} flits. Its header has {} flit(s): {}.",
        shape.max_flits,
        shape.header_flits(),
        if shape.address_bits().is_some() { "the destination address" } else { "the list of output ports" }
    );
    let mut canvas = Canvas::new("packet", &title, &description);
    let mut page = Page { canvas: &mut canvas, y: 0 };
    page.flits(&shape);
    page.header(&shape, false);
    if let RoutingShape::Source(source) = &shape.routing {
        page.caption("the same head flit as it leaves: each switch takes the lowest port and shifts the others down");
        page.fields(&[source_fields(&shape, source.hops, true)]);
    }
    if shape.multicast.is_some() {
        page.caption("header of a multicast packet, on the mixed VC");
        page.header(&shape, true);
    }
    if shape.barrier.is_some() {
        page.caption("barrier message: a packet of one flit on the barrier VC");
        page.fields(&[message_fields(&shape)]);
    }
    canvas
}

struct Page<'a> {
    canvas: &'a mut Canvas,
    /// Upper edge of what is drawn next.
    y: i32,
}

impl Page<'_> {
    /// The packet as a row of flits.
    fn flits(&mut self, shape: &Shape) {
        let drawn = (shape.max_flits as i32).min(6);
        let width = WIDTH / 6 - 8;
        for at in 0..drawn {
            let is_last = at + 1 == drawn;
            let skips = at == 4 && shape.max_flits > 6;
            let (name, marks) = match at {
                0 if is_last => ("the flit", "head, tail"),
                0 => ("head flit", "head"),
                _ if is_last => ("tail flit", "tail"),
                _ if skips => ("…", ""),
                _ => ("body flit", ""),
            };
            let rect = Rect::new(LEFT + at * (width + 9), self.y, width, 46);
            let ink = if at < shape.header_flits() as i32 { Ink::Control } else { Ink::Data };
            self.canvas.area(rect, Ink::Panel, ink, Stroke::Thin);
            self.canvas.label(rect, &[name, marks][..if marks.is_empty() { 1 } else { 2 }]);
        }
        self.y += 46;
        self.caption("header");
    }

    /// A line of text with room around it.
    fn caption(&mut self, text: &str) {
        self.y += 34;
        self.canvas.text((LEFT, self.y), Anchor::Start, Font::Name, Ink::Main, text);
        self.y += 26;
    }

    fn header(&mut self, shape: &Shape, multicast: bool) {
        let flits = match &shape.routing {
            RoutingShape::Source(source) if !multicast => vec![source_fields(shape, source.hops, false)],
            RoutingShape::Source(source) => target_fields(shape, source.route_bits, true),
            RoutingShape::Table(_) | RoutingShape::Algorithmic(_) | RoutingShape::Dragonfly(_) => {
                target_fields(shape, shape.address_bits().unwrap_or(0), multicast)
            }
        };
        self.fields(&flits);
    }

    /// Flits one below the other, each with its fields from the highest bit.
    fn fields(&mut self, flits: &[Vec<Field>]) {
        for (number, fields) in flits.iter().enumerate() {
            let name = format!("flit {number}");
            self.canvas.text((LEFT - 12, self.y + 22), Anchor::End, Font::Note, Ink::Soft, &name);
            let mut x = LEFT;
            for (field, width) in fields.iter().zip(widths(fields)) {
                let rect = Rect::new(x, self.y, width, HEIGHT);
                self.canvas.area(rect, Ink::Panel, field.ink, Stroke::Thin);
                let (middle, base) = (rect.middle().0, rect.middle().1 + 5);
                self.canvas.text((middle, base), Anchor::Middle, Font::Note, field.ink, &field.name);
                let bits = if field.high == field.low {
                    field.low.to_string()
                } else {
                    format!("{}:{}", field.high, field.low)
                };
                self.canvas.text((middle, self.y - 6), Anchor::Middle, Font::Code, Ink::Soft, &bits);
                x += width;
            }
            self.y += HEIGHT + 26;
        }
        self.y -= 26;
    }
}

/// Widths in pixels: by bits, but so that each has room for its text.
fn widths(fields: &[Field]) -> Vec<i32> {
    let least: Vec<i32> = fields.iter().map(|field| NARROWEST.max(Font::Note.width(&field.name) + 12)).collect();
    let bits: Vec<i32> = fields.iter().map(|field| (field.high - field.low + 1) as i32).collect();
    let (spare, all) = ((WIDTH - least.iter().sum::<i32>()).max(0), bits.iter().sum::<i32>());
    least.iter().zip(&bits).map(|(least, bits)| least + spare * bits / all).collect()
}

fn field(high: u32, low: u32, name: impl Into<String>, ink: Ink) -> Field {
    Field { high, low, name: name.into(), ink }
}

/// Payload, multicast bit and list of ports.
fn source_fields(shape: &Shape, hops: u32, leaves: bool) -> Vec<Field> {
    let bits = shape.port_bits;
    let mut fields = Vec::new();
    let mut top = shape.flit_bits;
    if shape.multicast.is_some() {
        let bit = hops * bits;
        payload(&mut fields, top, bit + 1);
        fields.push(field(bit, bit, "0", Ink::Alarm));
        top = bit;
    }
    payload(&mut fields, top, hops * bits);
    // Of long lists the middle is one field.
    let middle = (hops > 6).then(|| (hops - 3, 2));
    let name = |hop: u32| match (leaves, hop + 1 == hops) {
        (true, true) => "0".to_string(),
        (true, false) => format!("port {}", hop + 1),
        (false, _) => format!("port {hop}"),
    };
    for hop in (0..hops).rev() {
        let (high, low) = ((hop + 1) * bits - 1, hop * bits);
        match middle {
            Some((above, below)) if hop == above => fields.push(field(high, below * bits, "…", Ink::Control)),
            Some((above, below)) if hop < above && hop >= below => {}
            _ => fields.push(field(high, low, name(hop), Ink::Control)),
        }
    }
    fields
}

/// Payload above what is used of a flit.
fn payload(fields: &mut Vec<Field>, top: u32, used: u32) {
    if top > used {
        fields.push(field(top - 1, used, "payload", Ink::Data));
    }
}

/// The flits of a header with an address or a group, and the multicast bit where there is one.
fn target_fields(shape: &Shape, bits: u32, multicast: bool) -> Vec<Vec<Field>> {
    let (width, has_bit) = (shape.flit_bits, shape.multicast.is_some());
    let name = if multicast { "number of the group" } else { "address" };
    let header = bits + u32::from(has_bit);
    let flit = |number: u32| {
        let (start, end) = (number * width, (number + 1) * width);
        let mut fields = Vec::new();
        payload(&mut fields, end - start, header.saturating_sub(start));
        if has_bit && (start..end).contains(&bits) {
            fields.push(field(bits - start, bits - start, if multicast { "1" } else { "0" }, Ink::Alarm));
        }
        if start < bits {
            let high = bits.min(end) - 1 - start;
            let name = if header > width { format!("{name} {}:{start}", bits.min(end) - 1) } else { name.into() };
            fields.push(field(high, 0, name, Ink::Control));
        }
        fields
    };
    (0..header.div_ceil(width)).map(flit).collect()
}

fn message_fields(shape: &Shape) -> Vec<Field> {
    let mut fields = Vec::new();
    if shape.flit_bits > MESSAGE_BITS {
        fields.push(field(shape.flit_bits - 1, MESSAGE_BITS, "0", Ink::Soft));
    }
    let named = [(31, 24, "CRC-8"), (23, 16, "number"), (15, 8, "group"), (7, 0, "kind")];
    fields.extend(named.map(|(high, low, name)| field(high, low, name, Ink::Control)));
    fields
}
