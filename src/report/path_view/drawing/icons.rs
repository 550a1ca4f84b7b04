//! Icons and colours. Every icon is drawn in a square of 16 by 16.

use crate::mesh::path::{Actor, Layer, Wire};

pub(super) const INK: &str = "#0f172a";
pub(super) const TEXT: &str = "#334155";
pub(super) const FAINT: &str = "#64748b";
pub(super) const PAPER: &str = "#fbfcfe";

/// What a hop can do, as an icon.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Icon {
    Picks,
    Retries,
    Ejects,
    Authorises,
    Measures,
    ClosedLock,
    OpenLock,
}

impl Icon {
    pub(super) const CAPABILITIES: [(Self, &'static str); 5] = [
        (Self::Picks, "picks an endpoint"),
        (Self::Retries, "can retry"),
        (Self::Ejects, "can eject endpoints"),
        (Self::Authorises, "authorises"),
        (Self::Measures, "measures"),
    ];

    pub(super) fn colour(self) -> &'static str {
        match self {
            Self::Picks => "#2563eb",
            Self::Retries => "#c2740a",
            Self::Ejects => "#d12f4b",
            Self::Authorises => "#4c3bb5",
            Self::Measures => "#0b7f93",
            Self::ClosedLock | Self::OpenLock => INK,
        }
    }

    /// The icon with its top left corner at (`x`, `y`), `size` wide, drawn in `colour`.
    pub(super) fn at(self, x: f64, y: f64, size: f64, colour: &str) -> String {
        let lines = match self {
            Self::Picks => "M1.5 8H6L11 3.5H14.2M6 8L11 12.5H14.2M12.2 1.5L14.4 3.5L12.2 5.5",
            Self::Retries => "M13.2 8A5.2 5.2 0 1 1 11.4 4.1M11.8 1.2V4.4H8.6",
            Self::Ejects => "M8 2.8L13.4 9H2.6ZM2.6 12.6H13.4",
            Self::Authorises => {
                "M8 1.6L13.2 3.6V7.8C13.2 11 11 13.2 8 14.4C5 13.2 2.8 11 2.8 7.8V3.6ZM5.6 7.8L7.4 9.6L10.6 6.2"
            }
            Self::Measures => "M2 13.8H14M4 13.4V9.4M8 13.4V3.4M12 13.4V6.8",
            Self::ClosedLock => "M3.2 7.4H12.8V14H3.2ZM5.2 7.2V5A2.8 2.8 0 0 1 10.8 5V7.2",
            Self::OpenLock => "M3.2 7.4H12.8V14H3.2ZM5.2 7.2V4.6A2.8 2.8 0 0 1 10.6 3.6",
        };
        let fill = if self == Self::ClosedLock { colour } else { "none" };
        format!(
            r#"<path d="{lines}" transform="translate({x:.1} {y:.1}) scale({:.3})" fill="{fill}" stroke="{colour}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>"#,
            size / 16.0
        )
    }
}

/// How a segment is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Segment {
    /// By the mesh.
    Encrypted,
    /// By the client.
    ClientTls,
    /// Readable between nodes.
    Exposed,
    /// Readable, but only on its node.
    Local,
}

impl Segment {
    pub(super) const ALL: [(Self, &'static str); 4] = [
        (Self::Encrypted, "encrypted by the mesh"),
        (Self::ClientTls, "the client's own TLS"),
        (Self::Exposed, "plaintext between nodes"),
        (Self::Local, "plaintext within a node"),
    ];

    pub(super) fn new(wire: Wire, crosses: bool) -> Self {
        match wire {
            Wire::Mtls | Wire::Hbone => Self::Encrypted,
            Wire::ClientTls => Self::ClientTls,
            Wire::Plain if crosses => Self::Exposed,
            Wire::Plain => Self::Local,
        }
    }

    pub(super) fn colour(self) -> &'static str {
        match self {
            Self::Encrypted => "#15803d",
            Self::ClientTls => "#1d6fb8",
            Self::Exposed => "#d9600a",
            Self::Local => "#7b8798",
        }
    }

    pub(super) fn lock(self) -> Option<Icon> {
        match self {
            Self::Encrypted | Self::ClientTls => Some(Icon::ClosedLock),
            Self::Exposed => Some(Icon::OpenLock),
            Self::Local => None,
        }
    }

    /// The arrow from (`x0`, `y`) to (`x1`, `y`).
    pub(super) fn arrow(self, x0: f64, x1: f64, y: f64) -> String {
        let colour = self.colour();
        let dashes = if self == Self::Exposed { r#" stroke-dasharray="5 3.5""# } else { "" };
        let shaft = x1 - 7.0;
        let tip = format!("M{x1:.1} {y:.1}l-8.5 -4.6v9.2z");
        format!(
            r#"<path d="M{x0:.1} {y:.1}H{shaft:.1}" stroke="{colour}" stroke-width="2"{dashes}/><path d="{tip}" fill="{colour}"/>"#
        )
    }
}

/// The strong and the light colour of a hop.
#[derive(Clone, Copy)]
pub(super) struct Tint {
    pub(super) strong: &'static str,
    pub(super) light: &'static str,
}

/// Applications are grey; proxies have the colour of the layer they see.
pub(super) fn tint(actor: Actor, layer: Layer) -> Tint {
    match (actor, layer) {
        (Actor::ClientApp | Actor::ServerApp, _) => Tint { strong: "#475569", light: "#eef2f6" },
        (_, Layer::L7) => Tint { strong: "#6d3fd1", light: "#f0eafc" },
        (_, Layer::L4) => Tint { strong: "#0d7c74", light: "#e2f4f1" },
    }
}
