//! The figures of long conversations, for a person and for a program.

use super::Outcome;
use super::ask::DEPTHS;
use super::ask::{Asked, Found};
use super::tell::Told;
use crate::eval::cost::{Cost, Spread};
use crate::eval::report::Findings;
use crate::eval::tally::Ratio;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::time::Duration;

#[derive(Debug)]
pub struct Report<'a> {
    pub model: &'a str,
    pub outcomes: &'a [Outcome],
}

/// What some conversations come to.
struct Figures<'a>(&'a [Outcome]);

/// A line of the report: the name for a program, the words for a person.
type Line = (&'static str, &'static str, Ratio);

impl<'a> Figures<'a> {
    fn told(&self) -> impl Iterator<Item = &'a Told> {
        self.0.iter().flat_map(|outcome| &outcome.told)
    }

    fn asked(&self) -> impl Iterator<Item = &'a Asked> {
        self.0.iter().flat_map(|outcome| &outcome.asked)
    }

    /// For each depth: the depth, what recall showed and what BM25 found.
    fn evidence(&self) -> Vec<(usize, Evidence, Evidence)> {
        let at = |of: fn(&Asked) -> &[Found], place: usize| Evidence {
            any: Ratio::of(self.asked().map(|asked| of(asked).get(place).is_some_and(|found| found.any))),
            all: Ratio::of(self.asked().map(|asked| of(asked).get(place).is_some_and(|found| found.all))),
        };
        let both = |(place, depth)| (depth, at(|asked| &asked.recall, place), at(|asked| &asked.bm25, place));
        DEPTHS.into_iter().enumerate().map(both).collect()
    }

    fn kept(&self) -> Ratio {
        Ratio::of(self.told().filter(|told| told.tells).map(|told| told.kept))
    }

    fn wrong(&self) -> Ratio {
        Ratio::of(self.told().map(|told| !told.wronged.is_empty()))
    }

    fn changes(&self) -> Ratio {
        Ratio::of(self.told().flat_map(|told| &told.changes).map(|change| change.done))
    }

    fn flags(&self) -> Ratio {
        Ratio::of(self.told().map(|told| told.flagged))
    }

    fn lines(&self) -> [Line; 7] {
        let telling = || self.told().filter(|told| told.tells);
        let end = Ratio::of(telling().filter_map(|told| told.kept_to_the_end));
        let idle = Ratio::of(self.told().filter(|told| !told.tells).map(|told| told.kept));
        let answered = Ratio::of(self.asked().map(|asked| asked.answered));
        [
            ("kept", "turns that tell something: active right after", self.kept()),
            ("kept_to_the_end", "  of those that no later turn changes: at the end", end),
            ("idle_kept", "turns that tell nothing: something active", idle),
            ("wrongly_retired", "turns that took away or changed another's fact", self.wrong()),
            ("changes", "labelled changes that were made or flagged", self.changes()),
            ("flags", "turns that left a flag", self.flags()),
            ("answered", "replies that hold every word of the answer", answered),
        ]
    }

    fn costs(&self) -> [(&'static str, Spread, Spread); 2] {
        fn spread(costs: &[Cost], of: fn(&Cost) -> Duration) -> Spread {
            Spread::of(costs.iter().map(of))
        }
        let remember: Vec<Cost> = self.told().map(|told| told.cost).collect();
        let recall: Vec<Cost> = self.asked().map(|asked| asked.cost).collect();
        [("remember", remember), ("recall", recall)]
            .map(|(name, costs)| (name, spread(&costs, |cost| cost.cpu), spread(&costs, |cost| cost.wall)))
    }

    fn failed_calls(&self) -> usize {
        let told = self.told().filter(|told| told.failure.is_some()).count();
        told + self.asked().map(|asked| asked.failures).sum::<usize>()
    }

    fn json(&self) -> Value {
        let evidence = self.evidence().into_iter().map(
            |(depth, recall, bm25)| json!({ "first": depth, "recall": recall.json(), "bm25": bm25.json() }),
        );
        let costs = self.costs().map(|(name, cpu, wall)| {
            (name.to_owned(), json!({ "cpu_ms": cpu.json(), "wall_ms": wall.json() }))
        });
        let mut whole = json!({
            "turns": self.told().count(),
            "questions": self.asked().count(),
            "failed_calls": self.failed_calls(),
            "evidence": evidence.collect::<Vec<_>>(),
        });
        if let Some(whole) = whole.as_object_mut() {
            whole.extend(self.lines().map(|(name, _, ratio)| (name.to_owned(), ratio.json())));
            whole.extend(costs);
        }
        whole
    }
}

struct Evidence {
    any: Ratio,
    all: Ratio,
}

impl Evidence {
    fn json(&self) -> Value {
        json!({ "any": self.any.json(), "all": self.all.json() })
    }
}

impl Report<'_> {
    /// A line for each conversation, in percent.
    fn write_each(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\n{:<16}{:>6}{:>10}", "in percent", "turns", "questions")?;
        for depth in DEPTHS {
            write!(out, "{:>11}{:>9}", format!("recall {depth}"), format!("BM25 {depth}"))?;
        }
        writeln!(out, "{:>7}{:>7}{:>9}{:>7}", "kept", "wrong", "changes", "flags")?;
        for outcome in self.outcomes {
            let figures = Figures(std::slice::from_ref(outcome));
            write!(out, "{:<16}{:>6}{:>10}", outcome.id, outcome.told.len(), outcome.asked.len())?;
            for (_, recall, bm25) in figures.evidence() {
                write!(out, "{:>11.1}{:>9.1}", recall.any.percent(), bm25.any.percent())?;
            }
            let [kept, wrong, changes, flags] =
                [figures.kept(), figures.wrong(), figures.changes(), figures.flags()].map(Ratio::percent);
            writeln!(out, "{kept:>7.1}{wrong:>7.1}{changes:>9.1}{flags:>7.1}")?;
        }
        Ok(())
    }
}

impl Findings for Report<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let figures = Figures(self.outcomes);
        let (turns, questions) = (figures.told().count(), figures.asked().count());
        writeln!(out, "model: {}", self.model)?;
        writeln!(out, "conversations: {}, turns: {turns}, questions: {questions}", self.outcomes.len())?;
        let failed = figures.failed_calls();
        if failed > 0 {
            writeln!(
                out,
                "calls that the model did not serve: {failed}; what they left out counts as missed"
            )?;
        }
        writeln!(out, "\nshare in percent, with its 95 % interval (Wilson)")?;
        writeln!(out, "{:<50}{:<38}all of it", "evidence", "at least one turn of it")?;
        for (depth, recall, bm25) in figures.evidence() {
            for (name, found) in [("recall, first facts", recall), ("plain BM25, first turns", bm25)] {
                let name = format!("  {name}: {depth}");
                writeln!(out, "{name:<50}{:<38}{}", found.any.to_string(), found.all)?;
            }
        }
        writeln!(out)?;
        for (_, words, ratio) in figures.lines() {
            writeln!(out, "{words:<50}{ratio}")?;
        }
        writeln!(out, "\n{:<14}{:>12}{:>8}{:>14}{:>8}", "ms", "CPU p50", "p95", "wall p50", "p95")?;
        for (name, cpu, wall) in figures.costs() {
            writeln!(out, "{name:<14}{:>12.1}{:>8.1}{:>14.1}{:>8.1}", cpu.p50, cpu.p95, wall.p50, wall.p95)?;
        }
        self.write_each(out)
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        for outcome in self.outcomes {
            writeln!(out, "{} ({})", outcome.id, outcome.genre)?;
            for told in &outcome.told {
                write_turn(out, told)?;
            }
            for asked in outcome.asked.iter().filter(|asked| asked.recall.iter().any(|found| !found.any)) {
                write_question(out, asked)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let conversation = |outcome: &Outcome| {
            json!({
                "id": outcome.id,
                "genre": outcome.genre,
                "figures": Figures(std::slice::from_ref(outcome)).json(),
                "turns": outcome.told.iter().map(turn).collect::<Vec<_>>(),
                "questions": outcome.asked.iter().map(question).collect::<Vec<_>>(),
            })
        };
        json!({
            "model": self.model,
            "all": Figures(self.outcomes).json(),
            "conversations": self.outcomes.iter().map(conversation).collect::<Vec<_>>(),
        })
    }
}

fn write_turn(out: &mut dyn Write, told: &Told) -> io::Result<()> {
    if told.tells && !told.kept {
        writeln!(out, "  {:<10} {} {}", "not kept", told.turn, told.line)?;
    }
    for wronged in &told.wronged {
        writeln!(out, "  {:<10} {} {}", "wronged by", told.turn, told.line)?;
        writeln!(out, "  {:<10} {} (from: {})", "", wronged.fact, wronged.line)?;
    }
    for change in told.changes.iter().filter(|change| !change.done) {
        writeln!(out, "  {:<10} {} of {}: {}", "no change", told.turn, change.of, told.line)?;
    }
    match &told.failure {
        Some(failure) => writeln!(out, "  {:<10} {} {failure}", "failed", told.turn),
        None => Ok(()),
    }
}

fn write_question(out: &mut dyn Write, asked: &Asked) -> io::Result<()> {
    let depths: Vec<String> = DEPTHS
        .iter()
        .zip(&asked.recall)
        .filter(|(_, found)| !found.any)
        .map(|(depth, _)| depth.to_string())
        .collect();
    writeln!(out, "  {:<10} at {}: {}", "not shown", depths.join(" and "), asked.question)?;
    for line in &asked.evidence {
        writeln!(out, "  {:<10} {line}", "")?;
    }
    Ok(())
}

fn turn(told: &Told) -> Value {
    json!({
        "id": told.turn,
        "tells": told.tells,
        "kept": told.kept,
        "kept_to_the_end": told.kept_to_the_end,
        "flagged": told.flagged,
        "wronged": told.wronged.iter().map(|w| json!({ "fact": w.fact, "line": w.line })).collect::<Vec<_>>(),
        "changes": told.changes.iter().map(|c| json!({ "of": c.of, "done": c.done })).collect::<Vec<_>>(),
        "failure": told.failure,
    })
}

fn question(asked: &Asked) -> Value {
    let found = |found: &[Found]| -> Vec<Value> {
        found.iter().map(|found| json!({ "any": found.any, "all": found.all })).collect()
    };
    json!({
        "question": asked.question,
        "recall": found(&asked.recall),
        "bm25": found(&asked.bm25),
        "answered": asked.answered,
        "reply": asked.reply,
    })
}
