//! Numbers over time, as a picture in the page.

use crate::html::when;
use domain::Timestamp;
use maud::{Markup, html};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 160.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 12.0;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub at: Timestamp,
    pub value: f64,
}

pub(crate) fn plot(title: &str, points: &[Point]) -> Markup {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return html! { h3 { (title) } p { "There is nothing to show yet." } };
    };
    let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
    let span = (last.at.as_millisecond() - first.at.as_millisecond()).max(1) as f64;
    let across = |at: Timestamp| {
        let share = (at.as_millisecond() - first.at.as_millisecond()) as f64 / span;
        LEFT + share * (WIDTH - LEFT - 8.0)
    };
    let up = |value: f64| {
        let share = if most > 0.0 { value / most } else { 0.0 };
        HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
    };
    let line: Vec<String> =
        points.iter().map(|point| format!("{:.1},{:.1}", across(point.at), up(point.value))).collect();
    html! {
        h3 { (title) }
        svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img"
            aria-label={ (title) ": now " (short(last.value)) ", at most " (short(most)) } {
            line.axis x1=(LEFT) y1=(TOP) x2=(LEFT) y2=(HEIGHT - BOTTOM) {}
            line.axis x1=(LEFT) y1=(HEIGHT - BOTTOM) x2=(WIDTH) y2=(HEIGHT - BOTTOM) {}
            text x=(LEFT - 6.0) y=(TOP + 4.0) text-anchor="end" { (short(most)) }
            text x=(LEFT - 6.0) y=(HEIGHT - BOTTOM) text-anchor="end" { "0" }
            polyline.curve points=(line.join(" ")) {}
            circle cx=(format!("{:.1}", across(last.at))) cy=(format!("{:.1}", up(last.value))) r="3" {}
        }
        p.where { "from " (when(first.at)) " to " (when(last.at)) ", now " (short(last.value)) }
    }
}

/// With as many digits as a person reads.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.1} G", v / 1e9),
        v if v >= 1e6 => format!("{:.1} M", v / 1e6),
        v if v >= 1e4 => format!("{:.1} k", v / 1e3),
        v if v.fract() == 0.0 => format!("{v:.0}"),
        v => format!("{v:.1}"),
    }
}
