//! What holds in another place than what was told before: "on mobile it's light", after "my theme on web is dark".

use super::comparing::set;
use super::naming::plain_name;
use super::sentences::sentences;
use super::values::is_time;
use super::words::{Word, words};

/// Where "it" is said to be otherwise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Elsewhere {
    prep: String,
    pub place: String,
}

impl Elsewhere {
    pub fn of(text: &str) -> Option<Self> {
        const MOST: usize = 5;
        let said = sentences(text).concat();
        let (prep, rest) = said.split_first().filter(|(first, _)| is_where(first))?;
        let it = rest.iter().take(MOST).position(|word| word.is_any(&["it", "its", "they"]))?;
        let is = rest.get(it).is_some_and(|word| word.is("its"))
            || rest.get(it + 1).is_some_and(|word| word.is_any(&["is", "'s", "are", "'re"]));
        let place = plain_name(rest.get(..it)?).replace("user's ", "");
        (is && !place.is_empty()).then(|| Self { prep: prep.low.clone(), place })
    }

    /// What "it" is, where that was told of some other place: "user's theme" of "user's theme on web".
    pub fn what<'a>(&self, subject: &'a str, value: &str, told: &str) -> Option<&'a str> {
        let prep = format!(" {} ", self.prep);
        let told = format!(" {} ", told.to_lowercase());
        let (before, after) = told.split_once(&prep)?;
        let of_place = before.trim().is_empty() || subject.contains(&prep) || value.contains(&prep);
        // What is kept word for word says of too many things what it is.
        let is_read = set(value) != set(&told);
        let is_other = set(&self.place).is_disjoint(&set(&told));
        // "In summer it's hot" says nothing of the gym in Oslo.
        let is_alike =
            is_time(&words(&self.place)) == is_time(&words(after).into_iter().take(1).collect::<Vec<_>>());
        (is_read && of_place && is_other && is_alike)
            .then(|| subject.split_once(&prep).map_or(subject, |(name, _)| name))
    }
}

fn is_where(word: &Word) -> bool {
    word.is_any(&["in", "on", "at", "for", "with", "during", "under"])
}

#[cfg(test)]
mod tests {
    use super::Elsewhere;

    #[test]
    fn it_is_what_was_told_of_another_place() {
        let what = |text: &str, subject, value, told| {
            let elsewhere = Elsewhere::of(text)?;
            Some((elsewhere.what(subject, value, told)?, elsewhere.place))
        };
        let of_theme = |text| what(text, "user's theme on web", "dark", "My theme on web is dark");
        assert_eq!(of_theme("On mobile it's light"), Some(("user's theme", "mobile".to_owned())));
        assert_eq!(of_theme("on my phone its light"), Some(("user's theme", "phone".to_owned())));
        assert_eq!(of_theme("At work it is light"), None);
        assert_eq!(of_theme("On mobile I like it light"), None);
        assert_eq!(of_theme("It's light on mobile"), None);
        let of_code = |text| what(text, "gate code", "3381", "At the allotment the gate code is 3381");
        assert_eq!(of_code("at the garage it's 9027"), Some(("gate code", "garage".to_owned())));
        assert_eq!(of_code("at the allotment it's quiet"), None);
        let said = "In the Lisbon office Amalia picks up the phone";
        assert_eq!(what("in Faro it's Duarte", "lisbon office amalia picks phone", said, said), None);
        let of_work = |text| what(text, "user's employer", "Siemens", "I work at Siemens in Munich");
        assert_eq!(of_work("In summer it's hot"), None);
        assert_eq!(of_work("In the office it's quiet"), None);
    }
}
