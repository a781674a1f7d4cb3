//! From a statement to proposals. Each sentence is read into facts, or kept as it was told, or tells nothing.

use crate::clause::{Clause, clauses, finite_verb};
use crate::cues::{asks_for, is_ahead, is_name, is_passing_order, is_slight, is_small_talk, is_unreal};
use crate::frame;
use crate::lexicon::LEXICON;
use crate::link::{self, Placement};
use crate::mention::{HeldState, set};
use crate::modality::{self, LabelledSentence};
use crate::note::{called, notes};
use crate::raw_fact::{DOUBTFUL, PLAIN, fact, removal};
use crate::reading::{Arity, Pointers, Reading, Shift};
use crate::scope::{GLOBAL, scoped};
use crate::segment::{self, Segment, SegmentKind, me};
use crate::slot;
use crate::stem::is_empty_word;
use crate::topic::{name, points};
use crate::value_phrase::{bounded, whole_words};
use crate::word::{Tag, Word, spell};
use crate::words::words;
use domain::keys::subject_key;
use domain::{Action, Fact, FactKind, RawFact};
use encoder::Modality;
use model::{Extract, SlotHint, Work};
use prose::{Correction, Owner, correction, is_thanks};
use std::ops::Range;

/// How many sentences of a statement are read. The rest of a longer one is kept as it was told.
const READ_SENTENCES: usize = 24;
/// A longer sentence is kept as it was told.
const READ_WORDS: usize = 60;
/// How many sentences the network reads at once. After each batch the reader checks whether anybody still waits.
const LABELLED_AT_ONCE: usize = 8;
/// How sure the network must be that a clause says how things are before the words around its value become a subject.
const TELLS: f32 = 0.75;

/// How sure the network must be that a pronoun refers to the last fact.
const POINTED: f32 = 0.9;
/// The same, for asking a person, where there is one speaker.
const POINTED_ALONE: f32 = 0.6;
/// How sure it must be that an unread sentence gives a fact a new figure.
const CERTAIN: f32 = 0.95;
const POINTING: [&str; 12] =
    ["it", "its", "that", "this", "they", "them", "he", "she", "him", "her", "there", "meant"];

pub(crate) fn extract(ask: &Extract<'_>, work: &Work) -> Vec<RawFact> {
    let cut = segment::cut(ask.statement, ask.now);
    let is_read = |segment: &&Segment<'_>| {
        segment.kind == SegmentKind::Sentence && segment.text.split_whitespace().count() <= READ_WORDS
    };
    let readable: Vec<&str> =
        cut.segments.iter().filter(is_read).take(READ_SENTENCES).map(|s| s.text).collect();
    let mut labelled: Vec<LabelledSentence> = Vec::new();
    for some in readable.chunks(LABELLED_AT_ONCE) {
        if !work.goes_on() {
            break;
        }
        labelled.extend(modality::label(some));
    }
    let brief = cut.segments.len() <= 2;
    let mut reader =
        Reader { ask, known: HeldState::states(ask.held), it: None, brief, amended: None, found: Vec::new() };
    let mut kept: Vec<Segment<'_>> = Vec::new();
    let mut labelled = labelled.into_iter();
    for segment in &cut.segments {
        let labelled = if is_read(&segment) { labelled.next() } else { None };
        let corrects = correction(segment.text).filter(|_| labelled.is_some());
        let handled = match labelled.filter(|_| work.goes_on()) {
            Some(_) if let Some(correction) = corrects => reader.corrected(segment, &correction),
            Some(labelled) => reader.sentence(segment, &labelled),
            None => Handled::Kept,
        };
        if handled == Handled::Kept {
            kept.push(*segment);
        }
    }
    let mut found = reader.found;
    found.extend(notes(&kept, cut.day));
    found
}

/// What became of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handled {
    Read,
    Kept,
    Nothing,
}

/// A clause as it was said.
#[derive(Clone, Copy)]
struct SaidClause<'a> {
    sentence: &'a str,
    text: &'a str,
    /// What the network takes for the value, where that is clear.
    value: Option<&'a [Word]>,
    meant: Modality,
    /// Whether another clause of its sentence was read: "I'm not vegetarian anymore, I eat fish now".
    beside: bool,
}

struct Reader<'a> {
    ask: &'a Extract<'a>,
    known: Vec<HeldState<'a>>,
    /// What the sentence before spoke of.
    it: Option<String>,
    /// Whether the statement is short enough that its facts may be named by the words around their values.
    brief: bool,
    /// What was meant in place of the value that the sentence gives.
    amended: Option<String>,
    found: Vec<RawFact>,
}

impl Reader<'_> {
    fn sentence(&mut self, segment: &Segment<'_>, labelled: &LabelledSentence) -> Handled {
        let words = words(segment.text);
        if is_small_talk(&words) || is_thanks(segment.text) || is_passing_order(segment.text, &words) {
            return Handled::Nothing;
        }
        let asks = segment.text.trim_end_matches(['"', '”', ')', ' ']).ends_with('?');
        let mut to = Pointers { me: me(segment.speaker, self.ask.source), it: self.it.take() };
        let proposed = self.found.len();
        let mut handled = Handled::Nothing;
        let mut topics: Vec<String> = Vec::new();
        for mut clause in clauses(&words) {
            let Some(at) = clause.span() else { continue };
            let text = segment.text.get(at.clone()).unwrap_or_default();
            let meant = match labelled.modality(&at) {
                _ if asks => Modality::Question,
                // "In three weeks I start at Halden" does not hold yet.
                Modality::Asserted | Modality::Event if is_ahead(&words) => Modality::Future,
                meant => meant,
            };
            clause.of = topics.last().filter(|topic| is_name(topic, segment.text)).cloned();
            let mut readings = self.readings(&clause, &to);
            // Among several speakers "the food" and "the handover" are not always the same thing, so the network must
            // agree.
            for reading in readings.iter_mut().filter(|_| segment.speaker.is_some()) {
                reading.arity = if reading.arity == Arity::One { Arity::Unsure } else { reading.arity };
            }
            if readings.is_empty() {
                readings.extend(self.by_value(text, &at, labelled, &clause, &to));
            }
            if let Some(topic) = frame::spoken_of(&clause, &to).filter(|topic| !topics.contains(topic)) {
                to.it = Some(topic.clone());
                topics.push(topic);
            }
            let value = labelled.value(&at).and_then(|value| whole_words(&clause, &value));
            let beside = handled == Handled::Read;
            let said = SaidClause { sentence: segment.text, text, value, meant, beside };
            let of_clause = self.clause(&said, &readings, &clause);
            handled = match (handled, of_clause) {
                (Handled::Kept, _) | (_, Handled::Kept) => Handled::Kept,
                (Handled::Read, _) | (_, Handled::Read) => Handled::Read,
                _ => Handled::Nothing,
            };
        }
        if !asks && handled != Handled::Nothing {
            self.put_in_doubt(segment.text, proposed);
            self.may_fill(segment.text, proposed);
            self.point_back(segment, handled, proposed);
        }
        // "It" in the next sentence refers to something only if there is just one candidate.
        self.it = match topics.as_slice() {
            [] => to.it,
            [only] => Some(only.clone()),
            _ => None,
        };
        handled
    }

    /// Of what a clause can be read as, what fills a declared slot comes first.
    fn readings(&self, clause: &Clause, to: &Pointers) -> Vec<Reading> {
        let (readings, slots) = (frame::read(clause, to), self.ask.slots);
        let fills = |reading: &Reading| slot::named(reading, slots).is_some();
        let settled = |reading: &Reading| {
            fills(reading) || matches!(reading.shift, Shift::Gone | Shift::Became { from: Some(_) })
        };
        if slots.is_empty() || readings.iter().any(settled) {
            return readings;
        }
        match frame::read_slot(clause, to, slots).filter(fills) {
            Some(reading) => vec![reading],
            None => readings,
        }
    }

    fn clause(&mut self, said: &SaidClause<'_>, readings: &[Reading], clause: &Clause) -> Handled {
        let SaidClause { sentence, text, value, meant, beside } = *said;
        let gone = readings.iter().find(|r| r.shift == Shift::Gone);
        let meant = self.meant(meant, text, readings);
        match meant {
            Modality::Question if sentence.contains('?') || asks_for(clause) => Handled::Nothing,
            Modality::Nothing if readings.is_empty() && is_slight(clause, beside) => Handled::Nothing,
            Modality::Hypothetical | Modality::Sarcastic if is_unreal(meant, sentence) => {
                let why = if meant == Modality::Sarcastic { "sarcasm" } else { "hypothetical" };
                let subject = readings.first().map_or_else(|| called(None, text), |r| r.subject.clone());
                let value = readings.first().map_or_else(|| text.to_owned(), |r| r.value.clone());
                self.found.push(fact(&subject, &value, Action::Skip, "unknown", DOUBTFUL, why));
                Handled::Read
            }
            Modality::Past => self.was(readings),
            Modality::Future | Modality::Hedged => self.doubted(sentence, meant, readings, clause),
            Modality::Ended => self.ended(sentence, gone),
            _ if gone.is_some() => self.ended(sentence, gone),
            _ if readings.iter().any(|r| r.shift == Shift::Was) => self.was(readings),
            _ if readings.iter().any(|r| r.shift == Shift::Will) => {
                self.doubted(sentence, Modality::Future, readings, clause)
            }
            _ if readings.is_empty() => self.in_slot(text, value, clause),
            _ => {
                let handled: Vec<Handled> =
                    readings.iter().map(|reading| self.stated(sentence, reading, clause)).collect();
                if handled.contains(&Handled::Kept) { Handled::Kept } else { Handled::Read }
            }
        }
    }

    /// Where a declared slot is filled, or one thing is left for another, the words say themselves how it is meant.
    fn meant(&self, meant: Modality, text: &str, readings: &[Reading]) -> Modality {
        let slot = readings.iter().find(|reading| slot::named(reading, self.ask.slots).is_some());
        let once = words(text)
            .iter()
            .any(|w| w.is_any(&["used", "was", "were", "had", "formerly", "previously", "once"]));
        let holds = slot.is_some_and(|reading| reading.shift == Shift::Is) && !once;
        let denied = slot.is_some_and(|reading| prose::denies(text, &reading.subject, &reading.value));
        let left = readings.iter().any(|reading| matches!(reading.shift, Shift::Became { from: Some(_) }));
        let begins = words(text).iter().any(|w| w.is_any(&["joined", "started", "began"]));
        match meant {
            Modality::Ended if denied || left => Modality::Asserted,
            Modality::Past if begins && slot.is_some() => Modality::Asserted,
            Modality::Past | Modality::Nothing | Modality::Event if holds => Modality::Asserted,
            meant => meant,
        }
    }

    /// What held once is history. Where that is of nothing that is declared or held, the words are kept too, so that they
    /// are found.
    fn was(&mut self, readings: &[Reading]) -> Handled {
        let lasting = |r: &&Reading| {
            let named = !r.subject.is_empty() && !points(&r.subject);
            r.arity != Arity::Many && named && r.shift != Shift::Gone
        };
        let mut all_known = readings.len() == 1;
        for r in readings.iter().filter(lasting) {
            let slot = slot::named(r, self.ask.slots);
            let subject = slot.map_or(&r.subject, |slot| &slot.name);
            let key = subject_key(subject);
            all_known &= slot.is_some() || self.known.iter().any(|k| subject_key(&k.fact.subject) == key);
            self.found.push(fact(subject, &r.value, Action::Archive, "past", PLAIN, "true in the past"));
        }
        if all_known && readings.iter().any(|r| lasting(&r)) { Handled::Read } else { Handled::Kept }
    }

    /// A value, said for sure.
    fn stated(&mut self, text: &str, reading: &Reading, clause: &Clause) -> Handled {
        let scoped = scoped(reading, clause);
        let handled: Vec<Handled> =
            scoped.iter().map(|(reading, scope)| self.held(text, reading, scope)).collect();
        if handled.contains(&Handled::Kept) { Handled::Kept } else { Handled::Read }
    }

    fn held(&mut self, text: &str, reading: &Reading, scope: &str) -> Handled {
        if let Some(slot) = slot::named(reading, self.ask.slots) {
            return self.fill(slot, &reading.value, scope, text);
        }
        if let Some(item) = link::item_replaced(reading, &self.known) {
            let placed = Placement {
                subject: item.subject.clone(),
                action: Action::Supersede,
                target: Some(item.id),
                sure: true,
            };
            self.propose(&placed, &reading.value, &item.scope.clone());
            return Handled::Read;
        }
        // "Ours is Sparkasse", after somebody else's bank was told.
        if matches!(reading.subject.as_str(), "mine" | "ours")
            && let Some(slot) = self.last_slot().cloned()
        {
            return self.fill(&slot, &reading.value, scope, text);
        }
        // "The patient is full code": what is said of a slot's owner may fill that slot.
        if let Some(slot) = slot::of_owner(&reading.subject, &reading.value, self.ask.slots) {
            return self.fill(slot, &reading.value, scope, text);
        }
        if points(&reading.subject) {
            return Handled::Kept;
        }
        if reading.subject.is_empty() && !matches!(reading.shift, Shift::Became { from: Some(_) }) {
            return Handled::Kept;
        }
        let placed = link::place(reading, scope, text, &self.known);
        if placed.subject.is_empty() {
            // One thing replaced another, and neither is held.
            return Handled::Kept;
        }
        self.propose(&placed, &reading.value, scope);
        Handled::Read
    }

    /// The slot that the statement before spoke of, of whomever.
    fn last_slot(&self) -> Option<&SlotHint> {
        let last = self.ask.held.iter().max_by_key(|fact| (fact.created, fact.id))?;
        let told = Reading {
            subject: last.subject.replace('_', " "),
            value: last.value.clone(),
            shift: Shift::Is,
            arity: Arity::One,
        };
        slot::named(&told, self.ask.slots)
    }

    /// What is planned or unsure changes nothing. It is flagged if it gives a value, and kept as it was told otherwise.
    fn doubted(&mut self, text: &str, meant: Modality, readings: &[Reading], clause: &Clause) -> Handled {
        let single = readings.iter().find(|r| r.shift != Shift::Gone && r.arity == Arity::One);
        let Some((reading, scope)) = single.and_then(|r| scoped(r, clause).into_iter().next()) else {
            return Handled::Kept;
        };
        let slot = slot::named(&reading, self.ask.slots);
        let subject = slot.map_or(reading.subject.clone(), |slot| slot.name.clone());
        let reading = Reading { subject, ..reading };
        let placed = link::place(&reading, &scope, text, &self.known);
        let concrete = reading.value.chars().any(|c| c.is_ascii_digit() || c.is_uppercase());
        let first = placed.target.is_none() && slot.is_none();
        let nameless = placed.subject.is_empty() || points(&placed.subject);
        if nameless || first && !concrete {
            return Handled::Kept;
        }
        let (time, why) = match meant {
            Modality::Future => ("future", "a plan, not carried out yet"),
            _ => ("unknown", "not said for sure"),
        };
        let waits = fact(&placed.subject, &reading.value, Action::Flag, time, DOUBTFUL, why);
        self.found.push(RawFact { scope: Some(scope), target_id: placed.target.map(|id| id.0), ..waits });
        Handled::Read
    }

    fn ended(&mut self, text: &str, reading: Option<&Reading>) -> Handled {
        let reading = reading.filter(|r| r.shift == Shift::Gone);
        let ended = link::ended(reading, text, &self.known);
        if ended.is_empty() {
            return Handled::Kept;
        }
        for (id, sure) in ended {
            let Some(held) = self.known.iter().map(|k| k.fact).find(|f| f.id == id) else { continue };
            // "Remove the eggs from my shopping list" leaves the rest of the list.
            match reading.and_then(|gone| slot::without(&held.value, &gone.value)) {
                Some(rest) => {
                    let kept =
                        fact(&held.subject, &rest, Action::Supersede, "current", PLAIN, "an item has gone");
                    self.found.push(RawFact {
                        scope: Some(held.scope.clone()),
                        target_id: Some(held.id.0),
                        ..kept
                    });
                }
                None => self.found.push(removal(held, sure)),
            }
        }
        Handled::Read
    }

    /// "They upgraded, 4.0.2 is what's installed now": a pronoun may refer to the last fact. The new value replaces it
    /// if it looks similar; otherwise a person is asked.
    fn point_back(&mut self, segment: &Segment<'_>, handled: Handled, proposed: usize) {
        // A single speaker refers to their own last fact; in a conversation "it" may be anything.
        let (sentence, alone) = (segment.text, segment.speaker.is_none());
        let maybe = if alone { POINTED_ALONE } else { POINTED };
        let touched = |found: &[RawFact]| found.iter().skip(proposed).any(|found| found.target_id.is_some());
        if touched(&self.found) {
            return;
        }
        if handled == Handled::Kept {
            self.may_have_ended(sentence, maybe, alone, proposed);
        }
        if !touched(&self.found) {
            self.point_to_last(sentence, maybe, proposed);
        }
        if handled == Handled::Read && !touched(&self.found) {
            self.may_have_ended(sentence, POINTED, alone, proposed);
        }
    }

    fn point_to_last(&mut self, sentence: &str, maybe: f32, proposed: usize) {
        let points = words(sentence).iter().any(|w| w.is_any(&POINTING));
        if !points || !self.brief {
            return;
        }
        let last = link::last_told(&self.known).map(|k| k.fact);
        let Some(last) = last.filter(|last| !self.is_of_another(sentence, last)) else { return };
        let (replaces, ends) = link::replaced(sentence, last);
        let new =
            self.found.iter_mut().skip(proposed).find(|f| f.action.as_deref() == Some(Action::Add.word()));
        match new {
            Some(new)
                if new.subject.as_deref().is_some_and(|s| slot::of_name(s, self.ask.slots).is_some()) => {}
            Some(new) if replaces >= POINTED => {
                let alike = link::is_alike(&last.value, new.value.as_deref().unwrap_or_default());
                let action = if alike { Action::Supersede } else { Action::Flag };
                new.subject = Some(last.subject.clone());
                new.scope = Some(last.scope.clone());
                new.action = Some(action.word().to_owned());
                new.target_id = Some(last.id.0);
            }
            Some(new) if replaces >= maybe => {
                new.target_id = Some(last.id.0);
                new.subject = Some(last.subject.clone());
                new.scope = Some(last.scope.clone());
                new.action = Some(Action::Flag.word().to_owned());
            }
            None if replaces + ends >= maybe => self.found.push(removal(last, ends >= POINTED)),
            _ => {}
        }
    }

    /// "The budget is 40k, no wait, I meant 14k" gives one value; "sorry, I meant 14k" amends what was told last.
    fn corrected(&mut self, segment: &Segment<'_>, correction: &Correction<'_>) -> Handled {
        let Correction { told, meant, .. } = *correction;
        let stands_alone = finite_verb(&words(meant)).is_some_and(|verb| verb > 0);
        let text = if stands_alone { meant } else { told };
        if !text.is_empty() {
            let Some(labelled) = modality::label(&[text]).pop() else { return Handled::Kept };
            self.amended = (!stands_alone).then(|| meant.to_owned());
            let handled = self.sentence(&Segment { text, ..*segment }, &labelled);
            self.amended = None;
            return handled;
        }
        match link::amended(correction, self.ask.held) {
            Some(held) => {
                let meant = prose::amended(&held.value, meant);
                let meant = fact(&held.subject, &meant, Action::Supersede, "current", PLAIN, "corrected");
                self.found.push(RawFact {
                    scope: Some(held.scope.clone()),
                    target_id: Some(held.id.0),
                    ..meant
                });
                Handled::Read
            }
            None => Handled::Kept,
        }
    }

    /// The value of a declared slot that the words deny, doubt or say to have gone, although nothing was read: a person is
    /// asked.
    fn put_in_doubt(&mut self, sentence: &str, proposed: usize) {
        let found = link::doubted(sentence, self.ask.held, self.ask.slots);
        for (held, sure) in found {
            let about = |found: &RawFact| {
                found.target_id == Some(held.id.0)
                    || found.value.as_deref().is_some_and(|value| set(value) == set(&held.value))
                        && found.kind.as_deref() != Some("event")
            };
            if self.found.iter().skip(proposed).any(about) {
                continue;
            }
            // "It isn't Handelsbanken, it's SEB."
            let slot = slot::of_name(&held.subject, self.ask.slots);
            let instead = prose::given_instead(sentence, &held.value).filter(|value| {
                sure && slot.is_some_and(|slot| slot::takes(slot, value) && slot::tells(slot, value))
            });
            match instead {
                Some(value) => {
                    let meant = fact(&held.subject, value, Action::Supersede, "current", PLAIN, "corrected");
                    self.found.push(RawFact {
                        scope: Some(held.scope.clone()),
                        target_id: Some(held.id.0),
                        ..meant
                    });
                }
                None => self.found.push(removal(held, sure)),
            }
        }
    }

    /// A sentence that changes nothing as it is read may still say that something no longer holds: a person is asked.
    fn may_have_ended(&mut self, sentence: &str, enough: f32, alone: bool, proposed: usize) {
        let mut ended = link::maybe_ended(sentence, self.ask.held, &self.known, enough, alone);
        // Where slots are declared, what was kept as it was told stands in none of them: nobody need be asked.
        let is_note = |held: &Fact| held.kind == FactKind::Event && !self.ask.slots.is_empty();
        ended.retain(|(held, _)| !is_note(held) && !self.is_of_another(sentence, held));
        // A named thing with one held figure and one new figure: that is a change.
        if let ([(held, likely)], true) = (ended.as_slice(), alone)
            && *likely >= CERTAIN
            && held.kind == FactKind::State
            && self.known.iter().any(|k| k.fact.id == held.id && !k.named_by(&set(sentence)).is_empty())
            && let Some(value) = link::with_figure_of(sentence, held)
        {
            // If the same figure was read under another name, it is this one.
            let kept = self.found.split_off(proposed);
            let is_it = |found: &RawFact| {
                found.action.as_deref() == Some(Action::Add.word())
                    && found.value.as_deref().is_some_and(|given| set(given) == set(&value))
            };
            self.found.extend(kept.into_iter().filter(|found| !is_it(found)));
            let change = fact(&held.subject, &value, Action::Supersede, "current", PLAIN, "");
            self.found.push(RawFact {
                scope: Some(held.scope.clone()),
                target_id: Some(held.id.0),
                ..change
            });
            return;
        }
        for (held, _) in ended {
            // The rules handle a new value of the same subject.
            let read = |found: &RawFact| {
                found
                    .subject
                    .as_deref()
                    .is_some_and(|subject| subject_key(subject) == subject_key(&held.subject))
            };
            if !self.found.iter().skip(proposed).any(read) {
                self.found.push(removal(held, false));
            }
        }
    }

    /// Whether a sentence denies something else than the fact's value, or speaks of somebody else than its slot does.
    fn is_of_another(&self, sentence: &str, held: &Fact) -> bool {
        let Some(slot) = slot::of_name(&held.subject, self.ask.slots) else { return false };
        let names: Vec<&str> = slot.names().collect();
        let says_it = set(&held.value).is_subset(&set(sentence));
        let denies = words(sentence).iter().any(|w| w.is_any(&["not", "never"]));
        denies && !says_it || prose::speaks_of_another(sentence, Owner { words: &slot.owner, slot: &names })
    }

    /// The network may see that a clause fills a declared slot in a form that is not read here.
    fn in_slot(&mut self, text: &str, value: Option<&[Word]>, clause: &Clause) -> Handled {
        let Some(slot) = slot::filled_by(text, self.ask.slots) else { return Handled::Kept };
        let behind = slot::behind_name(slot, &clause.words).filter(|_| slot.list);
        // What has no figure may be anything in the sentence.
        let figure = value.filter(|value| value.iter().any(Word::has_digit));
        let Some(value) =
            behind.or(figure).map(|words| spell(bounded(words))).filter(|value| slot::tells(slot, value))
        else {
            return Handled::Kept;
        };
        self.fill(slot, &value, GLOBAL, text)
    }

    /// "She has opted for DNR": a sentence in which nothing was read for a declared slot names another value of the kind
    /// that this slot holds. A person is asked.
    fn may_fill(&mut self, sentence: &str, proposed: usize) {
        let doubts = prose::Reading::of(sentence);
        for (value, kind) in LEXICON.kinds_in(sentence) {
            let slot = slot::of_attribute(kind, self.ask.slots).filter(|slot| !slot.list);
            let Some(slot) = slot else { continue };
            let is_of_slot = |found: &RawFact| found.subject.as_deref() == Some(&*slot.name);
            let other =
                |fact: &&&Fact| fact.subject == slot.name && set(&fact.value).is_disjoint(&set(&value));
            let Some(held) = self.ask.held.iter().find(other) else { continue };
            let names: Vec<&str> = slot.names().collect();
            let owner = Owner { words: &slot.owner, slot: &names };
            if self.found.iter().skip(proposed).any(is_of_slot)
                || doubts.is_doubted(&value)
                || prose::denies(sentence, &slot.name, &value)
                || prose::owner_of(sentence, &value, owner).is_some()
            {
                continue;
            }
            let said = words(sentence);
            let value = said.iter().find(|w| w.low == value).map_or(value, |w| w.text.clone());
            let why = "it is not clear whether it replaces this";
            let waits = fact(&slot.name, &value, Action::Flag, "unknown", DOUBTFUL, why);
            self.found.push(RawFact { target_id: Some(held.id.0), ..waits });
        }
    }

    fn fill(&mut self, slot: &SlotHint, value: &str, scope: &str, text: &str) -> Handled {
        // "The client is balanced, payment terms 30 days" fills two.
        if let Some((own, other, rest)) = slot::also_filled(slot, value, self.ask.slots) {
            let first = self.fill(slot, &own, scope, text);
            let second = self.fill(other, &rest, scope, text);
            return if first == Handled::Read && second == Handled::Read {
                Handled::Read
            } else {
                Handled::Kept
            };
        }
        let value = slot::bare(value);
        // "The client is not a US tax resident" denies what follows.
        let value =
            ["not a ", "not an ", "not the "].iter().find_map(|not| value.strip_prefix(not)).unwrap_or(value);
        if !slot::takes(slot, value) {
            return Handled::Kept;
        }
        if slot::is_former(slot, text) {
            self.found.push(fact(&slot.name, value, Action::Archive, "past", PLAIN, "true in the past"));
            return Handled::Read;
        }
        let values = if slot.list { slot::items(&words(value)) } else { vec![value.to_owned()] };
        let held = self.known.iter().find(|k| k.fact.subject == slot.name).map(|k| k.fact);
        for value in values {
            // "Add kiwi to what I can't eat", of a slot with one value: the rest of it stays.
            let value = match held.filter(|_| !slot.list && slot::adds(text)) {
                Some(held) => format!("{}, {value}", held.value),
                None => value,
            };
            let reading = Reading { subject: slot.name.clone(), value, shift: Shift::Is, arity: Arity::One };
            let placed = if slot.list || held.is_none() {
                Placement { subject: slot.name.clone(), action: Action::Add, target: None, sure: true }
            } else {
                link::place(&reading, scope, text, &self.known)
            };
            self.propose(&placed, &reading.value, scope);
        }
        Handled::Read
    }

    fn propose(&mut self, placed: &Placement, value: &str, scope: &str) {
        let action = if placed.sure { placed.action } else { Action::Flag };
        let amended = self.amended.as_deref().map(|meant| prose::amended(value, meant));
        let value = amended.as_deref().unwrap_or(value);
        let (confidence, why) =
            if placed.sure { (PLAIN, "") } else { (DOUBTFUL, "it is not clear whether it replaces this") };
        let proposed = fact(&placed.subject, value, action, "current", confidence, why);
        self.found.push(RawFact {
            scope: Some(scope.to_owned()),
            target_id: placed.target.map(|id| id.0),
            ..proposed
        });
    }

    /// The words around a value that the network is sure of become its subject.
    fn by_value(
        &self,
        text: &str,
        at: &Range<usize>,
        labelled: &LabelledSentence,
        clause: &Clause,
        to: &Pointers,
    ) -> Option<Reading> {
        let denies = text.split_whitespace().any(|w| {
            matches!(w.to_lowercase().as_str(), "not" | "never" | "no") || w.to_lowercase().ends_with("n't")
        });
        if !self.brief || denies || labelled.tells(at) < TELLS {
            return None;
        }
        let value = whole_words(clause, &labelled.value(at)?)?;
        let start = value.first()?.at.start.checked_sub(at.start)?;
        let end = value.last()?.at.end.checked_sub(at.start)?;
        let (before, given, after) = (text.get(..start)?, text.get(start..end)?, text.get(end..)?);
        let whose = words(before).first().is_some_and(|w| w.is_any(&["i", "my"]));
        let around = called(None, &format!("{before} {after}"));
        // "It's really great", "we're holding metformin until the scan": nothing is named that it could be told of.
        let is_thing =
            |w: &Word| matches!(w.tag, Tag::Noun | Tag::Name | Tag::Verb) && !is_empty_word(&w.low);
        if !whose && !words(before).iter().any(is_thing) {
            return None;
        }
        // "My wife Grace and I have settled in Hobart" gives no slot for the wife its value.
        let is_with_name = |pair: &[Word]| matches!(pair, [relation, name] if prose::is_relation(&relation.low) && name.is_capital());
        if !self.ask.slots.is_empty() && words(before).windows(2).any(is_with_name) {
            return None;
        }
        let of = clause.subject.as_deref().and_then(|words| name(words, to));
        let subject = match of.or_else(|| whose.then(|| to.me.clone())) {
            Some(of) => format!("{of} {around}"),
            None => around,
        };
        let given = given.trim_matches(|c: char| c.is_whitespace() || ",;:.!".contains(c));
        let given = [" of", " to", " the", " a", " in", " on"]
            .iter()
            .find_map(|end| given.strip_suffix(end))
            .unwrap_or(given);
        let whole = set(given).len() >= set(text).len();
        (!whole && !set(&subject).is_empty() && !given.is_empty()).then(|| Reading {
            subject,
            value: given.to_owned(),
            shift: Shift::Is,
            arity: Arity::Unsure,
        })
    }
}
