//! A lookup in the routing cache: hash, set, ways, tags, and the CAM behind them.

use crate::canvas::{Anchor, Canvas, PixelPoint, Rect};
use crate::style::{Font, Ink, Stroke};
use railyard_input::Fault;
use railyard_spec::{CacheShape, CheckedConfig};

const HEIGHT: i32 = 34;
const WAY: i32 = 118;
/// Ways that are drawn at most.
const MOST: usize = 4;
/// Left edge of the sets.
const LEFT: i32 = 300;
const TOP: i32 = 96;

/// A lookup of an address that is in the cache, in the last way that is drawn.
///
/// # Errors
/// The switch has no routing cache.
pub fn lookup(config: &CheckedConfig) -> Result<Canvas, Fault> {
    let shape = config.shape();
    let Some((table, cache)) = shape.table().and_then(|table| Some((table, table.cache.as_ref()?))) else {
        let rule = "must have a routing cache".into();
        return Err(Fault { path: "/routing/cache".into(), value: "null".into(), rule, legal: "{}".into() });
    };
    let ways = cache.ways.min(MOST);
    let tags = tags(cache, table.address_bits, ways);
    let (address, set) = (tags[ways - 1], index(cache, table.address_bits, tags[ways - 1]));
    let title = format!(
        "{}: lookup of address {address:#x} in a cache of {} sets of {} ways",
        config.name, cache.sets, cache.ways
    );
    let description = format!(
        "The CRC of address {address:#x} is {:#x}; its {} low bits select set {set}. The tags of all ways of the set are compared with the address. Way {} has it: a hit.",
        cache.crc.of(address, table.address_bits), cache.index_bits, ways - 1
    );
    let mut canvas = Canvas::new("lookup", &title, &description);
    let hash = format!("CRC-{}: {:#x}", cache.crc.bits, cache.crc.of(address, table.address_bits));
    let boxes = [(0, "address", format!("{address:#x}")), (TOP + 2 * HEIGHT - 7, "hash", hash)];
    for (y, name, value) in &boxes {
        let rect = Rect::new(0, *y, 170, 52);
        canvas.panel(rect);
        canvas.label(rect, &[name, value]);
    }
    canvas.arrow(&[(85, 52), (85, TOP + 2 * HEIGHT - 7)], Ink::Control, Stroke::Thin);
    canvas.text((93, 110), Anchor::Start, Font::Code, Ink::Control, &table.address_bits.to_string());
    let middle = TOP + 2 * HEIGHT + 19;
    canvas.arrow(&[(170, middle), (LEFT - 56, middle)], Ink::Control, Stroke::Thin);
    canvas.text((206, middle - 7), Anchor::Middle, Font::Code, Ink::Control, &format!("{} bits", cache.index_bits));
    sets(&mut canvas, cache, set, &tags);
    compare(&mut canvas, &tags, address);
    Ok(canvas)
}

fn index(cache: &CacheShape, bits: u32, address: u64) -> u64 {
    cache.crc.of(address, bits) & (cache.sets as u64 - 1)
}

/// The first addresses from 1 on that share the set of address 1.
fn tags(cache: &CacheShape, bits: u32, count: usize) -> Vec<u64> {
    let set = index(cache, bits, 1);
    (1..u64::MAX).filter(|&address| index(cache, bits, address) == set).take(count).collect()
}

/// The set with its ways, below the sets before it.
fn sets(canvas: &mut Canvas, cache: &CacheShape, set: u64, tags: &[u64]) {
    let neighbours = [set.checked_sub(2), set.checked_sub(1), Some(set)];
    for (row, number) in neighbours.into_iter().enumerate() {
        let Some(number) = number else { continue };
        let y = TOP + row as i32 * HEIGHT + 4;
        canvas.text((LEFT - 10, y + 22), Anchor::End, Font::Note, Ink::Soft, &number.to_string());
        for (way, tag) in tags.iter().enumerate() {
            let rect = Rect::new(LEFT + way as i32 * WAY, y, WAY - 6, HEIGHT - 4);
            let is_set = number == set;
            canvas.area(rect, Ink::Panel, if is_set { Ink::Control } else { Ink::Soft }, Stroke::Thin);
            let text = if is_set { format!("{tag:#x} | port") } else { "…".into() };
            canvas.text((rect.middle().0, y + 20), Anchor::Middle, Font::Code, Ink::Main, &text);
        }
    }
    for way in 0..tags.len() {
        let x = LEFT + way as i32 * WAY + (WAY - 6) / 2;
        canvas.text((x, TOP - 8), Anchor::Middle, Font::Note, Ink::Soft, &format!("way {way}"));
    }
    canvas.text((LEFT - 10, TOP - 8), Anchor::End, Font::Note, Ink::Soft, "set");
    if cache.ways > tags.len() {
        let x = LEFT + tags.len() as i32 * WAY;
        canvas.text((x, TOP - 8), Anchor::Start, Font::Note, Ink::Soft, &format!("to {}", cache.ways - 1));
    }
}

/// The comparators below the ways, and what follows.
fn compare(canvas: &mut Canvas, tags: &[u64], address: u64) {
    let (y, below) = (TOP + 3 * HEIGHT + 26, TOP + 3 * HEIGHT + 100);
    for (way, tag) in tags.iter().enumerate() {
        let x = LEFT + way as i32 * WAY + (WAY - 6) / 2;
        let is_hit = *tag == address;
        let ink = if is_hit { Ink::Back } else { Ink::Soft };
        canvas.arrow(&[(x, TOP + 3 * HEIGHT), (x, y)], ink, Stroke::Thin);
        canvas.circle((x, y + 15), 15, Ink::Paper, ink);
        canvas.text((x, y + 20), Anchor::Middle, Font::Name, ink, if is_hit { "=" } else { "≠" });
    }
    let x = |way: usize| LEFT + way as i32 * WAY + (WAY - 6) / 2;
    let hit = Rect::new(x(tags.len() - 1) - 66, below, 132, 48);
    let arrow =
        |canvas: &mut Canvas, from: PixelPoint, to: PixelPoint, ink| canvas.arrow(&[from, to], ink, Stroke::Thin);
    arrow(canvas, (hit.middle().0, y + 30), (hit.middle().0, below), Ink::Back);
    canvas.area(hit, Ink::Panel, Ink::Back, Stroke::Thin);
    canvas.label(hit, &["hit", "port of this way"]);
    let miss = Rect::new(0, below, 200, 48);
    canvas.area(miss, Ink::Panel, Ink::Alarm, Stroke::Thin);
    canvas.label(miss, &["no way has the tag: miss", "ask table or CAM, then fill"]);
}
