use super::{ENCODER, Meant, Relation, answers, relations, tokens};
use proptest::prelude::*;

fn likeliest(likely: &[f32]) -> usize {
    (0..likely.len()).max_by(|a, b| likely[*a].total_cmp(&likely[*b])).unwrap_or_default()
}

fn as_written(_: &str) -> Option<String> {
    None
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
        let likely = relations(&[(statement, held)], as_written);
        assert_eq!(likeliest(&likely[0].relation), relation as usize, "{statement}: {likely:.2?}");
    }
}

#[test]
fn what_speaks_of_a_fact_but_not_of_now_is_told_from_what_changes_it() {
    let held = "We deploy to Heroku";
    let unsettled = |statement| relations(&[(statement, held)], as_written)[0].unsettled;
    for statement in
        ["In the early days we deployed to a box in the cellar.", "Come spring we deploy to Fly.io."]
    {
        assert!(unsettled(statement) > 0.5, "{statement}: {}", unsettled(statement));
    }
    for statement in ["We deploy to Fly.io now.", "Come in, the kettle is on.", "My sister lives in Leeds."] {
        assert!(unsettled(statement) < 0.2, "{statement}: {}", unsettled(statement));
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
        let read = tokens(&[statement], as_written);
        let of = |at: usize| read[0].iter().map(|token| token.meant[at]).sum::<f32>();
        let sums: Vec<f32> = (0..super::MEANINGS).map(of).collect();
        assert_eq!(likeliest(&sums), meant as usize, "{statement}: {sums:.2?}");
    }
}

#[test]
fn a_fact_that_answers_is_told_from_one_that_does_not() {
    let pairs = [
        ("Where is the storefront hosted?", "The storefront is hosted on Heroku"),
        ("Where is the storefront hosted?", "My dentist is Dr. Feld"),
    ];
    let likely = answers(&pairs, as_written);
    assert!(likely[0] > 0.5 && likely[1] < 0.2, "{likely:.2?}");
}

#[test]
fn texts_that_are_read_together_are_read_as_if_alone() {
    let pairs = [
        ("We moved to Fly.io.", "We deploy to Heroku"),
        ("Ravi is on call, and the rota has changed for everybody else as well.", "Kim is on call"),
        ("ok", ""),
    ];
    let together = relations(&pairs, as_written);
    for (pair, likely) in pairs.iter().zip(&together) {
        let alone = relations(&[*pair], as_written);
        let apart = alone[0].relation.iter().zip(likely.relation).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-4, "{alone:?} {likely:?}");
    }
}

#[test]
fn words_are_cut_into_the_longest_known_pieces() {
    let text = "Café Möbius, 40mg!";
    let spelled: Vec<&str> =
        ENCODER.pieces.cut(text, as_written).iter().map(|piece| &text[piece.at.clone()]).collect();
    assert_eq!(spelled.join("|"), "Café|Möb|ius|,|40|m|g|!");
}

#[test]
fn a_word_that_is_read_as_others_stands_where_it_was_written() {
    let meant = |word: &str| (word == "hes").then(|| "he is".to_owned());
    let text = "ok, hes in";
    let read = |text: &str, meant| ENCODER.pieces.cut(text, meant);
    let number = |text: &str, meant| read(text, meant).iter().map(|piece| piece.number).collect::<Vec<_>>();
    assert_eq!(number(text, meant), number("ok, he is in", as_written));
    let written: Vec<&str> = read(text, meant).iter().map(|piece| &text[piece.at.clone()]).collect();
    assert_eq!(written, ["ok", ",", "hes", "hes", "in"]);
}

proptest! {
    #[test]
    fn pieces_stand_in_the_text_in_order(text in ".{0,200}") {
        let mut end = 0;
        for piece in ENCODER.pieces.cut(&text, as_written) {
            prop_assert!(piece.at.start >= end && text.get(piece.at.clone()).is_some());
            end = piece.at.end;
        }
    }
}
