//! A server that is told to stop finishes what it has begun.

use crate::support::http::text;
use crate::support::{Deployment, HANG_WORD, Model, says};
use serde_json::json;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const CLIENTS: usize = 8;
/// Writes before the server is told to stop.
const ENOUGH: usize = 200;

#[test]
fn stopping_under_load_loses_no_acknowledged_write() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_RATE_PER_MIN", "0");
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let written = AtomicUsize::new(0);
    let answered: Vec<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..CLIENTS)
            .map(|writer| {
                let (mut client, written) = (server.client(&key), &written);
                scope.spawn(move || {
                    let mut answered = Vec::new();
                    for n in 0.. {
                        let subject = format!("item {writer}-{n}");
                        let arguments = json!({ "text": says(&subject, "kept") });
                        let Ok(answer) = client.ask("remember", &arguments) else { break };
                        let text = text(&answer).unwrap_or_else(|| panic!("{answer:?}"));
                        assert!(text.starts_with("Stored: [ADD]"), "{text}");
                        answered.push(subject);
                        written.fetch_add(1, Ordering::Relaxed);
                    }
                    answered
                })
            })
            .collect();
        let all_write = || writers.iter().all(|writer| !writer.is_finished());
        while written.load(Ordering::Relaxed) < ENOUGH && all_write() {
            std::thread::sleep(Duration::from_millis(1));
        }
        server.terminate();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert!(server.wait().success());
    assert!(answered.len() >= ENOUGH);

    let process = deployment.start();
    process.intact();
    let list = process.list();
    for subject in &answered {
        assert!(list.contains(&format!("• {subject} = kept  (#")), "{subject} was answered and is not there");
    }
    let kept = list.matches('•').count();
    assert!(kept <= answered.len() + CLIENTS, "{kept} kept of {} answered", answered.len());
}

#[test]
fn a_stopping_server_answers_calls_under_way_only() {
    let model = Model::start();
    let deployment = Deployment::new(&model);
    let (_, key) = deployment.principal("admin", &[]);
    let server = deployment.serve();
    let mut client = server.client(&key);
    let reply = std::thread::scope(|scope| {
        let statement = format!("{HANG_WORD} {}", says("last words", "kept"));
        let waiting = scope.spawn(move || client.remember(&statement));
        model.wait_until_asked("last words");
        server.terminate();
        server.wait_for_log("stopping");
        assert!(TcpStream::connect(server.address()).is_err(), "a new connection was taken");
        model.release();
        waiting.join().unwrap()
    });
    assert!(reply.starts_with("Stored: [ADD] last words = kept"), "{reply}");
    assert!(server.wait().success());
    assert!(deployment.start().list().contains("• last words = kept"));
}
