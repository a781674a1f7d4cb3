//! What holds in another place than what was told before: "on mobile it's light", after "my theme on web is dark".

use super::naming::plain_name;
use super::sentences::sentences;
use super::words::Word;

/// Where "it" is said to be otherwise.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Elsewhere {
    prep: String,
    pub place: String,
}

impl Elsewhere {
    pub fn of(text: &str) -> Option<Self> {
        const MOST: usize = 5;
        let words = sentences(text).concat();
        let (prep, rest) = words.split_first().filter(|(first, _)| is_where(first))?;
        let it = rest.iter().take(MOST).position(|word| word.is_any(&["it", "its", "they"]))?;
        let is = rest.get(it).is_some_and(|word| word.is("its"))
            || rest.get(it + 1).is_some_and(|word| word.is_any(&["is", "'s", "are", "'re"]));
        let place = plain_name(rest.get(..it)?).replace("user's ", "");
        (is && !place.is_empty()).then(|| Self { prep: prep.low.clone(), place })
    }

    /// What "it" is, where that was told of some place, too: "user's theme" of "user's theme on web".
    pub fn what<'a>(&self, subject: &'a str, told: &str) -> Option<&'a str> {
        let prep = format!(" {} ", self.prep);
        let told = format!(" {} ", told.to_lowercase());
        let name = subject.split_once(&prep).map_or(subject, |(name, _)| name);
        told.contains(&prep).then_some(name)
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
        let what = |text: &str, subject, told| {
            let elsewhere = Elsewhere::of(text)?;
            Some((elsewhere.what(subject, told)?, elsewhere.place))
        };
        let of_theme = |text| what(text, "user's theme on web", "My theme on web is dark");
        assert_eq!(of_theme("On mobile it's light"), Some(("user's theme", "mobile".to_owned())));
        assert_eq!(of_theme("on my phone its light"), Some(("user's theme", "phone".to_owned())));
        assert_eq!(of_theme("At work it is light"), None);
        assert_eq!(of_theme("On mobile I like it light"), None);
        assert_eq!(of_theme("It's light on mobile"), None);
        let code = what("at the garage it's 9027", "gate code", "At the allotment the gate code is 3381");
        assert_eq!(code, Some(("gate code", "garage".to_owned())));
    }
}
