//! The table in docs/reliability.md. A row that is run again replaces its line; the others stay as they are.

use crate::ROWS;
use crate::campaign::{Campaign, Row, Verdict};
use crate::support::documents::root;

const BEGIN: &str = "<!-- torture -->\n";
const END: &str = "<!-- end of torture -->\n";
const HEAD: &str =
    "| Row | What was done | Seed | Command | Result | What it does not show |\n|---|---|---|---|---|---|\n";

pub fn write(row: &Row, verdict: &Verdict, campaign: &Campaign) {
    let path = root().join("docs/reliability.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page marks where the table begins");
    let (table, after) = rest.split_once(END).expect("the page marks where the table ends");
    let mut lines: Vec<(&str, String)> =
        table.lines().filter_map(|line| Some((row_of(line)?, line.to_owned()))).collect();
    lines.retain(|(name, _)| *name != row.name);
    lines.push((row.name, line(row, verdict, campaign)));
    lines.sort_by_key(|(name, _)| ROWS.iter().position(|row| row.name == *name).unwrap_or(ROWS.len()));
    let lines: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
    std::fs::write(&path, format!("{before}{BEGIN}{HEAD}{lines}{END}{after}")).unwrap();
}

/// The name of the row that a line of the table is about.
fn row_of(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split('`').next()
}

fn line(row: &Row, verdict: &Verdict, campaign: &Campaign) -> String {
    let cells = [
        format!("`{}`", row.name),
        verdict.done.clone(),
        campaign.seed.to_string(),
        format!("`{}`", campaign.command(row)),
        verdict.result.clone(),
        row.does_not_show.to_owned(),
    ];
    let cells = cells.map(|cell| cell.replace('|', "\\|").replace('\n', " "));
    format!("| {} |", cells.join(" | "))
}
