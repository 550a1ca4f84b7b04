//! Colours and marks.
//!
//! Variants take the colours of Okabe and Ito ("Color Universal Design", 2008), which
//! colour-blind readers tell apart, less black and yellow, which vanish on a dark or a white
//! ground; the baseline is grey. Marks differ too, so that colour never stands alone.

use plotters::style::RGBColor;

use crate::simulation::summary::ProxyKind;

/// Text.
pub(super) const INK: RGBColor = RGBColor(0x1F, 0x29, 0x33);
/// Labels of axes, notes.
pub(super) const MUTED: RGBColor = RGBColor(0x5B, 0x67, 0x70);
/// Lines of axes.
pub(super) const AXIS: RGBColor = RGBColor(0x9A, 0xA5, 0xB1);
/// Grid.
pub(super) const GRID: RGBColor = RGBColor(0xE6, 0xE9, 0xED);
/// Ground.
pub(super) const GROUND: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
/// Band of accepted values.
pub(super) const ACCEPTED: RGBColor = RGBColor(0xF4, 0xE8, 0xC8);

/// What the colours above become where the reader prefers dark pages.
pub(super) const DARK: [(RGBColor, &str); 9] = [
    (INK, "#E6EDF3"),
    (MUTED, "#9DA7B3"),
    (AXIS, "#6E7681"),
    (GRID, "#2B3138"),
    (GROUND, "#0D1117"),
    (ACCEPTED, "#4A3F1D"),
    (VARIANTS[0], "#A7B0BA"),
    (VARIANTS[1], "#3D9BE0"),
    (KINDS[0], "#7463CF"),
];

const VARIANTS: [RGBColor; 7] = [
    RGBColor(0x6B, 0x77, 0x85), // grey, the baseline
    RGBColor(0x00, 0x72, 0xB2), // blue
    RGBColor(0xD5, 0x5E, 0x00), // vermilion
    RGBColor(0x00, 0x9E, 0x73), // bluish green
    RGBColor(0xCC, 0x79, 0xA7), // reddish purple
    RGBColor(0xE6, 0x9F, 0x00), // orange
    RGBColor(0x56, 0xB4, 0xE9), // sky blue
];

/// Kinds of proxies are told apart by lightness, in hues that no variant has.
const KINDS: [RGBColor; 4] = [
    RGBColor(0x4B, 0x3B, 0x8F), // sidecar: indigo
    RGBColor(0xC5, 0xB8, 0xEA), // ztunnel: lavender
    RGBColor(0x8E, 0x7C, 0xC3), // waypoint: violet
    RGBColor(0xE3, 0xC7, 0x7B), // gateway: sand
];

/// The colour of a kind of proxy.
pub(super) const fn kind_color(kind: ProxyKind) -> RGBColor {
    match kind {
        ProxyKind::Sidecar => KINDS[0],
        ProxyKind::Ztunnel => KINDS[1],
        ProxyKind::Waypoint => KINDS[2],
        ProxyKind::Gateway => KINDS[3],
    }
}

/// Shape of a data point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Circle,
    Square,
    Triangle,
    Diamond,
}

const MARKS: [Mark; 4] = [Mark::Circle, Mark::Square, Mark::Triangle, Mark::Diamond];

/// How a variant looks in every plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) color: RGBColor,
    pub(super) mark: Mark,
    /// Marks are outlined only: the second round of colours.
    pub(super) hollow: bool,
}

/// The look of the variant at `index`, counted from the baseline; 28 differ.
pub(super) fn look(index: usize) -> Look {
    Look {
        color: VARIANTS[index % VARIANTS.len()],
        mark: MARKS[index % MARKS.len()],
        hollow: index / VARIANTS.len() % 2 == 1,
    }
}

/// `#RRGGBB`, as plotters writes it.
pub(super) fn hex(color: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", color.0, color.1, color.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_eight_variants_look_different() {
        let looks: Vec<_> = (0..28).map(look).collect();
        for (index, one) in looks.iter().enumerate() {
            assert!(!looks[..index].contains(one), "variant {index} looks like an earlier one");
        }
    }
}
