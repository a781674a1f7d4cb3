//! Endpoints and models that do not take what others take.

use crate::support::{
    FACT, answer, bodies, config, extract, models, openai, responding, says, server, status,
};
use model::{ModelError, Provider};
use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn complaint(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": text } }))
}

#[tokio::test]
async fn an_endpoint_without_schemas_is_remembered() {
    let server = responding(|r: &Request| match body(r)["response_format"]["type"].as_str() {
        Some("json_schema") => status(422),
        _ => says(FACT),
    })
    .await;
    let models = openai(&server);
    for _ in 0..3 {
        assert_eq!(extract(&models).await.unwrap(), ["city"]);
    }
    let formats: Vec<Value> =
        bodies(&server).await.iter().map(|b| b["response_format"]["type"].clone()).collect();
    assert_eq!(formats, ["json_schema", "json_object", "json_object", "json_object"]);
}

#[tokio::test]
async fn an_endpoint_without_json_mode_is_asked_by_the_prompt() {
    let server = responding(
        |r: &Request| if body(r).get("response_format").is_some() { status(400) } else { says(FACT) },
    )
    .await;
    let models = openai(&server);
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
    assert_eq!(bodies(&server).await.len(), 4);
}

#[tokio::test]
async fn an_endpoint_that_refuses_every_form_is_an_error() {
    let server = server([status(400)]).await;
    let models = openai(&server);
    assert_eq!(extract(&models).await, Err(ModelError::Http { status: 400 }));
    assert_eq!(bodies(&server).await.len(), 3);
    assert_eq!(extract(&models).await, Err(ModelError::Http { status: 400 }));
    assert_eq!(bodies(&server).await[3]["response_format"]["type"], "json_schema");
    assert_eq!(answer(&models).await, Err(ModelError::Http { status: 400 }));
    assert_eq!(bodies(&server).await.len(), 7);
}

#[tokio::test]
async fn a_refused_parameter_is_left_out_from_then_on() {
    let server = responding(|r: &Request| {
        let body = body(r);
        if body.get("max_tokens").is_some() {
            complaint("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        } else if body.get("temperature").is_some() {
            complaint("Unsupported value: 'temperature' does not support 0 with this model.")
        } else {
            says(FACT)
        }
    })
    .await;
    let models = openai(&server);
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
    let bodies = bodies(&server).await;
    assert_eq!(bodies.len(), 4);
    let last = &bodies[3];
    assert!(last["max_completion_tokens"].is_number() && last.get("temperature").is_none());
    assert_eq!(last["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn an_endpoint_without_tools_is_asked_by_the_prompt() {
    let server = responding(|r: &Request| match body(r).get("tools") {
        Some(_) => status(400),
        None => {
            ResponseTemplate::new(200).set_body_json(json!({ "content": [{ "type": "text", "text": FACT }] }))
        }
    })
    .await;
    let models = models(config(Provider::Anthropic, &server.uri()));
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
    assert_eq!(extract(&models).await.unwrap(), ["city"]);
    assert_eq!(bodies(&server).await.len(), 3);
}

#[tokio::test]
async fn json_that_the_endpoint_rejects_is_asked_for_again() {
    let invalid =
        ResponseTemplate::new(400).set_body_json(json!({ "error": { "code": "json_validate_failed" } }));
    let server = server([invalid, says(FACT)]).await;
    assert_eq!(extract(&openai(&server)).await.unwrap(), ["city"]);
    let bodies = bodies(&server).await;
    assert_eq!(bodies[0]["response_format"], bodies[1]["response_format"]);
}

#[tokio::test]
async fn a_probe_is_one_request_and_any_reply_will_do() {
    let picky = server([complaint("max_tokens is too low")]).await;
    assert_eq!(openai(&picky).probe_chat().await, Ok(()));
    assert_eq!(bodies(&picky).await.len(), 1);
    let sick = server([status(500)]).await;
    assert_eq!(openai(&sick).probe_chat().await, Err(ModelError::Http { status: 500 }));
    assert_eq!(bodies(&sick).await.len(), 1);
    let well = server([says("yes")]).await;
    assert_eq!(openai(&well).probe_chat().await, Ok(()));
}
