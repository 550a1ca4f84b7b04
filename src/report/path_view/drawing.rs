//! A path as a drawing: nodes around pods around processes, arrows between them.

mod card;
mod icons;
mod layout;

use super::svg::{Style, Svg};
use super::{NamedPath, words};
use crate::mesh::path::{Hop, Layer};
use icons::{FAINT, INK, Icon, PAPER, Segment, TEXT};
use layout::{Layout, NODE_LABEL, NODE_PAD, OUTSIDE_CLIENT, POD_LABEL, POD_PAD};

const MARGIN: f64 = 28.0;
/// The narrowest drawing, so that title and legend have room.
const LEAST_WIDTH: f64 = 720.0;
const TITLE: Style = Style::new(19.0, INK).bold();
const LEGEND: Style = Style::new(11.5, TEXT);
const NOTE: Style = Style::new(12.5, TEXT);
const NEUTRAL: &str = r##"fill="#eef2f7" stroke="#d5dde8""##;
const WARNING: &str = r##"fill="#fdecec" stroke="#f3b6b6""##;

/// `named` as a self-contained SVG document on a light ground.
///
/// Text is set in whatever sans-serif the viewer has; its widths are estimated. Names too long
/// for their box lose their middle.
pub fn drawing(named: &NamedPath) -> String {
    let mut svg = Svg::default();
    let layout = layout::layout(named, MARGIN);
    let width = (layout.right + MARGIN).max(LEAST_WIDTH);
    let ground = format!(r#"fill="{PAPER}""#);
    let mut body = Svg::default();
    let top = header(&mut body, named, width);
    let bottom = hops(&mut body, named, &layout, top);
    let bottom = notes(&mut body, named, width, bottom + 16.0);
    let height = legend(&mut body, named, width, bottom + 12.0) + MARGIN - 8.0;
    svg.rect([0.0, 0.0, width, height], 0.0, &ground);
    svg.append(body);
    svg.finish(width, height, &named.title)
}

/// Title and counts; returns where they end.
fn header(svg: &mut Svg, named: &NamedPath, width: f64) -> f64 {
    let title = TITLE.fitted(&named.title, width - 2.0 * MARGIN);
    svg.text(MARGIN, MARGIN + 17.0, TITLE, &title);
    let path = &named.path;
    let mut pills: Vec<_> = words::counts(path).into_iter().map(|text| (text, false)).collect();
    pills.extend(path.needs_permissive().then(|| ("STRICT refuses".to_owned(), true)));
    pills.extend(path.bypasses_waypoint().then(|| ("waypoint bypassed".to_owned(), true)));
    let (mut x, mut y) = (MARGIN, MARGIN + 43.0);
    for (text, warns) in pills {
        let (paint, ink) = if warns { (WARNING, "#a11d1d") } else { (NEUTRAL, TEXT) };
        let style = Style::new(11.5, ink);
        let needed = style.width(&text) + 1.6 * style.size;
        if x + needed > width - MARGIN {
            (x, y) = (MARGIN, y + 28.0);
        }
        x += svg.pill(x, y, style, &text, paint) + 8.0;
    }
    y + 32.0
}

/// Nodes, pods, arrows and cards; returns where they end.
fn hops(svg: &mut Svg, named: &NamedPath, layout: &Layout, top: f64) -> f64 {
    let card_top = top + NODE_LABEL + POD_LABEL;
    let heights = layout.pod_heights(&named.path);
    let bottom = card_top + heights.iter().copied().fold(0.0, f64::max) + POD_PAD + NODE_PAD;
    node_frames(svg, layout, top, bottom);
    pod_frames(svg, layout, top + NODE_LABEL, &heights);
    for (index, &x) in layout.cards.iter().enumerate() {
        card::draw(svg, &named.path, index, [x, card_top]);
    }
    arrows(svg, named, layout, card_top + card::HEAD / 2.0);
    bottom
}

fn node_frames(svg: &mut Svg, layout: &Layout, top: f64, bottom: f64) {
    let outside = r##"fill="none" stroke="#aab6c6" stroke-dasharray="6 5""##;
    let inside = r##"fill="#f1f5fa" stroke="#cfd9e5""##;
    for node in &layout.nodes {
        let paint = if node.name.is_some() { inside } else { outside };
        svg.rect([node.x0, top, node.x1 - node.x0, bottom - top], 14.0, paint);
        let label = match &node.name {
            Some(name) => format!("node {name}"),
            None => "outside the cluster".to_owned(),
        };
        label_frame(svg, node, top + 19.0, Style::new(12.0, FAINT).bold(), &label);
    }
}

fn pod_frames(svg: &mut Svg, layout: &Layout, top: f64, heights: &[f64]) {
    for (pod, height) in layout.pods.iter().zip(heights) {
        let Some(name) = &pod.name else { continue };
        let area = [pod.x0, top, pod.x1 - pod.x0, POD_LABEL + height + POD_PAD];
        svg.rect(area, 11.0, r##"fill="#ffffff" stroke="#b9c6d6""##);
        label_frame(svg, pod, top + 16.5, Style::new(11.0, FAINT), &format!("pod {name}"));
    }
}

fn label_frame(svg: &mut Svg, frame: &layout::Frame, y: f64, style: Style, label: &str) {
    let room = frame.x1 - frame.x0 - 24.0;
    svg.text(frame.x0 + 13.0, y, style, &style.fitted(label, room));
}

fn arrows(svg: &mut Svg, named: &NamedPath, layout: &Layout, y: f64) {
    let mut start = layout.client.map(|x| {
        svg.rect([x, y - 15.0, OUTSIDE_CLIENT, 30.0], 15.0, r##"fill="#475569""##);
        let style = Style::new(12.5, "#ffffff").bold().centred();
        svg.text(x + OUTSIDE_CLIENT / 2.0, y + 4.5, style, "client");
        x + OUTSIDE_CLIENT
    });
    for (index, (hop, name)) in named.hops().enumerate() {
        let x = layout.cards[index];
        if let (Some(start), Some(segment)) = (start, segment(named, index)) {
            let port = hop.port.or(name.port);
            arrow(svg, segment, hop, port, [start, x, y]);
        }
        start = Some(x + card::WIDTH);
    }
}

/// How the segment that arrives at the hop at `index` is drawn.
fn segment(named: &NamedPath, index: usize) -> Option<Segment> {
    let from = index.checked_sub(1).and_then(|before| named.names[before].node.as_deref());
    let to = named.names[index].node.as_deref();
    let crosses = from != to || to.is_none();
    Some(Segment::new(named.path.hops[index].arrives?, crosses))
}

fn arrow(svg: &mut Svg, segment: Segment, hop: &Hop, port: Option<u16>, [x0, x1, y]: [f64; 3]) {
    svg.raw(&segment.arrow(x0, x1, y));
    let Some(wire) = hop.arrives else { return };
    let style = Style::new(11.0, segment.colour()).bold().centred();
    let lock = if segment.lock().is_some() { 14.0 } else { 0.0 };
    let middle = (x0 + x1 - 4.0) / 2.0;
    let text = words::wire(wire);
    let width = style.width(text) + lock;
    if let Some(icon) = segment.lock() {
        svg.raw(&icon.at(middle - width / 2.0, y - 20.5, 11.0, segment.colour()));
    }
    svg.text(middle + lock / 2.0, y - 11.0, style, text);
    if let Some(port) = port {
        let style = Style::new(11.0, TEXT).centred();
        svg.text(middle, y + 18.5, style, &format!(":{port}"));
    }
}

/// The notes of the path; returns where they end.
fn notes(svg: &mut Svg, named: &NamedPath, width: f64, top: f64) -> f64 {
    let characters = ((width - 2.0 * MARGIN - 14.0) / (NOTE.size * 0.56)) as usize;
    let mut y = top;
    for note in &named.path.notes {
        svg.raw(&format!(
            r#"<circle cx="{:.1}" cy="{:.1}" r="2.4" fill="{FAINT}"/>"#,
            MARGIN + 4.0,
            y + 7.5
        ));
        for line in words::wrapped(note, characters) {
            y += 12.0;
            svg.text(MARGIN + 14.0, y, NOTE, &line);
            y += 6.0;
        }
    }
    y
}

/// A sample and what it stands for.
enum Key {
    Seen(Layer),
    Segment(Segment),
    Icon(Icon),
}

impl Key {
    fn width(&self) -> f64 {
        match self {
            Self::Seen(_) => 36.0,
            Self::Segment(segment) => {
                if segment.lock().is_some() {
                    54.0
                } else {
                    38.0
                }
            }
            Self::Icon(_) => 20.0,
        }
    }

    /// Draws the sample with its middle at `y`.
    fn draw(&self, svg: &mut Svg, x: f64, y: f64, named: &NamedPath) {
        match self {
            Self::Seen(layer) => {
                if let Some(hop) = named.path.hops.iter().find(|hop| seen_at(hop, *layer)) {
                    card::layer_chip(svg, x, y, hop);
                }
            }
            Self::Segment(segment) => {
                svg.raw(&segment.arrow(x, x + 32.0, y));
                if let Some(icon) = segment.lock() {
                    svg.raw(&icon.at(x + 37.0, y - 6.5, 12.0, segment.colour()));
                }
            }
            Self::Icon(icon) => svg.raw(&icon.at(x, y - 7.5, 14.0, icon.colour())),
        }
    }
}

/// Whether `hop` is between the applications and sees traffic at `layer`.
fn seen_at(hop: &Hop, layer: Layer) -> bool {
    hop.layer == layer && card::is_between(hop.actor)
}

/// Explains what occurs on this path; returns where it ends.
fn legend(svg: &mut Svg, named: &NamedPath, width: f64, top: f64) -> f64 {
    let rule =
        format!(r##"<path d="M{MARGIN} {top:.1}H{:.1}" stroke="#dde4ed"/>"##, width - MARGIN);
    svg.raw(&rule);
    let (mut x, mut y) = (MARGIN, top + 22.0);
    for (key, text) in keys(named) {
        let needed = key.width() + LEGEND.width(text);
        if x + needed > width - MARGIN {
            (x, y) = (MARGIN, y + 25.0);
        }
        key.draw(svg, x, y, named);
        svg.text(x + key.width(), y + 4.0, LEGEND, text);
        x += needed + 20.0;
    }
    y + 12.0
}

fn keys(named: &NamedPath) -> Vec<(Key, &'static str)> {
    let path = &named.path;
    let segments: Vec<_> = (0..path.hops.len()).filter_map(|at| segment(named, at)).collect();
    let mut keys = Vec::new();
    for (layer, text) in [(Layer::L7, "parses requests"), (Layer::L4, "sees connections")] {
        if path.hops.iter().any(|hop| seen_at(hop, layer)) {
            keys.push((Key::Seen(layer), text));
        }
    }
    for (segment, text) in Segment::ALL {
        if segments.contains(&segment) {
            keys.push((Key::Segment(segment), text));
        }
    }
    for (icon, text) in Icon::CAPABILITIES {
        if card::occur(path, icon) {
            keys.push((Key::Icon(icon), text));
        }
    }
    keys
}
