//! What `forget` means: the held facts that its words name, and no others.

use crate::mention::{HeldState, Stems, set};
use domain::{Action, Fact, FactKind, RawFact};
use model::Extract;

/// A note is meant if it has at least this share of the request's telling words.
const NOTE_SHARE: f64 = 0.7;

pub(crate) fn forget(ask: &Extract<'_>) -> Vec<RawFact> {
    let said: Stems = set(ask.statement).into_iter().filter(|word| !is_asking(word)).collect();
    if said.is_empty() {
        return Vec::new();
    }
    let known = HeldState::states(ask.held);
    // A fact is meant if the request contains all words of its subject, or its value.
    let score = |k: &HeldState<'_>| {
        let mut subject = k.subject.iter().filter(|word| *word != "user").peekable();
        let by_subject = subject.peek().is_some() && subject.clone().all(|word| said.contains(word));
        let by_alias = ask
            .slots
            .iter()
            .filter(|s| s.name == k.fact.subject)
            .flat_map(|s| &s.aliases)
            .any(|a| set(a).is_subset(&said));
        let by_value = k.has_value_in(&said);
        // "the locker number" of a locker at the pool; but "my address" is not my sister's.
        let extra = &(&k.subject - &said) - &k.value;
        let of_another = extra.iter().any(|word| k.is_name(word) || is_person(word));
        let all_said = said.is_subset(&(&k.subject | &k.value)) && !of_another;
        if by_subject || by_alias || by_value || all_said {
            k.subject.intersection(&said).count() + k.value.intersection(&said).count()
        } else {
            0
        }
    };
    let scored: Vec<(usize, &HeldState<'_>)> =
        known.iter().map(|k| (score(k), k)).filter(|(score, _)| *score > 0).collect();
    let best = scored.iter().map(|(score, _)| *score).max().unwrap_or_default();
    let named: Vec<&Fact> = scored.iter().filter(|(score, _)| *score == best).map(|(_, k)| k.fact).collect();
    if !named.is_empty() {
        return named.into_iter().map(removal).collect();
    }
    let notes = ask.held.iter().filter(|fact| fact.kind == FactKind::Event);
    let share = |fact: &Fact| said.intersection(&set(&fact.value)).count() as f64 / said.len() as f64;
    let note = notes.map(|fact| (share(fact), *fact)).max_by(|a, b| a.0.total_cmp(&b.0));
    note.filter(|(share, _)| *share >= NOTE_SHARE).map(|(_, fact)| removal(fact)).into_iter().collect()
}

/// Somebody whose things are not one's own.
fn is_person(word: &str) -> bool {
    const PEOPLE: [&str; 24] = [
        "sister",
        "brother",
        "mother",
        "father",
        "mum",
        "mom",
        "dad",
        "wife",
        "husband",
        "son",
        "daughter",
        "cousin",
        "aunt",
        "uncl",
        "friend",
        "boss",
        "colleagu",
        "neighbour",
        "partner",
        "niec",
        "nephew",
        "grandmoth",
        "grandfath",
        "flatmat",
    ];
    PEOPLE.contains(&word)
}

/// Words that ask to forget and do not say what.
fn is_asking(word: &str) -> bool {
    [
        "forget", "pleas", "remov", "delet", "eras", "drop", "everyth", "anyth", "inform", "fact", "memori",
        "longer", "no",
    ]
    .contains(&word)
}

fn removal(fact: &Fact) -> RawFact {
    RawFact {
        subject: Some(fact.subject.clone()),
        value: Some(fact.value.clone()),
        scope: Some(fact.scope.clone()),
        kind: Some(if fact.kind == FactKind::Event { "event" } else { "state" }.to_owned()),
        time_ref: Some("current".to_owned()),
        action: Some(Action::Retract.word().to_owned()),
        confidence: Some(0.95),
        reason: Some("asked to forget it".to_owned()),
        target_id: Some(fact.id.0),
        ..RawFact::default()
    }
}
