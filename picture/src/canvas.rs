//! A drawing of boxes, lines and text in whole pixels, which becomes an SVG.

use crate::style::{sheet, Font, Ink, Stroke};
use svg::node::element::Element;
use svg::node::Text;
use svg::Node;

/// A place in pixels, from the left and from the top.
pub type PixelPoint = (i32, i32);

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

/// A quadratic curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Curve {
    /// Where it starts.
    pub from: PixelPoint,
    /// Toward where it bends.
    pub bend: PixelPoint,
    /// Where it ends.
    pub to: PixelPoint,
}

impl Curve {
    /// The place at a share of the way.
    pub fn at(&self, share: f64) -> PixelPoint {
        let mix = |a: i32, b: i32, c: i32| {
            let rest = 1.0 - share;
            (rest * rest * f64::from(a) + 2.0 * rest * share * f64::from(b) + share * share * f64::from(c)).round()
                as i32
        };
        (mix(self.from.0, self.bend.0, self.to.0), mix(self.from.1, self.bend.1, self.to.1))
    }
}

/// Where a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A text with the room that it takes in a wide font.
struct Written {
    text: String,
    room: Rect,
}

/// A picture under construction.
pub struct Canvas {
    name: String,
    title: String,
    description: String,
    nodes: Vec<Element>,
    written: Vec<Written>,
    overflowing: Vec<String>,
    /// Left, top, right and bottom of what was drawn.
    extent: Option<[i32; 4]>,
}

/// Room around a picture.
const MARGIN: i32 = 14;

impl Rect {
    /// A rectangle by its upper left corner and size.
    pub fn new(x: i32, y: i32, width: i32, height: i32) -> Rect {
        Rect { x, y, width, height }
    }

    /// Right edge.
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }

    /// The middle.
    pub fn middle(&self) -> PixelPoint {
        (self.x + self.width / 2, self.y + self.height / 2)
    }

    /// The rectangle with so much more room on each side.
    pub fn grown(&self, by: i32) -> Rect {
        Rect::new(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)
    }

    /// Whether the two have a pixel in common.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

impl Canvas {
    /// An empty picture with its title. `name` is a word that tells it from others on the same page; `description` says
    /// what is seen, for readers who don't see it.
    pub fn new(name: &str, title: &str, description: &str) -> Canvas {
        let (name, title, description) = (name.into(), title.into(), description.into());
        Canvas {
            name,
            title,
            description,
            nodes: Vec::new(),
            written: Vec::new(),
            overflowing: Vec::new(),
            extent: None,
        }
    }

    /// A box filled with `inside` and drawn in `ink`.
    pub fn area(&mut self, rect: Rect, inside: Ink, ink: Ink, stroke: Stroke) {
        let mut node = Element::new("rect");
        for (name, value) in [("x", rect.x), ("y", rect.y), ("width", rect.width), ("height", rect.height), ("rx", 3)] {
            node.assign(name, value);
        }
        node.assign("class", format!("box {} fill-{} line-{}", stroke.name(), inside.name(), ink.name()));
        self.add(node, rect);
    }

    /// A box of the usual kind.
    pub fn panel(&mut self, rect: Rect) {
        self.area(rect, Ink::Panel, Ink::Main, Stroke::Thin);
    }

    /// A circle filled with `inside`.
    pub fn circle(&mut self, (x, y): PixelPoint, radius: i32, inside: Ink, ink: Ink) {
        let mut node = Element::new("circle");
        for (name, value) in [("cx", x), ("cy", y), ("r", radius)] {
            node.assign(name, value);
        }
        node.assign("class", format!("box thin fill-{} line-{}", inside.name(), ink.name()));
        self.add(node, Rect::new(x - radius, y - radius, 2 * radius, 2 * radius));
    }

    /// A line through some places.
    pub fn line(&mut self, places: &[PixelPoint], ink: Ink, stroke: Stroke) {
        let mut node = Element::new("polyline");
        node.assign("points", points(places));
        node.assign("class", format!("line {} line-{}", stroke.name(), ink.name()));
        self.add(node, bounds(places));
    }

    /// A line that starts toward the place between its ends, and comes from there: a quadratic curve.
    pub fn curve(&mut self, curve: Curve, ink: Ink, stroke: Stroke) {
        let Curve { from, bend, to } = curve;
        let mut node = Element::new("path");
        node.assign("d", format!("M{},{} Q{},{} {},{}", from.0, from.1, bend.0, bend.1, to.0, to.1));
        node.assign("class", format!("line {} line-{}", stroke.name(), ink.name()));
        let steps: Vec<PixelPoint> = (0..=8).map(|step| curve.at(f64::from(step) / 8.0)).collect();
        self.add(node, bounds(&steps));
    }

    /// A text in the middle of the first of these places where it overlaps no other text; of the last one if it does
    /// everywhere.
    pub fn text_at_one_of(&mut self, places: &[PixelPoint], font: Font, ink: Ink, text: &str) {
        let room = |(x, y): PixelPoint| {
            let (width, height) = (font.width(text), font.size());
            Rect::new(x - width / 2, y - height / 2, width, height).grown(1)
        };
        let is_free = |place: &&PixelPoint| self.written.iter().all(|other| !other.room.overlaps(&room(**place)));
        let Some(&(x, y)) = places.iter().find(is_free).or(places.last()) else { return };
        // Lines do not go through it.
        let ink = format!("halo line-paper ink-{}", ink.name());
        self.write((x, y + font.size() / 2 - 2), Anchor::Middle, font, &ink, text);
    }

    /// A line with an arrow head at its last place.
    pub fn arrow(&mut self, places: &[PixelPoint], ink: Ink, stroke: Stroke) {
        let [.., before, tip] = places else { return };
        let head = head(*before, *tip, if stroke == Stroke::Thick { 11.0 } else { 9.0 });
        let mut shaft = places.to_vec();
        shaft[places.len() - 1] = ((head[1].0 + head[2].0) / 2, (head[1].1 + head[2].1) / 2);
        self.line(&shaft, ink, stroke);
        self.shape(&head, ink);
    }

    /// A filled shape with these corners.
    pub fn shape(&mut self, corners: &[PixelPoint], ink: Ink) {
        let mut node = Element::new("polygon");
        node.assign("points", points(corners));
        node.assign("class", format!("fill-{}", ink.name()));
        self.add(node, bounds(corners));
    }

    /// A text whose baseline is at a place.
    pub fn text(&mut self, place: PixelPoint, anchor: Anchor, font: Font, ink: Ink, text: &str) {
        self.write(place, anchor, font, &format!("ink-{}", ink.name()), text);
    }

    fn write(&mut self, (x, y): PixelPoint, anchor: Anchor, font: Font, ink: &str, text: &str) {
        let width = font.width(text);
        let (name, left) = match anchor {
            Anchor::Start => ("start", x),
            Anchor::Middle => ("middle", x - width / 2),
            Anchor::End => ("end", x - width),
        };
        let mut node = Element::new("text");
        node.assign("x", x);
        node.assign("y", y);
        node.assign("text-anchor", name);
        node.assign("class", format!("{} {ink}", font.name()));
        node.append(Text::new(text));
        let size = font.size();
        let room = Rect::new(left, y - size * 3 / 4, width, size * 19 / 20);
        self.written.push(Written { text: text.into(), room });
        self.add(node, room);
    }

    /// Lines of text in the middle of a box, the first one as a name, the others as notes.
    pub fn label(&mut self, rect: Rect, lines: &[&str]) {
        let height = 17;
        let (x, middle) = rect.middle();
        let top = middle - (lines.len() as i32 - 1) * height / 2 + 5;
        for (number, line) in lines.iter().enumerate() {
            let (font, ink) = if number == 0 { (Font::Name, Ink::Main) } else { (Font::Note, Ink::Soft) };
            if font.width(line) > rect.width - 4 {
                self.overflowing.push(line.to_string());
            }
            self.text((x, top + number as i32 * height), Anchor::Middle, font, ink, line);
        }
    }

    /// What is hard to read in a wide font: labels that don't fit into their boxes, and texts that overlap.
    pub fn flaws(&self) -> Vec<String> {
        let mut flaws: Vec<String> =
            self.overflowing.iter().map(|line| format!("'{line}' is too wide for its box")).collect();
        for (number, one) in self.written.iter().enumerate() {
            for other in self.written[..number].iter().filter(|other| one.room.overlaps(&other.room)) {
                flaws.push(format!("'{}' overlaps '{}'", one.text, other.text));
            }
        }
        flaws
    }

    /// What is drawn, without margins.
    pub fn extent(&self) -> Rect {
        let [left, top, right, bottom] = self.extent.unwrap_or_default();
        Rect::new(left, top, right - left, bottom - top)
    }

    fn add(&mut self, node: Element, room: Rect) {
        let new = [room.x, room.y, room.right(), room.bottom()];
        self.extent = Some(match self.extent {
            None => new,
            Some(old) => [old[0].min(new[0]), old[1].min(new[1]), old[2].max(new[2]), old[3].max(new[3])],
        });
        self.nodes.push(node);
    }

    /// The picture as an SVG document, its title above what was drawn.
    pub fn svg(mut self) -> String {
        let drawn = self.extent();
        self.text((drawn.x, drawn.y - 16), Anchor::Start, Font::Heading, Ink::Main, &self.title.clone());
        let paper = self.extent().grown(MARGIN);
        let mut root = Element::new("svg");
        let (title, description) = (format!("{}-title", self.name), format!("{}-description", self.name));
        root.assign("xmlns", "http://www.w3.org/2000/svg");
        root.assign("viewBox", format!("{} {} {} {}", paper.x, paper.y, paper.width, paper.height));
        root.assign("width", paper.width);
        root.assign("height", paper.height);
        root.assign("class", "railyard");
        root.assign("role", "img");
        root.assign("aria-labelledby", format!("{title} {description}"));
        root.append(said("title", &title, &self.title));
        root.append(said("desc", &description, &self.description));
        let mut style = Element::new("style");
        style.append(Text::new(sheet()));
        root.append(style);
        let mut background = Element::new("rect");
        for (name, value) in [("x", paper.x), ("y", paper.y), ("width", paper.width), ("height", paper.height)] {
            background.assign(name, value);
        }
        background.assign("class", "fill-paper");
        root.append(background);
        self.nodes.into_iter().for_each(|node| root.append(node));
        format!("{root}\n")
    }
}

/// An element that is read out.
fn said(element: &str, id: &str, text: &str) -> Element {
    let mut node = Element::new(element);
    node.assign("id", id);
    node.append(Text::new(text));
    node
}

fn points(places: &[PixelPoint]) -> String {
    places.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
}

fn bounds(places: &[PixelPoint]) -> Rect {
    let [xs, ys] = [|place: &PixelPoint| place.0, |place: &PixelPoint| place.1].map(|of| places.iter().map(of));
    let low = |values: &mut dyn Iterator<Item = i32>| values.fold(i32::MAX, i32::min);
    let high = |values: &mut dyn Iterator<Item = i32>| values.fold(i32::MIN, i32::max);
    let (left, top) = (low(&mut xs.clone()), low(&mut ys.clone()));
    Rect::new(left, top, high(&mut xs.clone()) - left, high(&mut ys.clone()) - top)
}

/// The corners of an arrow head, tip first.
fn head(from: PixelPoint, tip: PixelPoint, length: f64) -> [PixelPoint; 3] {
    let (dx, dy) = (f64::from(tip.0 - from.0), f64::from(tip.1 - from.1));
    let norm = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / norm, dy / norm);
    let corner = |side: f64| {
        let (x, y) = (f64::from(tip.0) - length * ux, f64::from(tip.1) - length * uy);
        ((x - side * uy).round() as i32, (y + side * ux).round() as i32)
    };
    [tip, corner(length * 0.45), corner(-length * 0.45)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_says_what_it_is_and_escapes_its_text() {
        let mut canvas = Canvas::new("a", "less < more", "two & two");
        canvas.panel(Rect::new(0, 0, 100, 40));
        canvas.label(Rect::new(0, 0, 100, 40), &["a<b", "c&d"]);
        canvas.arrow(&[(0, 50), (100, 50)], Ink::Data, Stroke::Thin);
        let svg = canvas.svg();
        for part in ["<title id=\"a-title\">less &lt; more</title>", "two &amp; two</desc>", "a&lt;b", "c&amp;d"] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
    }

    #[test]
    fn what_is_drawn_has_a_margin() {
        let mut canvas = Canvas::new("a", "t", "d");
        canvas.panel(Rect::new(10, 20, 200, 40));
        assert_eq!(canvas.extent(), Rect::new(10, 20, 200, 40));
        let svg = canvas.svg();
        assert!(svg.contains("viewBox=\"-4 "), "{svg}");
    }

    #[test]
    fn an_arrow_head_points_where_the_line_goes() {
        assert_eq!(head((0, 0), (20, 0), 10.0), [(20, 0), (10, 5), (10, -5)]);
        assert_eq!(head((0, 20), (0, 0), 10.0)[0], (0, 0));
    }
}
