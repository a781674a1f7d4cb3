use super::{
    ENCODER, Encoder, Modality, Relation, STATEMENT_PIECES, answers, embed, relations, tokens, weights,
};
use proptest::prelude::*;
use serde_json::Value;
use sha2::{Digest, Sha256};

fn likeliest(likely: &[f32]) -> usize {
    (0..likely.len()).max_by(|a, b| likely[*a].total_cmp(&likely[*b])).unwrap_or_default()
}

fn encoder() -> &'static Encoder {
    ENCODER.as_ref().expect("the weights are whole")
}

#[test]
fn a_statement_relates_to_what_is_held() {
    let held = "We deploy to Heroku";
    for (statement, relation) in [
        ("We moved from Heroku to Fly.io last week.", Relation::Replaces),
        ("We no longer deploy anywhere, the project is dead.", Relation::Ends),
        ("The Heroku bill arrived this morning.", Relation::None),
        ("My sister lives in Leeds.", Relation::None),
        ("As I said, Heroku is where we deploy.", Relation::Same),
    ] {
        let likely = relations(&[(statement, held)]);
        assert_eq!(likeliest(&likely[0].relation), relation as usize, "{statement}: {likely:.2?}");
    }
}

#[test]
fn talk_of_the_past_or_future_does_not_settle_a_fact() {
    let held = "We deploy to Heroku";
    let unsettled = |statement| relations(&[(statement, held)])[0].unsettled;
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
fn words_have_the_modality_they_are_meant_in() {
    for (statement, meant) in [
        ("Our database is Postgres.", Modality::Asserted),
        ("We might move to Azure next year, but nobody knows.", Modality::Hedged),
        ("Do we still use Jenkins?", Modality::Question),
        ("If we had the money, we would buy Snowflake.", Modality::Hypothetical),
        ("I used to live in Ghent.", Modality::Past),
    ] {
        let read = tokens(&[statement]);
        let of = |at: usize| read[0].iter().map(|token| token.modality[at]).sum::<f32>();
        let sums: Vec<f32> = (0..super::MODALITIES).map(of).collect();
        assert_eq!(likeliest(&sums), meant as usize, "{statement}: {sums:.2?}");
    }
}

#[test]
fn a_fact_that_answers_scores_higher_than_one_that_does_not() {
    let pairs = [
        ("Where is the storefront hosted?", "The storefront is hosted on Heroku"),
        ("Where is the storefront hosted?", "My dentist is Dr. Feld"),
    ];
    let likely = answers(&pairs);
    assert!(likely[0] > 0.5 && likely[1] < 0.2, "{likely:.2?}");
}

#[test]
fn texts_read_in_a_batch_score_as_if_read_alone() {
    let pairs = [
        ("We moved to Fly.io.", "We deploy to Heroku"),
        ("Ravi is on call, and the rota has changed for everybody else as well.", "Kim is on call"),
        ("ok", ""),
    ];
    let together = relations(&pairs);
    for (pair, likely) in pairs.iter().zip(&together) {
        let alone = relations(&[*pair]);
        let apart = alone[0].relation.iter().zip(likely.relation).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-4, "{alone:?} {likely:?}");
    }
}

#[test]
fn words_are_cut_into_the_longest_known_pieces() {
    let text = "Café Möbius, 40mg!";
    let spelled: Vec<&str> = encoder()
        .tokenizer
        .tokenize(text, STATEMENT_PIECES)
        .iter()
        .map(|piece| &text[piece.at.clone()])
        .collect();
    assert_eq!(spelled.join("|"), "Café|Möb|ius|,|40|m|g|!");
}

/// What lab/training/export.py found for the same texts with the same weights.
#[test]
fn the_numbers_equal_those_of_the_training_framework() {
    let golden: Value = serde_json::from_str(include_str!("../golden.json")).unwrap();
    let number = |value: &Value| value.as_f64().unwrap() as f32;
    let numbers = |value: &Value| value.as_array().unwrap().iter().map(number).collect::<Vec<f32>>();
    let close = |what: &str, found: &[f32], right: &Value| {
        let right = numbers(right);
        assert_eq!(found.len(), right.len(), "{what}");
        let apart = found.iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 2e-3, "{what}: {apart} apart");
    };
    for text in golden["texts"].as_array().unwrap() {
        let written = text["text"].as_str().unwrap();
        close(written, &embed(&[written])[0], &text["vector"]);
        let read = tokens(&[written]);
        for (token, right) in read[0].iter().zip(text["tokens"].as_array().unwrap()) {
            let mut found = token.modality.to_vec();
            found.extend([token.value, token.start]);
            close(written, &found, right);
        }
        assert_eq!(read[0].len(), text["tokens"].as_array().unwrap().len(), "{written}");
    }
    for pair in golden["pairs"].as_array().unwrap() {
        let texts = (pair["first"].as_str().unwrap(), pair["second"].as_str().unwrap());
        let weighed = relations(&[texts])[0];
        let mut found = weighed.relation.to_vec();
        found.extend([weighed.unsettled, answers(&[texts])[0]]);
        close(texts.0, &found, &pair["likely"]);
    }
}

#[test]
fn sentences_about_the_same_thing_are_near_each_other() {
    let found = embed(&["Where do you live?", "My home is in Ghent.", "The printer is out of paper.", ""]);
    let product = |a: usize, b: usize| found[a].iter().zip(&found[b]).map(|(a, b)| a * b).sum::<f32>();
    assert!(product(0, 1) > product(0, 2) + 0.1, "{} {}", product(0, 1), product(0, 2));
    assert!(found.iter().all(|vector| vector.len() == super::DIMENSIONS));
    (0..4).for_each(|at| assert!((product(at, at) - 1.0).abs() < 1e-5));
}

#[test]
fn damaged_weights_are_reported() {
    let whole = include_bytes!("../weights.safetensors");
    let sum = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let reported = |bytes: &[u8], sum: &str| weights::read(bytes, sum).err().unwrap().to_string();
    let mut flipped = whole.to_vec();
    flipped[9_000_000] ^= 1;
    assert!(reported(&flipped, &sum(whole)).contains("SHA-256"));
    let cut = &whole[..whole.len() - 7];
    assert!(reported(cut, &sum(cut)).contains("cannot be read"));
    let renamed = String::from_utf8_lossy(&whole[..200_000]).find("\"positions\"").unwrap();
    let mut other = whole.to_vec();
    other[renamed + 1] = b'P';
    assert!(reported(&other, &sum(&other)).contains("positions"));
}

/// `cargo test --release -p svc-encoder -- --ignored --nocapture` prints how long calls take and what they hold.
#[test]
#[ignore = "measures"]
fn how_long_calls_take() {
    let sentence = "Our team moved the storefront from Heroku to Fly.io last week because the bill \
                    had become far too high for us.";
    let fact = "The storefront of our team is hosted on Heroku in the Frankfurt region";
    let milliseconds = |name: &str, call: &dyn Fn()| {
        call();
        let mut took: Vec<f64> = (0..30)
            .map(|_| {
                let started = std::time::Instant::now();
                call();
                started.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        took.sort_by(f64::total_cmp);
        println!("{name}: {:.1} ms, at best {:.1}", took[15], took[0]);
    };
    let started = std::time::Instant::now();
    super::check().unwrap();
    println!("load: {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
    milliseconds("embed, one sentence", &|| drop(embed(&[sentence])));
    milliseconds("tokens, one sentence", &|| drop(tokens(&[sentence])));
    milliseconds("relations, 3 pairs", &|| drop(relations(&[(sentence, fact); 3])));
    milliseconds("answers, 4 pairs", &|| drop(answers(&[("Where is the storefront hosted?", fact); 4])));
    milliseconds("relations, 4 pairs", &|| drop(relations(&[(sentence, fact); 4])));
    milliseconds("embed, 32 sentences", &|| drop(embed(&[sentence; 32])));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("VmRSS")).for_each(|line| println!("{line}"));
}

proptest! {
    #[test]
    fn pieces_are_in_the_order_of_the_text(text in ".{0,200}") {
        let mut end = 0;
        for piece in encoder().tokenizer.tokenize(&text, STATEMENT_PIECES) {
            prop_assert!(piece.at.start >= end && text.get(piece.at.clone()).is_some());
            end = piece.at.end;
        }
    }
}
