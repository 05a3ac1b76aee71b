//! Colours of plots for light and dark surroundings, those of the other pictures, and the style sheet that swaps them.
//!
//! The drawing writes light colours as attributes. In dark surroundings the sheet replaces each by its dark one.
//! Printers get the light colours.

use plotters::style::RGBColor;
use std::fmt::Write;

/// A colour in light and in dark surroundings.
pub(crate) struct Colour {
    light: [u8; 3],
    dark: [u8; 3],
}

const fn colour(light: u32, dark: u32) -> Colour {
    const fn bytes(colour: u32) -> [u8; 3] {
        let [_, red, green, blue] = colour.to_be_bytes();
        [red, green, blue]
    }
    Colour { light: bytes(light), dark: bytes(dark) }
}

/// The background.
pub(crate) const PAPER: Colour = colour(0xffffff, 0x15181c);
/// Text, axes and published points.
pub(crate) const MAIN: Colour = colour(0x1b1f24, 0xe8eaed);

/// Series. The hues are those of Okabe and Ito, which the colour-blind can tell apart.
pub(crate) const SERIES: [Colour; 7] = [
    colour(0x00609a, 0x6cc0f0),
    colour(0xa34700, 0xf5a860),
    colour(0x00694c, 0x4fd0a4),
    colour(0xa3246f, 0xf09ac8),
    colour(0x7a6000, 0xe6c84f),
    colour(0x5b4ba8, 0xb5a8f5),
    colour(0x57606a, 0xa5aeb8),
];

impl Colour {
    /// The colour that is drawn with.
    pub(crate) fn ink(&self) -> RGBColor {
        let [red, green, blue] = self.light;
        RGBColor(red, green, blue)
    }
}

/// As the drawing writes it.
fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// The style sheet of a plot.
pub(crate) fn sheet() -> String {
    let mut css = String::from("@media screen and (prefers-color-scheme:dark){\n");
    for colour in [&PAPER, &MAIN].into_iter().chain(&SERIES) {
        let (light, dark) = (hex(colour.light), hex(colour.dark));
        for what in ["fill", "stroke"] {
            let _ = writeln!(css, ".railyard-plot [{what}=\"{light}\"]{{{what}:{dark}}}");
        }
    }
    css + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2).
    fn luminance(colour: [u8; 3]) -> f64 {
        let [red, green, blue] = colour.map(|byte| match f64::from(byte) / 255.0 {
            value if value <= 0.04045 => value / 12.92,
            value => ((value + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// 4.5 to 1 is what WCAG 2.2 asks of text.
    #[test]
    fn every_colour_is_readable_in_light_and_dark() {
        for colour in [&MAIN].into_iter().chain(&SERIES) {
            for (ink, paper) in [(colour.light, PAPER.light), (colour.dark, PAPER.dark)] {
                let (ink, paper) = (luminance(ink), luminance(paper));
                assert!((ink.max(paper) + 0.05) / (ink.min(paper) + 0.05) >= 4.5, "{}", hex(colour.light));
            }
        }
    }

    /// The sheet finds a colour by its text, so that no two may be the same.
    #[test]
    fn no_two_colours_are_the_same() {
        let mut all: Vec<String> = [&PAPER, &MAIN].into_iter().chain(&SERIES).map(|colour| hex(colour.light)).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), SERIES.len() + 2);
    }
}
