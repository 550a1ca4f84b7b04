//! The card of one hop: its process, its layer, and what it can do.

use super::super::svg::{Style, Svg, escaped};
use super::super::words;
use super::icons::{FAINT, INK, Icon, TEXT, tint};
use crate::mesh::path::{Actor, Hop, Layer, Path};

pub(super) const WIDTH: f64 = 196.0;
/// Height of the part that names the process; arrows meet its middle.
pub(super) const HEAD: f64 = 40.0;
const LINE: f64 = 14.5;
const GAP: f64 = 9.0;

const NAME: Style = Style::new(13.5, INK).bold();
const TITLE: Style = Style::new(11.5, INK).bold();
const DETAIL: Style = Style::new(10.5, FAINT);

/// Something a hop can do.
struct Capability {
    icon: Option<Icon>,
    title: String,
    details: Vec<String>,
}

fn capabilities(path: &Path, index: usize) -> Vec<Capability> {
    let hop = &path.hops[index];
    let able = |icon, title: String, details| Capability { icon: Some(icon), title, details };
    let caption = caption(hop).map(|text| Capability {
        icon: None,
        title: String::new(),
        details: vec![text.into()],
    });
    let picks = hop.chooses.map(|choice| {
        let per = format!("per {}", words::per(choice.per));
        let by = words::balancing(choice.by).into();
        able(Icon::Picks, format!("picks {}", words::chosen(choice.of)), vec![per, by])
    });
    let retries = hop.retries.map(|retries| {
        able(Icon::Retries, "retries at".into(), vec![words::retries(retries).into()])
    });
    let ejects = hop.ejects.map(|layer| {
        able(Icon::Ejects, "ejects endpoints on".into(), vec![words::ejects(layer).into()])
    });
    let authorises = hop.authorises.map(|layer| {
        let identity = format!("from {}", words::identity(path.peer_identity(index)));
        able(Icon::Authorises, format!("authorises {}", words::units(layer)), vec![identity])
    });
    let measures = hop.measures.map(|measurement| {
        let reporter = format!("as {}", words::reporter(measurement.reporter));
        able(
            Icon::Measures,
            format!("measures {}", words::units(measurement.layer)),
            vec![reporter],
        )
    });
    [caption, picks, retries, ejects, authorises, measures].into_iter().flatten().collect()
}

/// What to say of a hop that is not a proxy.
fn caption(hop: &Hop) -> Option<&'static str> {
    match hop.actor {
        Actor::ClientApp if hop.layer == Layer::L7 => Some("sends the request"),
        Actor::ClientApp => Some("opens the connection"),
        Actor::ServerApp if hop.layer == Layer::L7 => Some("answers the request"),
        Actor::ServerApp => Some("answers"),
        Actor::KubeProxy => Some("kernel rules, no process"),
        _ => None,
    }
}

/// Which capabilities occur on `path`.
pub(super) fn occur(path: &Path, icon: Icon) -> bool {
    path.hops.iter().any(|hop| match icon {
        Icon::Picks => hop.chooses.is_some(),
        Icon::Retries => hop.retries.is_some(),
        Icon::Ejects => hop.ejects.is_some(),
        Icon::Authorises => hop.authorises.is_some(),
        Icon::Measures => hop.measures.is_some(),
        Icon::ClosedLock | Icon::OpenLock => false,
    })
}

/// The height that the card of the hop at `index` needs.
pub(super) fn height(path: &Path, index: usize) -> f64 {
    let rows: f64 = capabilities(path, index).iter().map(row_height).sum();
    HEAD + GAP + rows
}

fn row_height(capability: &Capability) -> f64 {
    let lines = capability.details.len() + usize::from(capability.icon.is_some());
    lines as f64 * LINE + GAP
}

/// Draws the card of the hop at `index` with its top left corner at (`x`, `y`).
pub(super) fn draw(svg: &mut Svg, path: &Path, index: usize, [x, y]: [f64; 2]) {
    let height = height(path, index);
    let hop = &path.hops[index];
    let tint = tint(hop.actor, hop.layer);
    let dashes = if hop.actor == Actor::KubeProxy { r#" stroke-dasharray="4 3""# } else { "" };
    svg.raw(&format!("<g><title>{}</title>", escaped(&spoken(path, index))));
    let paint = format!(r##"fill="#ffffff" stroke="{}" stroke-width="1.3"{dashes}"##, tint.strong);
    svg.rect([x, y, WIDTH, height], 9.0, &paint);
    let (left, right, low) = (x + 0.7, x + WIDTH - 0.7, y + HEAD);
    svg.raw(&format!(
        r#"<path d="M{left:.1} {low:.1}V{:.1}q0 -8.3 8.3 -8.3H{:.1}q8.3 0 8.3 8.3V{low:.1}z" fill="{}"/>"#,
        y + 9.0,
        right - 8.3,
        tint.light
    ));
    svg.text(x + 12.0, y + 25.0, NAME, words::process(hop.actor));
    if is_between(hop.actor) {
        layer_chip(svg, x + WIDTH - 41.0, y + HEAD / 2.0, hop);
    }
    let mut top = low + GAP;
    for capability in capabilities(path, index) {
        draw_capability(svg, &capability, x + 12.0, top);
        top += row_height(&capability);
    }
    svg.raw("</g>");
}

/// Whether `actor` stands between the applications.
pub(super) fn is_between(actor: Actor) -> bool {
    !matches!(actor, Actor::ClientApp | Actor::ServerApp)
}

/// The chip `L4` or `L7` in the colour of `hop`.
pub(super) fn layer_chip(svg: &mut Svg, x: f64, y: f64, hop: &Hop) {
    let style = Style::new(11.0, "#ffffff").bold().centred();
    let strong = tint(hop.actor, hop.layer).strong;
    svg.rect([x, y - 9.5, 30.0, 19.0], 5.0, &format!(r#"fill="{strong}""#));
    svg.text(x + 15.0, y + 4.0, style, words::layer(hop.layer));
}

fn draw_capability(svg: &mut Svg, capability: &Capability, x: f64, top: f64) {
    let Some(icon) = capability.icon else {
        for (line, detail) in capability.details.iter().enumerate() {
            svg.text(x, top + 11.0 + line as f64 * LINE, Style::new(11.5, TEXT), detail);
        }
        return;
    };
    svg.raw(&icon.at(x, top + 0.5, 14.0, icon.colour()));
    svg.text(x + 21.0, top + 11.0, TITLE, &capability.title);
    for (line, detail) in capability.details.iter().enumerate() {
        svg.text(x + 21.0, top + 11.0 + (line + 1) as f64 * LINE, DETAIL, detail);
    }
}

/// The card in one sentence, shown while the pointer rests on it.
fn spoken(path: &Path, index: usize) -> String {
    let said = capabilities(path, index).into_iter().map(|capability| {
        format!("{} {}", capability.title, capability.details.join(", ")).trim().to_owned()
    });
    let said: Vec<_> = said.collect();
    format!("{}: {}", words::process(path.hops[index].actor), said.join("; "))
}
