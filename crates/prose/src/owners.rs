//! Whose a value is, where the words give it to somebody or something else than the one that a declared slot is about.

use crate::clauses::clauses;
use crate::sentences::sentences;
use crate::words::{find, has, position, words};
use domain::words::{is_function_word, stem};

/// People and firms that are somebody's, and are not that somebody.
const RELATIONS: &str = "father dad mother mum mom parent parents brother sister sibling son daughter child children kid kids \
    husband wife spouse partner boyfriend girlfriend fiance fiancee ex uncle aunt cousin nephew niece \
    grandfather grandmother grandpa grandma grandparents granddad gran stepfather stepmother in-laws \
    neighbour neighbor friend friends mate mates buddy colleague colleagues coworker co-worker boss flatmate \
    roommate housemate landlord tenant classmate teammate carer donor visitor roommates competitor \
    competitors rival rivals supplier suppliers vendor reseller distributor subcontractor contractor agency \
    subsidiary affiliate consultant intern adviser advisor predecessor successor acquaintance client \
    clients customer customers prospect prospects patient patients";
/// Words before a thing that make it another one.
const OTHER: &str = "another other different previous former last old ex next neighbouring sister";
/// Things that there may be another one of.
const THINGS: &str = "patient customer client account company firm employer job office team project repo repository service \
    app application product deal prospect bed ward room person user site branch deployment cluster \
    department unit shop vendor ticket tenant";
/// Where something holds that does not hold where it counts.
const ENVIRONMENTS: [&str; 19] = [
    "staging",
    "stage environment",
    "test environment",
    "test server",
    "test box",
    "dev environment",
    "dev server",
    "dev box",
    "development environment",
    "sandbox",
    "laptop",
    "local machine",
    "localhost",
    "demo environment",
    "preview environment",
    "ci jobs",
    "ci job",
    "qa",
    "uat",
];
/// What says that the thing it is said of is another one.
const UNRELATED: [&str; 6] = [
    "unrelated",
    "my other account",
    "different client",
    "different customer",
    "different patient",
    "different deal",
];
/// Groups that have their own ways: "the frontend team", "the billing repo", "the Brightwater deal".
const GROUPS: &str = "team team's folks guys people repo repo's repository deal project department squad crowd group service \
    app account tenant office branch site ward cluster";
/// Determiners of one's own group.
const OWN: &str = "our my this the whole entire these your a in for current";
/// Words that point back at whoever the sentence before spoke of.
const POINTING: &str = "he she they it his her their its he's she's they're it's theirs hers";
/// What somebody does of whom a personal slot speaks.
const PERSONAL: &str =
    "lives lived works worked moved eats ate joined resides studies relocated left follows keeps";
/// What an organisation does of which a technical slot speaks.
const TECHNICAL: &str = "deploys deploy uses runs banks ships hosts stores pays gives";
/// Who a verb's subject may be without being somebody else.
const GENERIC: &str = "i we it that this which who everything production prod project app code backend company team system \
    platform product service user customer client prospect patient also now currently and they he she \
    everyone still";

/// Whom the slot is about, in the words of its schema.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'a> {
    /// The words for whoever or whatever it is about: "we", "production".
    pub words: &'a [String],
    /// The slot's own name and aliases.
    pub slot: &'a [&'a str],
}

/// Who else the words give the value to, as a name.
pub fn owner_of(text: &str, value: &str, owner: Owner<'_>) -> Option<String> {
    let value: Vec<String> = words(value).collect();
    let mut before: Option<String> = None;
    for sentence in sentences(text) {
        let whole = sentence.join(" ");
        let said: Vec<String> = words(&whole).collect();
        let found = position(&said, &value);
        let named = clauses_to(&whole, &value).iter().find_map(|clause| owner.other_in(clause, &value));
        let cue = UNRELATED.iter().find(|cue| find(&said, cue).next().is_some()).map(|cue| (*cue).to_owned());
        let points = said.iter().take(POINTING_WORDS).any(|word| is_of(word, POINTING));
        let carried = || owner.carried_in(&clauses(&whole), &value);
        let other = named.or(cue).or_else(carried).or_else(|| before.take().filter(|_| points));
        if found.is_some() {
            return other;
        }
        before = other;
    }
    None
}

/// Whether a subject ends with a word for somebody's relation: "user ex", "user sister".
pub fn is_relation(subject: &str) -> bool {
    subject.split(' ').next_back().is_some_and(|word| is_of(word, RELATIONS))
}

/// Whether the words speak of somebody or something else at all.
pub fn speaks_of_another(text: &str, owner: Owner<'_>) -> bool {
    let all = sentences(text).into_iter().flat_map(|sentence| clauses(&sentence.join(" ")));
    all.into_iter().any(|clause| owner.other_in(&clause, &[]).is_some())
}

/// A pronoun among so many words at the head of a sentence is what it is about.
const POINTING_WORDS: usize = 3;

/// The clause that has the value, and those before it that lead up to it.
fn clauses_to(sentence: &str, value: &[String]) -> Vec<Vec<String>> {
    let all = clauses(sentence);
    let Some(at) = all.iter().position(|clause| position(clause, value).is_some()) else {
        return vec![words(sentence).collect()];
    };
    let (before, own) = all.split_at(at);
    // "At Tesco, my other account, …", "Another customer, Brightwell, has …".
    if own.first().and_then(|clause| clause.first()).is_some_and(|word| is_of(word, GOING_ON)) {
        return vec![before.iter().chain(own.first()).flatten().cloned().collect()];
    }
    let leads = before.iter().rev().take_while(|clause| clause.len() <= LEADING_WORDS);
    own.first().into_iter().chain(leads).cloned().collect()
}

/// A clause that opens so is about what came before its comma.
const GOING_ON: &str =
    "is are was were has have had isn't aren't wasn't hasn't closes runs uses takes pays banks lives works";

/// A piece before a comma that has no more words says no more than what the next one is about.
const LEADING_WORDS: usize = 3;

impl Owner<'_> {
    fn is(&self, word: &str) -> bool {
        let own = self
            .words
            .iter()
            .flat_map(|own| words(own))
            .any(|own| stem(&own) == stem(word) && !is_article(&own));
        own || self
            .slot
            .iter()
            .flat_map(|name| words(&name.replace('_', " ")).collect::<Vec<_>>())
            .any(|own| stem(&own) == stem(word))
    }

    /// "Netflix runs on AWS and its database is Cassandra": a clause that begins with a pronoun is of whom the one before it
    /// spoke.
    fn carried_in(&self, all: &[Vec<String>], value: &[String]) -> Option<String> {
        let at = all.iter().position(|clause| position(clause, value).is_some())?;
        let points = all.get(at)?.first().is_some_and(|word| is_of(word, POINTING));
        let before = all.get(..at)?.last().filter(|_| points)?;
        self.other_in(before, &[])
    }

    fn is_any(&self, wanted: &[&str]) -> bool {
        wanted.iter().any(|word| self.words.iter().flat_map(|own| words(own)).any(|own| own == *word))
    }

    /// Somebody or something else that a clause gives the value to.
    fn other_in(&self, clause: &[String], value: &[String]) -> Option<String> {
        let at = position(clause, value).unwrap_or(clause.len());
        let before = clause.get(..at).unwrap_or_default();
        let behind = clause.get((at + value.len()).min(clause.len())..).unwrap_or_default();
        self.environment(before)
            .or_else(|| self.environment(behind))
            .or_else(|| self.relation(before))
            .or_else(|| self.relation_behind(behind))
            .or_else(|| self.another(before))
            .or_else(|| self.group(before))
            .or_else(|| self.ourselves(before))
            .or_else(|| self.possessor(before))
            .or_else(|| self.actor(before))
    }

    fn environment(&self, clause: &[String]) -> Option<String> {
        let found = ENVIRONMENTS.iter().find(|place| find(clause, place).next().is_some())?;
        (!self.is(found)).then(|| (*found).to_owned())
    }

    /// "The patient's father is …", "a friend of hers has …"; next to the value it belongs to it: "her brother Tomasz".
    fn relation(&self, before: &[String]) -> Option<String> {
        let speaks =
            (self.is_personal() || self.is_ours()) && before.first().is_some_and(|word| is_of(word, SPEAKER));
        let own = before.len().saturating_sub(1);
        let is_meant = |at: usize, word: &str| {
            let next = before.get(at + 1).map(String::as_str).unwrap_or_default();
            let joined = before.iter().skip(at + 1).any(|word| is_of(word, SPEAKER));
            is_of(word, RELATIONS) && !self.is(word) && !joined && !is_of(next, TELLING)
        };
        let found = before.iter().enumerate().take(own).rev().find(|(at, word)| is_meant(*at, bare(word)));
        let (at, word) = found.filter(|_| !speaks)?;
        Some(self.phrase(before, at, bare(word)))
    }

    /// "Raiffeisen is where our tenant banks."
    fn relation_behind(&self, behind: &[String]) -> Option<String> {
        let at = behind.iter().position(|word| is_of(word, "where who whom which"))?;
        let found = behind.get(at + 1..)?.iter().take(3).map(|word| bare(word));
        let relation = found.into_iter().find(|word| is_of(word, RELATIONS) && !self.is(word))?;
        behind
            .get(..at)?
            .iter()
            .all(|word| is_of(word, "is was just only simply"))
            .then(|| relation.to_owned())
    }

    /// "Another customer", "my last employer", "the man in the next bed", "bed 4".
    fn another(&self, before: &[String]) -> Option<String> {
        let pairs = before.windows(2).enumerate();
        let mut found = pairs.filter_map(|(at, pair)| match pair {
            [kind, thing] if is_of(kind, OTHER) && is_of(bare(thing), THINGS) => {
                Some((at, format!("{kind} {}", bare(thing))))
            }
            [thing, number]
                if matches!(thing.as_str(), "bed" | "room")
                    && number.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                Some((at, format!("{thing} {}", bare(number))))
            }
            _ => None,
        });
        found.next().map(|(_, name)| name)
    }

    /// "The data science folks", "the billing repo": a group with a word of its own before it.
    fn group(&self, before: &[String]) -> Option<String> {
        let found = before.windows(2).find(|pair| match pair {
            [name, group] => {
                is_of(group, GROUPS) && !is_of(name, OWN) && !is_function_word(name) && !self.is(bare(name))
            }
            _ => false,
        })?;
        let [name, group] = found else { return None };
        Some(format!("{name} {}", bare(group)))
    }

    /// "Our own budget", "we ourselves" where the slot is the customer's.
    fn ourselves(&self, before: &[String]) -> Option<String> {
        if self.is_any(&["i", "me", "user", "we", "us", "our"]) {
            return None;
        }
        has(before, &["our own", "my own", "we ourselves", "i myself"]).then(|| "our own".to_owned())
    }

    /// "Tom's birthday", "the marketing site's framework", where the slot is the user's or ours.
    fn possessor(&self, before: &[String]) -> Option<String> {
        if !(self.is_personal() || self.is_ours()) {
            return None;
        }
        let at = before.iter().take(NAME_WORDS).position(|word| word.ends_with("'s"))?;
        let name = bare(before.get(at)?);
        let points = is_of(name, POINTING) || is_function_word(name) || is_of(name, GENERIC) || self.is(name);
        let contracted = ["that", "there", "here", "what", "let", "today", "everything"].contains(&name);
        (!points && !contracted && self.names_slot(before.get(at + 1..).unwrap_or_default()))
            .then(|| name.to_owned())
    }

    /// "Tom moved to", "Netflix deploys with": somebody else who does it.
    fn actor(&self, before: &[String]) -> Option<String> {
        let mine = self.is_personal();
        let ours = self.is_ours();
        if !(mine || ours) {
            return None;
        }
        let does = |word: &str| mine && is_of(word, PERSONAL) || ours && is_of(word, TECHNICAL);
        let verb = before.iter().position(|word| does(word)).filter(|at| *at > 0)?;
        let subject = before.get(..verb)?;
        let is_self =
            subject.iter().any(|word| is_of(bare(word), GENERIC) || self.is(bare(word)) || is_of(word, SELF));
        let named: Vec<&str> =
            subject.iter().map(|word| bare(word)).filter(|word| !is_function_word(word)).collect();
        (!is_self && !named.is_empty() && named.len() <= NAME_WORDS).then(|| named.join(" "))
    }

    fn is_personal(&self) -> bool {
        self.is_any(&["user", "i", "me"])
    }

    fn is_ours(&self) -> bool {
        self.is_any(&["we", "us", "our"])
    }

    fn names_slot(&self, clause: &[String]) -> bool {
        self.slot.iter().any(|name| {
            let name: Vec<String> = words(&name.replace('_', " ")).collect();
            position(clause, &name).is_some()
        })
    }

    /// The relation with its possessor: "patient father", "our neighbour" as "neighbour".
    fn phrase(&self, before: &[String], at: usize, relation: &str) -> String {
        let whose = at.checked_sub(1).and_then(|i| before.get(i)).filter(|word| word.ends_with("'s"));
        match whose.map(|word| bare(word)) {
            Some(whose) => format!("{whose} {relation}"),
            None => relation.to_owned(),
        }
    }
}

/// A name has no more words.
const NAME_WORDS: usize = 4;
/// The speaker as a subject: "my wife and I moved".
const SPEAKER: &str = "i i'm i've i'd we we're we've we'd";
/// What somebody does who only tells it.
const TELLING: &str =
    "says said reports reported told tells mentioned confirmed brought asked called thinks phoned wrote";
/// First persons, with what they are contracted with.
const SELF: &str = "i i'm i've i'd we we're we've my our mine ours me us ourselves";

/// Whether a word is on a list of words with spaces between them.
fn is_of(word: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == word)
}

fn bare(word: &str) -> &str {
    word.strip_suffix("'s").or_else(|| word.strip_suffix("s'")).unwrap_or(word)
}

fn is_article(word: &str) -> bool {
    matches!(word, "the" | "a" | "an" | "this")
}

#[cfg(test)]
mod tests {
    use super::{Owner, owner_of};

    #[track_caller]
    fn check(owner: &[&str], slot: &[&str], cases: &[(&str, &str, Option<&str>)]) {
        let words: Vec<String> = owner.iter().map(|word| (*word).to_owned()).collect();
        for (text, value, expected) in cases {
            let found = owner_of(text, value, Owner { words: &words, slot });
            assert_eq!(found.as_deref(), *expected, "{text}");
        }
    }

    #[test]
    fn what_is_anothers_is_told_from_what_is_the_patients() {
        check(
            &["the patient"],
            &["allergy", "active_medication"],
            &[
                ("The patient's father is allergic to latex.", "latex", Some("patient father")),
                ("His father is diabetic. He takes insulin.", "insulin", Some("father")),
                ("Her sister takes lithium for bipolar.", "lithium", Some("sister")),
                ("A friend of hers swells up with bee stings.", "bee stings", Some("friend")),
                ("The man in the next bed is full code.", "full code", Some("next bed")),
                ("The patient is allergic to latex.", "latex", None),
                ("Mrs. Alvarez takes metformin 500 mg.", "metformin 500 mg", None),
                ("She takes aspirin, and her sister visits.", "aspirin", None),
            ],
        );
        check(
            &["the patient"],
            &["emergency_contact"],
            &[
                ("Emergency contact is her daughter Miriam.", "Miriam", None),
                ("Bed 4's emergency contact is a Mr Halloran.", "Mr Halloran", Some("bed 4")),
            ],
        );
    }

    #[test]
    fn what_goes_on_behind_a_comma_is_said_of_what_stands_before_it() {
        let text = "His business partner, not a client of ours, is aggressive.";
        check(&["the client"], &["risk_tolerance"], &[(text, "aggressive", Some("partner"))]);
    }

    #[test]
    fn what_is_anothers_is_told_from_what_is_the_users() {
        check(
            &["the user"],
            &["home_city", "birthday", "employer", "partner"],
            &[
                ("Tom moved to Berlin.", "Berlin", Some("tom")),
                ("My brother lives in Graz.", "Graz", Some("brother")),
                ("Dad's birthday is 2 June.", "2 June", Some("dad")),
                ("Ruud's partner is Annelies.", "Annelies", Some("ruud")),
                ("I moved to Berlin.", "Berlin", None),
                ("My partner is Kees.", "Kees", None),
                ("We live in Rotterdam.", "Rotterdam", None),
                ("My wife and I moved to Porto.", "Porto", None),
                ("I live with my sister in Porto.", "Porto", None),
            ],
        );
    }

    #[test]
    fn what_holds_elsewhere_does_not_hold_in_production() {
        check(
            &["we", "production"],
            &["database", "production database", "deploy_target"],
            &[
                ("The staging database is SQLite.", "SQLite", Some("staging")),
                ("On my laptop I use plain Postgres.", "plain Postgres", Some("laptop")),
                ("The data science folks deploy to Databricks.", "Databricks", Some("science folks")),
                ("Netflix deploys with Spinnaker to Titus.", "Titus", Some("netflix")),
                ("The competitor's database is Oracle.", "Oracle", Some("competitor")),
                ("The marketing site's database is MySQL.", "MySQL", Some("site")),
                ("The project's database is MySQL.", "MySQL", None),
                ("Netflix runs on AWS and its database is Cassandra.", "Cassandra", Some("netflix")),
                ("Production runs on AWS and its database is Aurora.", "Aurora", None),
                ("We deploy to Fly.", "Fly", None),
                ("Production runs on Postgres.", "Postgres", None),
            ],
        );
        check(
            &["the prospect"],
            &["budget"],
            &[
                ("Our own marketing budget is 15k.", "15k", Some("our own")),
                ("The competitor's budget is 90k.", "90k", Some("competitor")),
                ("Another customer of mine, Brightwater, has a budget of 90k.", "90k", Some("customer")),
                ("Our prospect's budget is 90k.", "90k", None),
            ],
        );
        check(
            &["the deal", "the prospect"],
            &["close_date"],
            &[
                (
                    "Andrea's deal, the one abroad, closes on 10 December.",
                    "10 December",
                    Some("andrea's deal"),
                ),
                ("The prospect's deal closes on 10 December.", "10 December", None),
            ],
        );
    }
}
