//! Replies that arrive, and cannot be read.

use crate::support::{FACT, answer, bodies, config, extract, models, openai, says, server, status};
use model::{ChatConfig, Provider};
use serde_json::json;
use wiremock::ResponseTemplate;

const CUT: &str = r#"{"facts":[{"subject":"city","value":"Oslo"},{"subject":"job","val"#;

fn bad_utf8() -> ResponseTemplate {
    let body = b"{\"choices\":[{\"message\":{\"content\":\"\xff\xfe\"}}]}".to_vec();
    ResponseTemplate::new(200).set_body_raw(body, "application/json")
}

#[tokio::test]
async fn a_broken_reply_is_asked_for_again_with_a_reminder() {
    for broken in [says("certainly! here is no json at all"), says(""), says(CUT), bad_utf8(), says("{}")] {
        let server = server([broken, says(FACT)]).await;
        assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
        let bodies = bodies(&server).await;
        assert_eq!(bodies.len(), 2);
        let rules = |i: usize| bodies[i]["messages"][0]["content"].as_str().unwrap().to_owned();
        assert!(!rules(0).contains("could not be read") && rules(1).contains("could not be read"));
    }
}

#[tokio::test]
async fn a_model_that_never_makes_sense_is_an_error() {
    for broken in [says("certainly!"), bad_utf8(), ResponseTemplate::new(200).set_body_json(json!({}))] {
        let server = server([broken]).await;
        assert_eq!(extract(&openai(&server)).await.unwrap_err().kind(), "BadReply");
        assert_eq!(bodies(&server).await.len(), 3);
    }
}

#[tokio::test]
async fn the_retries_are_as_many_as_configured() {
    let server = server([says("no")]).await;
    let chat = ChatConfig { extract_retries: 0, ..config(Provider::OpenAi, &server.uri()) };
    assert_eq!(extract(&models(chat)).await.unwrap_err().kind(), "BadReply");
    assert_eq!(bodies(&server).await.len(), 1);
}

#[tokio::test]
async fn whole_facts_are_salvaged_when_no_reply_is_whole() {
    let server = server([says(CUT), says("nothing")]).await;
    assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
    assert_eq!(bodies(&server).await.len(), 3);
}

#[tokio::test]
async fn what_was_salvaged_outlives_an_endpoint_that_fails_afterwards() {
    let server = server([says(CUT), status(401)]).await;
    assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
}

#[tokio::test]
async fn a_reply_cut_at_its_limit_is_not_repeated() {
    let cut = json!({ "choices": [{ "finish_reason": "length", "message": { "content": CUT } }] });
    let server = server([ResponseTemplate::new(200).set_body_json(cut)]).await;
    assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
    assert_eq!(bodies(&server).await.len(), 1);
}

#[tokio::test]
async fn a_reply_of_endless_length_is_not_read() {
    let server =
        server([ResponseTemplate::new(200).set_body_raw(vec![b' '; 5 << 20], "application/json")]).await;
    assert_eq!(extract(&openai(&server)).await.unwrap_err().kind(), "BadReply");
}

#[tokio::test]
async fn an_answer_that_stays_empty_is_an_error() {
    let recovers = server([says(" "), bad_utf8(), says("In Oslo.")]).await;
    assert_eq!(answer(&openai(&recovers)).await.unwrap(), "In Oslo.");
    let silent = server([says("<think>I wonder</think>")]).await;
    assert_eq!(answer(&openai(&silent)).await.unwrap_err().kind(), "BadReply");
}

#[tokio::test]
async fn content_in_parts_is_put_together() {
    let (head, tail) = FACT.split_at(10);
    let parts = json!([{ "type": "text", "text": head }, { "type": "text", "text": tail }]);
    let reply = json!({ "choices": [{ "message": { "content": parts } }] });
    let server = server([ResponseTemplate::new(200).set_body_json(reply)]).await;
    assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
}
