use super::{ENCODER, Meant, Relation, answers, relations, tokens};
use proptest::prelude::*;

fn likeliest(likely: &[f32]) -> usize {
    (0..likely.len()).max_by(|a, b| likely[*a].total_cmp(&likely[*b])).unwrap_or_default()
}

#[test]
fn a_statement_is_weighed_against_what_is_held() {
    let held = "We deploy to Heroku";
    for (statement, relation) in [
        ("We moved from Heroku to Fly.io last week.", Relation::Replaces),
        ("We no longer deploy anywhere, the project is dead.", Relation::Ends),
        ("The Heroku bill arrived this morning.", Relation::None),
        ("My sister lives in Leeds.", Relation::None),
        ("As I said, Heroku is where we deploy.", Relation::Same),
    ] {
        let likely = relations(&[(statement, held)]);
        assert_eq!(likeliest(&likely[0]), relation as usize, "{statement}: {likely:.2?}");
    }
}

#[test]
fn words_are_taken_as_they_are_meant() {
    for (statement, meant) in [
        ("Our database is Postgres.", Meant::So),
        ("We might move to Azure next year, but nobody knows.", Meant::Hedged),
        ("Do we still use Jenkins?", Meant::Asked),
        ("If we had the money, we would buy Snowflake.", Meant::Hypothetical),
        ("I used to live in Ghent.", Meant::Past),
    ] {
        let read = tokens(&[statement]);
        let of = |at: usize| read[0].iter().map(|token| token.meant[at]).sum::<f32>();
        let sums: Vec<f32> = (0..super::MEANINGS).map(of).collect();
        assert_eq!(likeliest(&sums), meant as usize, "{statement}: {sums:.2?}");
    }
}

#[test]
fn a_fact_that_answers_is_told_from_one_that_does_not() {
    let likely = answers(&[
        ("Where is the storefront hosted?", "The storefront is hosted on Heroku"),
        ("Where is the storefront hosted?", "My dentist is Dr. Feld"),
    ]);
    assert!(likely[0] > 0.5 && likely[1] < 0.2, "{likely:.2?}");
}

#[test]
fn texts_that_are_read_together_are_read_as_if_alone() {
    let pairs = [
        ("We moved to Fly.io.", "We deploy to Heroku"),
        ("Ravi is on call, and the rota has changed for everybody else as well.", "Kim is on call"),
        ("ok", ""),
    ];
    let together = relations(&pairs);
    for (pair, likely) in pairs.iter().zip(&together) {
        let alone = relations(&[*pair]);
        assert!(alone[0].iter().zip(likely).all(|(a, b)| (a - b).abs() < 1e-4), "{alone:?} {likely:?}");
    }
}

#[test]
fn words_are_cut_into_the_longest_known_pieces() {
    let text = "Café Möbius, 40mg!";
    let spelled: Vec<&str> = ENCODER.pieces.cut(text).iter().map(|piece| &text[piece.at.clone()]).collect();
    assert_eq!(spelled.join("|"), "Café|Möb|ius|,|40|m|g|!");
}

proptest! {
    #[test]
    fn pieces_stand_in_the_text_in_order(text in ".{0,200}") {
        let mut end = 0;
        for piece in ENCODER.pieces.cut(&text) {
            prop_assert!(piece.at.start >= end && text.get(piece.at.clone()).is_some());
            end = piece.at.end;
        }
    }
}
