//! The one style of all pictures: colours for light and dark, and the style sheet that is put into each SVG.
//!
//! A picture has its own background, so that it is readable on a page of any colour. Printers get the light colours.

use std::fmt::Write;

/// What a colour is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The background.
    Paper,
    /// The inside of a box.
    Panel,
    /// Text and lines.
    Main,
    /// Notes, grids and frames.
    Soft,
    /// What a packet does: data.
    Data,
    /// What decides: control, requests, keys.
    Control,
    /// What comes back or down: credits, answers, completions.
    Back,
    /// What is wrong or waits.
    Alarm,
}

/// An ink's name in the style sheet, and its colours in light and dark surroundings.
pub(crate) struct Colour {
    pub ink: Ink,
    pub name: &'static str,
    pub light: &'static str,
    pub dark: &'static str,
}

const fn colour(ink: Ink, name: &'static str, light: &'static str, dark: &'static str) -> Colour {
    Colour { ink, name, light, dark }
}

/// All inks. The hues are those of Okabe and Ito, which the colour-blind can tell apart, darkened for light paper.
pub(crate) const COLOURS: [Colour; 8] = [
    colour(Ink::Paper, "paper", "#ffffff", "#15181c"),
    colour(Ink::Panel, "panel", "#f1f4f7", "#252b32"),
    colour(Ink::Main, "main", "#1b1f24", "#e8eaed"),
    colour(Ink::Soft, "soft", "#57606a", "#a5aeb8"),
    colour(Ink::Data, "data", "#00609a", "#6cc0f0"),
    colour(Ink::Control, "control", "#a34700", "#f5a860"),
    colour(Ink::Back, "back", "#00694c", "#4fd0a4"),
    colour(Ink::Alarm, "alarm", "#a3246f", "#f09ac8"),
];

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// As wide as a box's border.
    Thin,
    /// For what the picture is about.
    Thick,
    /// For frames, and for what is not part of the switch.
    Dashed,
}

/// How text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Font {
    /// The heading of a picture.
    Heading,
    /// Names.
    Name,
    /// Sizes and notes.
    Note,
    /// Pins, bits and numbers: all characters are as wide.
    Code,
}

impl Ink {
    pub(crate) fn name(self) -> &'static str {
        COLOURS.iter().find(|colour| colour.ink == self).map_or("", |colour| colour.name)
    }
}

impl Stroke {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stroke::Thin => "thin",
            Stroke::Thick => "thick",
            Stroke::Dashed => "dashed",
        }
    }
}

impl Font {
    /// Height of a letter's box in pixels.
    pub fn size(self) -> i32 {
        match self {
            Font::Heading => 17,
            Font::Name => 14,
            Font::Note | Font::Code => 13,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Font::Heading => "heading",
            Font::Name => "name",
            Font::Note => "note",
            Font::Code => "code",
        }
    }

    /// Width of a text in pixels, by the widths of a wide sans-serif font (DejaVu Sans), so that any usual font fits.
    pub fn width(self, text: &str) -> i32 {
        let bold = if self == Font::Heading { 1100 } else { 1000 };
        let units: i32 = text.chars().map(|letter| if self == Font::Code { 602 } else { units(letter) }).sum();
        (units * self.size() * bold / 1_000_000) + 1
    }
}

/// Width of a letter in thousandths of the font's size.
fn units(letter: char) -> i32 {
    match letter {
        'i' | 'j' | 'l' | '\'' => 278,
        ' ' | '.' | ',' | '|' => 320,
        'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | ':' | ';' | '-' => 412,
        'c' | 's' | 'z' | 'J' => 550,
        'm' | 'M' | 'W' | '%' => 985,
        'w' | '=' | '+' | '<' | '>' | '→' | '←' | '↑' | '↓' | '…' | '×' | '≥' | '≤' => 838,
        'A'..='Z' => 740,
        _ => 640,
    }
}

/// The style sheet.
pub(crate) fn sheet() -> String {
    let mut css = String::from(
        ".railyard text{stroke:none;font-family:sans-serif}\n\
         .railyard .heading{font-weight:bold}\n\
         .railyard .code{font-family:monospace}\n\
         .railyard .halo{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}\n\
         .railyard .line,.railyard .box{stroke-linejoin:round}\n\
         .railyard .line{fill:none}\n\
         .railyard .thin{stroke-width:1.4}\n\
         .railyard .thick{stroke-width:2.6}\n\
         .railyard .dashed{stroke-width:1.4;stroke-dasharray:6 4}\n",
    );
    for font in [Font::Heading, Font::Name, Font::Note, Font::Code] {
        let _ = writeln!(css, ".railyard .{}{{font-size:{}px}}", font.name(), font.size());
    }
    css += &colours(|colour| colour.light);
    css += "@media screen and (prefers-color-scheme:dark){\n";
    css += &colours(|colour| colour.dark);
    css += "}\n";
    css
}

/// Three classes for each ink: `ink-x` fills text, `line-x` draws lines, `fill-x` fills areas.
fn colours(of: impl Fn(&Colour) -> &'static str) -> String {
    let rules = COLOURS.iter().map(|colour| {
        let (name, value) = (colour.name, of(colour));
        format!(
            ".railyard .ink-{name},.railyard .fill-{name}{{fill:{value}}}.railyard .line-{name}{{stroke:{value}}}\n"
        )
    });
    rules.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of a colour `#rrggbb` (WCAG 2.2).
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// 4.5 to 1 is what WCAG 2.2 asks of text.
    #[test]
    fn every_ink_is_readable_on_paper_and_panel_in_light_and_dark() {
        let papers: Vec<&Colour> =
            COLOURS.iter().filter(|colour| matches!(colour.ink, Ink::Paper | Ink::Panel)).collect();
        for colour in COLOURS.iter().filter(|colour| !matches!(colour.ink, Ink::Paper | Ink::Panel)) {
            for paper in &papers {
                for (a, b) in [(colour.light, paper.light), (colour.dark, paper.dark)] {
                    assert!(contrast(a, b) >= 4.5, "{} {a} on {b}: {:.2}", colour.name, contrast(a, b));
                }
            }
        }
    }
}
