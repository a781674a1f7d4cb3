//! The prompt on a real terminal: keys, history, completion, and waiting.

use crate::support::{Deployment, HANG_WORD, Model, Terminal, says};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

const UP: &str = "\u{1b}[A";
const LEFT: &str = "\u{1b}[D";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

fn prompt(deployment: &Deployment) -> Terminal {
    let mut terminal = Terminal::start(deployment.svc_command());
    terminal.wait_for("svc> ");
    terminal
}

fn memory() -> Deployment {
    Deployment::bare().with("SVC_DB", "svc.db")
}

#[test]
fn a_line_can_be_edited() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    terminal.press(&format!("Our database is MSQL.{}y\r", LEFT.repeat(4)));
    terminal.wait_for("[ADD] database = MySQL");
    terminal.wait_for("svc> ");
    terminal.press(CTRL_D);
    assert!(terminal.end().success());
}

#[test]
fn pasted_lines_are_not_lost() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    terminal.press("Our horse is Bo.\rOur cow is Mu.\r");
    terminal.wait_for("[ADD] horse = Bo");
    terminal.wait_for("[ADD] cow = Mu");
    terminal.press("\u{1b}[200~Our bird is Jo.\nOur fish is Al.\u{1b}[201~\r");
    terminal.wait_for("[ADD] bird = Jo; [ADD] fish = Al");
}

#[test]
fn ctrl_c_clears_a_line_and_ends_only_an_empty_one() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    terminal.press(&format!("Our database is MySQL.{CTRL_C}Our cat is Tom.\r"));
    terminal.wait_for("[ADD] ");
    terminal.wait_for("svc> ");
    assert!(!terminal.say("list").contains("MySQL"));
    terminal.press(CTRL_C);
    assert!(terminal.end().success());
}

#[test]
fn the_prompt_says_that_the_model_is_asked_again() {
    let nowhere = memory().with("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
    let mut terminal = prompt(&nowhere);
    terminal.press("Our database is MySQL.\r");
    terminal.wait_for("the model did not answer (ConnectError); trying again");
    terminal.wait_for("The model has been away since");
}

#[test]
fn an_escape_sequence_is_never_a_statement() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    // F1, F5, Ctrl-arrow, page up, a focus report; each with Enter.
    for keys in ["\u{1b}OP", "\u{1b}[15~", "\u{1b}[1;5D", "\u{1b}[5~", "\u{1b}[I"] {
        terminal.press(&format!("{keys}\r"));
    }
    // Unknown ones, of which the line editor takes a part for text: a key, a click, the terminal's colour.
    for keys in ["\u{1b}[99z", "\u{1b}[<0;33;44M", "\u{1b}]11;rgb:0000/0000/0000\u{1b}\\"] {
        terminal.press(&format!("{keys}\r"));
        terminal.wait_for("A key that svc does not know");
    }
    terminal.press("list\r");
    assert!(!terminal.wait_for("(no memories yet)").contains("Stored"));
}

#[test]
fn history_is_kept_sealed_and_private() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    terminal.say("Our vault code is 884177025593.");
    terminal.press(CTRL_D);
    assert!(terminal.end().success());
    let file = deployment.folder().join("svc.db.history");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!deployment.holds(b"884177025593") && !deployment.holds(hex::encode("884177025593").as_bytes()));

    let mut terminal = prompt(&deployment);
    terminal.press(UP);
    terminal.wait_for("Our vault code is 884177025593.");
    terminal.press(CTRL_C);
    terminal.press(CTRL_D);
    assert!(terminal.end().success());
}

#[test]
fn an_erasure_elsewhere_clears_the_history() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    terminal.say("Our vault code is 884177025593.");
    let client = deployment.start();
    client.call("delete_all", &json!({}));
    assert!(client.close().success());
    assert!(!deployment.folder().join("svc.db.history").exists());
    terminal.say("list");
    // However far up, there is only what was typed since.
    terminal.press(&format!("{}\r", UP.repeat(5)));
    assert!(!terminal.wait_for("(no memories yet)").contains("884177025593"));
}

#[test]
fn tab_completes_commands_and_subjects() {
    let deployment = memory();
    let mut terminal = prompt(&deployment);
    terminal.say("Our database is MySQL.");
    terminal.press("hist\t dat\t\r");
    terminal.wait_for("History for 'database' (oldest → newest):");
    terminal.wait_for("svc> ");
    terminal.press("re\t\t");
    terminal.wait_for("reject");
    terminal.press(CTRL_C);
    terminal.press(CTRL_D);
    assert!(terminal.end().success());
}

#[test]
fn texts_fit_80_columns() {
    let deployment = memory();
    let mut terminal = Terminal::start(deployment.svc_command());
    let mut shown = terminal.wait_for("svc> ");
    for line in [
        "help",
        "help audit_log",
        "delete shoe size",
        ":q",
        "Next year our database will be Postgres, I think, or perhaps MySQL.",
    ] {
        shown += &terminal.say(line);
    }
    for line in shown.lines().filter(|line| !line.contains("svc> ")) {
        // On a busy machine, the notice of waiting stood on the line before and was wiped.
        let line = line.rsplit("\u{1b}[K").next().unwrap_or(line);
        assert!(line.chars().count() <= 80 || !line.trim().contains(' '), "{line}");
    }
    let said = |arguments: &[&str]| deployment.svc(arguments);
    for help in [said(&["--help"]), said(&["remember", "--help"]), said(&["restore", "--help"])] {
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}

#[test]
fn waiting_for_a_slow_model_is_shown() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_DB", "svc.db");
    let mut terminal = prompt(&deployment);
    terminal.press(&format!("{HANG_WORD} {}\r", says("slow subject", "kept")));
    terminal.wait_for("Waiting for the answer, 1 s");
    model.release();
    terminal.wait_for("[ADD] slow subject = kept");
    terminal.wait_for("svc> ");
    terminal.press(CTRL_D);
    assert!(terminal.end().success());
}

#[test]
fn ctrl_c_ends_the_wait_and_not_the_prompt() {
    let model = Model::start();
    let deployment = Deployment::new(&model).with("SVC_DB", "svc.db");
    let mut terminal = prompt(&deployment);
    terminal.press(&format!("{HANG_WORD} {}\r", says("slow subject", "kept")));
    terminal.wait_for("Waiting for the answer");
    terminal.interrupt();
    terminal.wait_for("Stopped waiting.");
    terminal.wait_for("svc> ");
    assert!(terminal.say("list").contains("(no memories yet)"));
    model.release();
    terminal.press(CTRL_D);
    assert!(terminal.end().success());
}
