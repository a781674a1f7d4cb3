//! A space's facts as a picture of things and how they relate.

use super::space_form::{Parts, space_form};
use crate::desk::{Desk, Trouble, reply_of};
use crate::fields::{Fields, address_in, space_arguments};
use crate::foreign::{foreign, foreign_text};
use crate::html::{space_fields, space_shown, warning};
use crate::layout::places;
use crate::shown::Shown;
use domain::Space;
use domain::keys::subject_key;
use maud::{Markup, html};
use service::{Relation, Relations};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 600.0;
/// Room for the words beside the outermost things.
const EDGE_ACROSS: f64 = 110.0;
const EDGE_UP: f64 = 40.0;
/// A longer name is cut in the picture; the table has all of it.
const NAME_CHARS: usize = 28;

pub(super) async fn show(desk: &Desk, fields: &Fields) -> Result<Shown, Trouble> {
    let space = fields.space(desk.own_user());
    let mut arguments = space_arguments(&space);
    arguments.extend(fields.arguments(&["text"]));
    let answer = desk.call("space_graph", arguments).await?;
    let missing = answer.missing.clone();
    let graph = reply_of!(answer, SpaceGraph);
    let main = html! {
        h1 { "Graph of " (space_shown(&space)) }
        (space_form(desk, "graph", &space, Parts::All).await)
        form.search method="get" action="graph" role="search" aria-label="Facts" {
            (space_fields(&space))
            label for="text" { "About" }
            input id="text" name="text" type="search" value=(fields.get("text")) autocomplete="off";
            button { "Show" }
        }
        (warning(missing.as_deref()))
        @if graph.relations.is_empty() { p role="status" { "There is nothing to show." } }
        @else { (picture(&space, &graph.relations)) (table(&space, &graph)) }
    };
    Ok(Shown::page("Graph", main))
}

/// The things, each once however it is spelled, and the lines between them.
fn things(relations: &[Relation]) -> (Vec<&str>, Vec<(usize, usize)>) {
    let (mut keys, mut names) = (Vec::new(), Vec::new());
    let mut number = |name| {
        let key = subject_key(name);
        keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            names.push(name);
            names.len() - 1
        })
    };
    let lines = relations.iter().map(|r| (number(r.from.as_str()), number(r.to.as_str()))).collect();
    (names, lines)
}

fn picture(space: &Space, relations: &[Relation]) -> Markup {
    let (names, lines) = things(relations);
    let at = |(x, y): (f64, f64)| {
        (EDGE_ACROSS + x * (WIDTH - 2.0 * EDGE_ACROSS), EDGE_UP + y * (HEIGHT - 2.0 * EDGE_UP))
    };
    let places: Vec<(f64, f64)> = places(names.len(), &lines).into_iter().map(at).collect();
    let shown = |value: f64| format!("{value:.1}");
    html! {
        svg.graph viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group"
            aria-label={ (names.len()) " things and " (relations.len()) " relations, which the table below lists" } {
            @for (relation, (from, to)) in relations.iter().zip(&lines) {
                @if let (Some(a), Some(b)) = (places.get(*from), places.get(*to)) {
                    line x1=(shown(a.0)) y1=(shown(a.1)) x2=(shown(b.0)) y2=(shown(b.1)) {}
                    @if !relation.name.is_empty() {
                        text.relation x=(shown((a.0 + b.0) / 2.0)) y=(shown((a.1 + b.1) / 2.0)) text-anchor="middle" {
                            (foreign_text(&cut(&relation.name)))
                        }
                    }
                }
            }
            @for (name, place) in names.iter().zip(&places) {
                a href=(address_in("memory", space, &[("text", name)])) {
                    circle cx=(shown(place.0)) cy=(shown(place.1)) r="6" {}
                    text x=(shown(place.0)) y=(shown(place.1 - 10.0)) text-anchor="middle" { (foreign_text(&cut(name))) }
                }
            }
        }
    }
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}

fn table(space: &Space, graph: &Relations) -> Markup {
    html! {
        @if graph.has_more { p { "Only the first " (graph.relations.len()) " are shown; search for what you want to see." } }
        table {
            caption.hidden { "Relations" }
            thead { tr { th scope="col" { "Fact" } th scope="col" { "From" } th scope="col" { "Relation" } th scope="col" { "To" } } }
            tbody {
                @for relation in &graph.relations {
                    tr {
                        th scope="row" data-label="Fact" {
                            a href=(address_in("fact", space, &[("id", &relation.fact.to_string())])) { "#" (relation.fact) }
                        }
                        td data-label="From" { (foreign(&relation.from)) }
                        td data-label="Relation" { (foreign(&relation.name)) }
                        td data-label="To" { (foreign(&relation.to)) }
                    }
                }
            }
        }
    }
}
