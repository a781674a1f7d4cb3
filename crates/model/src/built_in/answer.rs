//! Answers a question by naming the facts that answer it, or says that it does not know.

use super::comparing::{Stems, nearest, set, words_of};
use super::endings::Changed;
use super::meeting::{Held, Met, Term};
use super::people::may_be_own_name;
use super::question::{Asked, Question, is_strange};
use super::spelling::meant;
use super::stem::stems;
use super::told::{Told, told};
use super::words::{Word, spell, words};
use crate::ask::{Answer, AnswerFact};
use domain::{Fact, Kind, REJECTED_BY, Status};

const UNKNOWN: &str = "I do not know: no remembered fact answers that.";
const EARLIER_UNKNOWN: &str = "I do not know: no remembered fact answers that. What was so earlier stands in the history of its \
                               subject, which recall reads with include_history.";
/// The share of the question's weight that a fact must meet.
const ENOUGH: f64 = 0.5;
/// The same for a question that is answered by yes or no: there every word of it counts.
const ENOUGH_FOR_YES: f64 = 0.6;
/// Facts this close to the best are named beside it.
const AS_GOOD: f64 = 0.12;
/// What it counts for a fact that rules name it, too.
const SECOND_WORD: f64 = 0.3;
/// How likely a fact must answer for the network to name it although rules take it for one about something else.
const AGAINST_RULES: f64 = 0.95;
/// The same where it does not seem to be of the sort that is asked for.
const SURE: f64 = 0.9;
/// The same where no rule speaks against it.
const LIKELY: f64 = 0.8;
/// The same where rules name it, too.
const AGREED: f64 = 0.5;
/// At most so many facts are weighed against a question.
const MOST_WEIGHED: usize = 16;
/// What a name counts against a fact that does not have it and is of nobody else: people are not named each time.
const UNNAMED: f64 = 0.25;
const MOST_NAMED: usize = 6;

pub(super) fn answer(ask: &Answer<'_>) -> String {
    let question = Question::of(ask.question);
    let held: Vec<Held> = ask.facts.iter().map(|f| Held::of(f.fact)).collect();
    let weights: Vec<Weight> = question.terms.iter().map(|term| Weight::of(term, &question, &held)).collect();
    let mut found: Vec<Found<'_>> = ask
        .facts
        .iter()
        .zip(&held)
        .filter_map(|(fact, known)| Found::of(fact, known, &question, &weights, &held))
        .collect();
    weigh(ask, &question, &held, &mut found);
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.fact.fact.id.cmp(&b.fact.fact.id)));
    let Some(best) = found.first().map(|f| f.score) else {
        return if question.earlier.is_some() { EARLIER_UNKNOWN } else { UNKNOWN }.to_owned();
    };
    let mut sentences: Vec<String> = Vec::new();
    for one in found.iter().filter(|f| f.score >= best - AS_GOOD).take(MOST_NAMED) {
        let sentence = one.sentence();
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences.join(" ")
}

/// Of the facts of the time that is asked about, those remain which the network takes for an answer: alone where it is
/// sure, and where rules agree with it, with less.
fn weigh<'a>(ask: &Answer<'a>, question: &Question, held: &[Held], found: &mut Vec<Found<'a>>) {
    let asked = question.earlier.as_deref().unwrap_or(ask.question);
    let of_then = |fact: &AnswerFact<'_>| is_of_the_time(fact, question);
    let candidates: Vec<&Fact> = ask.facts.iter().filter(|f| of_then(f)).map(|f| f.fact).collect();
    let mut facts: Vec<&Fact> = found.iter().filter(|f| of_then(f.fact)).map(|f| f.fact.fact).collect();
    for fact in nearest(asked, &candidates, MOST_WEIGHED) {
        if !facts.iter().any(|known| known.id == fact.id) {
            facts.push(fact);
        }
    }
    facts.truncate(MOST_WEIGHED);
    // What was said in one breath with it may have gone since.
    let leaks = |fact: &Fact, told: &Told| {
        let with_it = candidates.iter().filter(|other| other.text == fact.text);
        let known = with_it.map(|f| format!("{} {} ", f.subject.replace('_', " "), f.value));
        let known = set(&known.collect::<String>());
        told.values.len() > 1 && told.values.iter().any(|value| !set(value).is_subset(&known))
    };
    let shown_as = |(fact, told)| if leaks(fact, &told) { Told::plain(fact) } else { told };
    let texts: Vec<Told> = facts.iter().copied().zip(told(&facts)).map(shown_as).collect();
    let said_already = set(asked);
    let mut repeats = false;
    let mut answers: Vec<Found<'a>> = Vec::new();
    for (fact, (likely, text)) in facts.iter().zip(likelihoods(asked, &texts)) {
        let known = ask.facts.iter().zip(held).find(|(f, _)| f.fact.id == fact.id);
        let Some((shown, known)) = known else { continue };
        let ruled = found.iter().find(|f| f.fact.fact.id == fact.id);
        let enough =
            if lacks_what_another_has(known, question, held) || question.asks_for_another(&fact.subject) {
                AGAINST_RULES
            } else if !question.fits(text) && !question.fits_subject(&fact.subject) {
                SURE
            } else if ruled.is_some() {
                AGREED
            } else if is_ruled_out(shown, known, question, held) {
                AGAINST_RULES
            } else {
                LIKELY
            };
        let is_of_another = question.asks_own_name() && !may_be_own_name(fact)
            || question.asked == Asked::Whether && !question.chooses && lacks_strange_word(known, question);
        if likely < enough || is_of_another || holds_elsewhere(fact, asked) {
            continue;
        }
        let tells = |text: &str| question.is_choice() || tells_more(text, &fact.value, &said_already);
        if !tells(text) {
            repeats = true;
            continue;
        }
        // Words that tell of a change may name what was so before, too.
        let mut of_one_breath = ask.facts.iter().filter(|other| other.fact.text == fact.text);
        let changes =
            of_one_breath.any(|other| other.fact.supersedes.is_some()) || Changed::of(text).tells_former();
        let short = text == Told::plain(fact).text || changes && tells(&fact.value);
        let plain = short || matches!(ruled, Some(Found { said: Said::Value, .. })) && tells(&fact.value);
        let said = if plain { Said::Value } else { Said::Quote(text.to_owned()) };
        let score = likely + if ruled.is_some() { SECOND_WORD } else { 0.0 };
        answers.push(Found { fact: shown, score, said });
    }
    // What happened once answers only where nothing lasting does.
    if answers.iter().any(|f| f.fact.fact.kind == Kind::State) {
        answers.retain(|f| f.fact.fact.kind == Kind::State);
    }
    found.retain(|f| f.fact.retired && question.earlier.is_none() && !repeats);
    if !answers.is_empty() {
        *found = answers;
    }
}

/// Whether a text says more than the question does already. A value of words that carry no meaning ("A", "IT") is more, too.
fn tells_more(text: &str, value: &str, said: &Stems) -> bool {
    const CONTRACTED: [&str; 6] = ["'m", "'re", "'ve", "'ll", "'d", "n't"];
    let is_contracted = |stem: &str| CONTRACTED.iter().any(|end| stem.replace('’', "'").ends_with(end));
    set(value).is_empty() || set(text).iter().any(|stem| !said.contains(stem) && !is_contracted(stem))
}

/// Whether the fact tells of the time that is asked about: of now, or of an earlier one.
fn is_of_the_time(fact: &AnswerFact<'_>, question: &Question) -> bool {
    const EARLIER: [&str; 6] = ["previous", "former", "formerly", "previously", "earlier", "before"];
    let names_it = || fact.fact.text.split_whitespace().any(|w| EARLIER.contains(&w.to_lowercase().as_str()));
    // What was rejected or taken back never was so, and the row that says that something has ended is no value.
    let was_so = || {
        fact.fact.status == Status::Superseded
            || fact.fact.supersedes.is_none() && !fact.fact.metadata.contains_key(REJECTED_BY)
    };
    match (question.earlier.is_some(), fact.retired) {
        (true, true) => was_so(),
        (true, false) => names_it(),
        (false, retired) => !retired,
    }
}

/// How likely each fact answers, and the words in which it does best.
fn likelihoods<'a>(question: &str, facts: &'a [Told]) -> Vec<(f64, &'a str)> {
    let forms = |told: &'a Told| std::iter::once(&told.text).chain(&told.other).map(String::as_str);
    let pairs: Vec<(&str, &str)> =
        facts.iter().flat_map(|told| forms(told).map(|text| (question, text))).collect();
    let mut likely = encoder::answers(&pairs, meant).into_iter().map(f64::from);
    let best = |told: &'a Told| {
        let of_each = forms(told).map(|text| (likely.next().unwrap_or_default(), text));
        of_each.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    };
    facts.iter().map(best).collect()
}

/// "Which name do I go by at work?" is not answered by the one for official papers.
fn holds_elsewhere(fact: &Fact, question: &str) -> bool {
    let words = words(question.trim_end_matches('?'));
    let is_where = |word: &Word| word.is_any(&["at", "on", "in", "for"]);
    let place = words.iter().rposition(is_where).and_then(|at| words.get(at + 1..)).filter(|w| w.len() <= 2);
    let strange = |place: &[Word]| {
        let place = set(&spell(place));
        !place.is_empty() && place.is_disjoint(&words_of(fact))
    };
    fact.scope != "global" && set(&fact.scope).is_disjoint(&set(question)) && place.is_some_and(strange)
}

/// "Does she take phenytoin?" is not answered by the tablets that she takes.
fn lacks_strange_word(known: &Held, question: &Question) -> bool {
    let mut strange = question.terms.iter().filter(|term| is_strange(&term.word)).peekable();
    strange.peek().is_some() && strange.all(|term| known.meets(term) == Met::Not)
}

/// Whether something that is asked for stands in another fact, but not in this one.
fn lacks_what_another_has(known: &Held, question: &Question, held: &[Held]) -> bool {
    let clearly = |held: &Held, term: &Term| matches!(held.meets(term), Met::Itself(s) if s >= 0.7);
    let tells = |term: &&Term| !question.is_name(term) && !question.is_general(term);
    question
        .terms
        .iter()
        .filter(tells)
        .any(|term| known.meets(term) == Met::Not && held.iter().any(|other| clearly(other, term)))
}

/// Whether the fact is about another person than the question, or about another thing of the same kind.
fn is_ruled_out(fact: &AnswerFact<'_>, known: &Held, question: &Question, held: &[Held]) -> bool {
    let met = |term: &Term| held.iter().any(|other| other.meets(term) != Met::Not);
    let clearly = |term: &Term| matches!(known.meets(term), Met::Itself(strength) if strength > 0.4);
    is_of_another(fact, known, question, held)
        || question.terms.iter().any(|t| !clearly(t) && known.speaks_of_another(t, &question.terms, met(t)))
}

/// What a term of the question counts.
#[derive(Debug, Clone, Copy)]
struct Weight {
    /// Whether a fact answers at all: here it makes no difference how many facts there are.
    whether: f64,
    /// Which fact answers best: a word that many facts share says less than one that few do.
    which: f64,
    /// Whether one of the facts itself speaks of it.
    met: bool,
}

impl Weight {
    fn of(term: &Term, question: &Question, held: &[Held]) -> Self {
        let with = held.iter().filter(|k| k.meets(term) != Met::Not).count();
        let whether = match (with, question.is_name(term)) {
            (0, true) => 0.4,
            (_, true) => 0.6,
            (0, false) if question.asked == Asked::Whether => 1.0,
            (0, false) if question.is_general(term) => 0.2,
            (0, false) => 0.8,
            (_, false) if question.is_general(term) => 0.5,
            (_, false) => 1.0,
        };
        let rare = if with == 0 { 0.0 } else { (held.len() as f64 / with as f64).ln() };
        let met = held.iter().any(|k| matches!(k.meets(term), Met::Itself(s) if s >= 0.7));
        Self { whether, which: whether + rare, met }
    }
}

#[derive(Debug, Default)]
struct Share {
    part: f64,
    whole: f64,
}

impl Share {
    fn add(&mut self, strength: f64, weight: f64) {
        self.part += strength * weight;
        self.whole += weight;
    }

    fn share(&self) -> f64 {
        if self.whole > 0.0 { self.part / self.whole } else { 0.0 }
    }
}

/// A fact that answers.
struct Found<'a> {
    fact: &'a AnswerFact<'a>,
    score: f64,
    said: Said,
}

enum Said {
    Value,
    /// The value alone does not tell what is asked, but the words that it came from do.
    Quote(String),
}

impl<'a> Found<'a> {
    fn of(
        fact: &'a AnswerFact<'a>,
        known: &'a Held,
        question: &Question,
        weights: &[Weight],
        all: &[Held],
    ) -> Option<Self> {
        if fact.retired && question.now
            || question.earlier.is_some() && !is_of_the_time(fact, question)
            || is_of_another(fact, known, question, all)
            || !has_the_kind(fact, known, question, weights)
        {
            return None;
        }
        let (mut whether, mut which) = (Share::default(), Share::default());
        let (mut itself, mut about) = (false, question.is_all_names());
        for (term, weight) in question.terms.iter().zip(weights) {
            let met = known.meets(term);
            let clearly = matches!(met, Met::Itself(s) if s > 0.4);
            if !clearly && known.speaks_of_another(term, &question.terms, weight.met) {
                return None;
            }
            let counts = question.is_telling(term) || known.value_meets(term);
            let strength = if question.is_place(term, &fact.fact.value) { 0.6 } else { met.strength() };
            let most = if question.is_name(term) && met == Met::Not { UNNAMED } else { f64::MAX };
            whether.add(strength, weight.whether.min(most));
            which.add(strength, weight.which.min(most));
            about |= strength > 0.0 && counts;
            itself |= matches!(met, Met::Itself(_)) && (counts || question.is_all_names());
        }
        let enough = if question.asked == Asked::Whether { ENOUGH_FOR_YES } else { ENOUGH };
        let more = known.more(&question.terms);
        // A fact that lacks the name must not be about something else besides.
        let unnamed = !question.names.is_empty() && !is_named(known, question) && !known.points_back();
        let doubt = if unnamed { 0.2 * more } else { 0.0 };
        if !about || whether.share() - doubt < enough {
            return None;
        }
        let fits = question.fits(&fact.fact.value) || question.fits_subject(&fact.fact.subject);
        let said = match (fits && itself, question.fits(&known.told)) {
            (true, _) => Said::Value,
            (false, true) if !fact.retired => Said::Quote(known.told.clone()),
            (false, _) => return None,
        };
        let less = 0.1 * more + if fact.retired { 0.2 } else { 0.0 };
        Some(Self { fact, score: which.share() - less, said })
    }

    fn sentence(&self) -> String {
        let fact = self.fact.fact;
        let scope = if fact.scope == "global" { String::new() } else { format!(", for {}", fact.scope) };
        let earlier = if self.fact.retired { "Earlier: " } else { "" };
        let disputed = if self.fact.disputed { " A change to this waits for confirmation." } else { "" };
        match &self.said {
            Said::Value => {
                format!("{earlier}{} ({} = {}{scope}).{disputed}", fact.value, fact.subject, fact.value)
            }
            Said::Quote(told) => format!("{earlier}As told: \"{told}\"{scope}.{disputed}"),
        }
    }
}

/// Whether the fact can give what "which browser" asks one of. Where it does not say so itself, no other may, and all else
/// that is asked for must be there.
fn has_the_kind(fact: &AnswerFact<'_>, known: &Held, question: &Question, weights: &[Weight]) -> bool {
    let mut terms = question.terms.iter().zip(weights);
    let Some((head, weight)) = terms.find(|(term, _)| question.is_head(term)) else { return true };
    if known.meets(head) != Met::Not || question.is_place(head, &fact.fact.value) {
        return true;
    }
    let tells = |t: &&Term| !question.is_head(t) && !question.is_general(t) && !question.is_name(t);
    let mut others = question.terms.iter().filter(tells).peekable();
    !weight.met
        && !question.wants_place()
        && others.peek().is_some()
        && others.all(|t| known.meets(t) != Met::Not)
}

fn is_named(known: &Held, question: &Question) -> bool {
    question.names.iter().any(|name| known.has(name))
}

/// Whether the fact is about somebody whom the question does not mean.
fn is_of_another(fact: &AnswerFact<'_>, known: &Held, question: &Question, all: &[Held]) -> bool {
    const ANYBODY: [&str; 8] =
        ["user's", "patient's", "customer's", "client's", "company's", "team's", "it's", "that's"];
    let owners = fact.fact.subject.split_whitespace().filter(|w| w.ends_with("'s") && !ANYBODY.contains(w));
    let another = |owner: &str| !stems(owner).iter().any(|s| question.has(s));
    let owned_by_another = owners.into_iter().any(another);
    let named = known.subject_words().iter().any(|w| another(w) && is_written_as_name(w, &fact.fact.text));
    let meant = is_named(known, question);
    let lacks = |name: &String| !known.has(name) && all.iter().any(|other| other.has(name));
    let others = fact.fact.subject.split_whitespace().any(|w| matches!(w, "his" | "her" | "their"));
    (question.own && owned_by_another)
        || (question.own_alone && others)
        || (!question.names.is_empty() && !meant && (owned_by_another || named))
        || (named && question.names.iter().any(lacks))
}

/// Whether the word stands in the text with a capital, not only at the beginning of a sentence, or is no other word.
fn is_written_as_name(word: &str, text: &str) -> bool {
    const TITLES: [&str; 4] = ["Mr.", "Mrs.", "Ms.", "Dr."];
    let wanted = stems(word);
    let mut before = ".";
    for written in text.split_whitespace() {
        let bare = written.trim_matches(|c: char| !c.is_alphanumeric());
        let begins = before.ends_with(['.', '!', '?', ':']) && !TITLES.contains(&before);
        if stems(bare) == wanted
            && bare.chars().next().is_some_and(char::is_uppercase)
            && (!begins || is_strange(&bare.to_lowercase()))
        {
            return true;
        }
        before = written;
    }
    false
}
