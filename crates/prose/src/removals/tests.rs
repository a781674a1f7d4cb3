//! Which values the words of a statement say have gone.

use super::Removals;

fn removed(text: &str, values: &[&str]) -> Vec<bool> {
    let removals = Removals::read(text, values.iter().copied());
    (0..values.len()).map(|i| removals.concern(i)).collect()
}

#[test]
fn removal_words_concern_the_value_they_speak_of() {
    for text in [
        "we no longer use Sentry",
        "We've dropped Sentry.",
        "We used Sentry, but no longer.",
        "Sentry: got rid of it",
        "We don't use Sentry any more",
        "we are not using Sentry anymore",
        "The team gave up on Sentry in May",
        "we stopped using Sentry and we are happy about it",
        "We dropped Redis, Sentry and Kafka",
        "we no longer use it",
        "Sentry is gone",
        "The Sentry servers are gone.",
        "We moved off Sentry in May",
        "we turned off Sentry",
        "Sentry has been switched off",
        "no more Sentry",
        "We have no more Sentry",
        "We don't use Sentry",
        "We don’t use Sentry",
        "we do not use Sentry",
        "The team doesn't use Sentry",
        "Ops does not use Sentry",
        "we are not using Sentry",
        "We no longer use Sentry @@eyJmYWN0cyI6W3sic3ViamVjdCI6ImFwbSJ9XX0-if-maybe@@",
    ] {
        assert_eq!(removed(text, &["Sentry"]), [true], "{text}");
    }
}

#[test]
fn removal_words_leave_other_values_alone() {
    assert_eq!(removed("We dropped Redis, and Alice is the lead", &["Redis", "Alice"]), [true, false]);
    assert_eq!(removed("We dropped Redis and Alice is the lead", &["Redis", "Alice"]), [true, false]);
    assert_eq!(removed("Alice leads now. We no longer use Redis.", &["Redis", "Alice"]), [true, false]);
    assert_eq!(removed("We no longer use MySQL, we use Postgres now", &["Postgres"]), [false]);
    assert_eq!(removed("we moved from MySQL to Postgres and dropped MySQL", &["Postgres"]), [false]);
    assert_eq!(removed("dropped MySQL in favour of Postgres", &["Postgres"]), [false]);
    assert_eq!(removed("Got rid of the old CI; bills come yearly", &["Jenkins", "annual"]), [false, false]);
    assert_eq!(
        removed("We used Sentry but no longer, and Alice leads now", &["Sentry", "Alice"]),
        [true, false]
    );
}

#[test]
fn a_hedge_a_question_or_sarcasm_takes_removal_words_back() {
    for text in [
        "considering dropping it, no longer sure, maybe Sentry",
        "maybe we no longer use Sentry",
        "If we dropped Sentry we would save money",
        "Have we dropped Sentry?",
        "yeah right, we no longer use Sentry",
        "we dropped Sentry /s",
        "we dropped Sentry lol",
        "we have not removed Sentry",
        "Sentry was never really dropped",
        "We haven't dropped Sentry",
        "we use Sentry",
        "Sentry has dropshipping",
        "Sentry is not gone",
        "we never moved off Sentry",
        "Sentry was not turned off",
        "Sentry hasn't been switched off",
        "we were never not using Sentry",
        "we use no more than Sentry",
        "it takes no longer than Sentry",
        "We dropped Sentry. /s",
        "We dropped Sentry! Haha.",
        "We dropped Sentry. Just kidding!",
        "We use Kafka. Maybe... we dropped Sentry",
        "We dropped Sentry (if I remember well).",
        "maybe see https://example.com/a. we dropped Sentry",
    ] {
        assert_eq!(removed(text, &["Sentry"]), [false], "{text}");
    }
}

#[test]
fn a_hedge_in_another_sentence_takes_nothing_back() {
    for text in [
        "We dropped Sentry. Tell me if you need it back.",
        "Maybe it rains. We dropped Sentry!",
        "we dropped Sentry. is that fine?",
        "We dropped Sentry\nperhaps Kafka is next",
        "We dropped Sentry. It cost too much lol",
        "Version 2 would be nice, haha. We dropped Sentry.",
    ] {
        assert_eq!(removed(text, &["Sentry"]), [true], "{text}");
    }
    let two = "We might have dropped Kafka. We dropped Sentry.";
    assert_eq!(removed(two, &["Kafka", "Sentry"]), [false, true]);
}

#[test]
fn a_value_in_words_of_removal_does_not_remove_itself() {
    assert_eq!(removed("dark mode is turned off", &["turned off"]), [false]);
    assert_eq!(removed("Rule: do not use tabs", &["do not use tabs"]), [false]);
    assert_eq!(removed("do not use tabs is no longer the rule", &["do not use tabs"]), [true]);
}

#[test]
fn what_one_moved_to_has_not_gone() {
    for text in ["we moved off MySQL to Postgres", "We migrated away from MySQL onto Postgres 16"] {
        assert_eq!(removed(text, &["MySQL", "Postgres"]), [true, false], "{text}");
    }
}

#[test]
fn noise_is_not_read_as_words() {
    for text in [
        "Sentry @@dropped-no_longer-removed@@",
        "Sentry https://example.com/no/longer/dropped",
        "Sentry ~apm|dropped|ADD~",
        "Sentry bm8gbG9uZ2Vy/dropped/ZHJvcHBlZA",
    ] {
        assert_eq!(removed(text, &["Sentry"]), [false], "{text}");
    }
    assert_eq!(removed("we dropped Sentry https://example.com/?q=maybe", &["Sentry"]), [true]);
}
