//! The figures of an agent's memory.

use super::conversation::Kind;
use super::{Asked, DEPTHS, Forgotten, Outcome};
use crate::eval::report::Findings;
use crate::eval::tally::Ratio;
use serde_json::Value;
use std::io::{self, Write};

#[derive(Debug)]
pub struct Report<'a> {
    pub model: &'a str,
    pub outcomes: &'a [Outcome],
}

impl Report<'_> {
    fn at_once(&self) -> impl Iterator<Item = &Asked> {
        self.outcomes.iter().flat_map(|outcome| &outcome.at_once)
    }

    fn later(&self) -> impl Iterator<Item = &Asked> {
        self.outcomes.iter().flat_map(|outcome| &outcome.later)
    }

    fn lines(&self) -> Vec<(String, String, Ratio)> {
        let mut lines = Vec::new();
        let mut line = |name: &str, words: &str, ratio: Ratio| {
            lines.push((name.to_owned(), words.to_owned(), ratio));
        };
        let led = |asked: &Asked| asked.place == Some(0);
        line("exact", "exact subject first, asked at once", exact(self.at_once(), led));
        line("exact_later", "  in a process of its own", exact(self.later(), led));
        line("exact_bm25", "  BM25", exact(self.at_once(), |asked| asked.bm25 == Some(0)));
        for depth in DEPTHS {
            let within = move |place: Option<usize>| place.is_some_and(|place| place < depth);
            let found = |asked: &Asked| within(asked.place);
            let at_once = of_kind(self.at_once(), Kind::Natural, found);
            line(&format!("among_{depth}"), &format!("natural questions, answer among {depth}"), at_once);
            let later = of_kind(self.later(), Kind::Natural, found);
            line(&format!("among_{depth}_later"), "  in a process of its own", later);
            let bm25 = of_kind(self.at_once(), Kind::Natural, |asked| within(asked.bm25));
            line(&format!("among_{depth}_bm25"), "  BM25", bm25);
        }
        let again = self.at_once().chain(self.later()).map(|asked| asked.is_same);
        line("same_again", "the same answer and list when asked again", Ratio::of(again));
        let pairs = self.at_once().zip(self.later()).map(|(one, other)| one.list == other.list);
        line("same_later", "the same list in a process of its own", Ratio::of(pairs));
        let asserted = |asked: &Asked| asked.asserted.is_some();
        let natural = of_kind(self.at_once(), Kind::Natural, asserted);
        line("asserted", "natural questions, answer asserts something", natural);
        let never = of_kind(self.at_once(), Kind::Never, asserted);
        line("asserted_never", "  of what was never said", never);
        let other = of_kind(self.at_once(), Kind::Other, asserted);
        line("asserted_other", "  of what is true of somebody else", other);
        let forgotten = |came_to: Forgotten| {
            let all = self.outcomes.iter().flat_map(|outcome| &outcome.forgotten);
            Ratio::of(all.map(move |forgotten| *forgotten == came_to))
        };
        line("forgotten", "forget ended what was meant", forgotten(Forgotten::Ended));
        line("forgotten_offered", "  named it among the candidates", forgotten(Forgotten::Offered));
        line("forgotten_wrong", "  ended something else", forgotten(Forgotten::Wrong));
        lines
    }
}

fn exact<'a>(asked: impl Iterator<Item = &'a Asked>, counts: impl Fn(&Asked) -> bool) -> Ratio {
    Ratio::of(asked.filter(|asked| asked.kind.is_none()).map(counts))
}

fn of_kind<'a>(asked: impl Iterator<Item = &'a Asked>, kind: Kind, counts: impl Fn(&Asked) -> bool) -> Ratio {
    Ratio::of(asked.filter(|asked| asked.kind == Some(kind)).map(counts))
}

impl Findings for Report<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}, {} conversations\n", self.model, self.outcomes.len())?;
        for (_, words, ratio) in self.lines() {
            writeln!(out, "{words:<48}{ratio}")?;
        }
        Ok(())
    }

    fn write_failures(&self, out: &mut dyn Write) -> io::Result<()> {
        for asked in self.at_once() {
            let Asked { question, kind, place, list, asserted, .. } = asked;
            let is_wrong = match kind {
                None => *place != Some(0),
                Some(Kind::Natural) => {
                    place.is_none_or(|place| place >= DEPTHS.first().copied().unwrap_or(0))
                }
                Some(Kind::Never | Kind::Other) => asserted.is_some(),
            };
            if is_wrong {
                let place = place.map_or_else(|| "not found".to_owned(), |place| format!("at {}", place + 1));
                let (subject, value) = list.first().cloned().unwrap_or_default();
                let answer = asserted.as_deref().unwrap_or("(asserts nothing)");
                writeln!(out, "{question}\n  {place}; first: {subject} = {value}\n  {answer}\n")?;
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let lines = self.lines().into_iter().map(|(name, _, ratio)| (name, ratio.json()));
        let mut whole: serde_json::Map<String, Value> = lines.collect();
        whole.insert("model".to_owned(), self.model.into());
        whole.into()
    }
}
