//! Every system call by which a call changes a file fails once, or is the last one that the process makes.

use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::store_check::Export;
use crate::strace::{Strace, missing};
use crate::support::{Deployment, Mcp, Model, says};
use serde_json::{Value, json};

pub const ROW: Row = Row {
    name: "system-calls",
    title: "every write, sync, truncate and rename of one `remember` and one `delete_all` × EIO, ENOSPC, kill",
    does_not_show: "faults of PostgreSQL's own files, and two faults at once",
    run,
};

/// `write` is also how threads wake each other, so there only the head file counts.
const SYSTEM_CALLS: [(&str, Option<&str>); 8] = [
    ("pwrite64", None),
    ("write", Some("svc.db.head")),
    ("fsync", None),
    ("fdatasync", None),
    ("ftruncate", None),
    ("rename", None),
    ("renameat2", None),
    ("unlink", None),
];
const FAULTS: [&str; 3] = ["error=EIO", "error=ENOSPC", "signal=KILL"];
const TOOLS: [&str; 2] = ["remember", "delete_all"];
/// The user whose facts `delete_all` erases.
const ERASED: &str = "erased";
const KEPT: &str = "kept";
const FACTS: usize = 3;

fn run(campaign: &Campaign) -> Verdict {
    if let Some(why) = missing() {
        return Verdict::not_run(&why);
    }
    // Every fault has its own run, and one beyond the last call ends the series.
    let most = campaign.amount(1, 10_000);
    let model = Model::start();
    let base = Deployment::new(&model);
    prepare(&base);
    let mut tally = Tally::default();
    for tool in TOOLS {
        for (system_call, file) in SYSTEM_CALLS {
            for fault in FAULTS {
                for goes_on in [false, true] {
                    for nth in 1..=most {
                        campaign.progress(&format!("{tool}, {system_call}, {fault}"), nth, most);
                        let case = Case { tool, system_call, file, fault, nth, goes_on };
                        if !case.run(&base, &mut tally) {
                            break;
                        }
                    }
                }
            }
        }
    }
    Verdict::held(
        format!(
            "{} faults, one a run, each in the nth call of its kind by a thread",
            thousands(tally.faults)
        ),
        format!(
            "{} calls acknowledged in spite of the fault and there afterwards; {} failed or cut off, each as a whole or \
             not at all; every log INTACT",
            thousands(tally.acknowledged),
            thousands(tally.faults - tally.acknowledged)
        ),
    )
}

#[derive(Default)]
struct Tally {
    faults: usize,
    acknowledged: usize,
}

fn prepare(base: &Deployment) {
    let process = base.start();
    for n in 0..FACTS {
        for user in [ERASED, KEPT] {
            process.call("remember", &json!({ "text": says(&format!("item {n}"), "old"), "user_id": user }));
        }
    }
    assert!(process.close().success());
}

#[derive(Debug)]
struct Case {
    tool: &'static str,
    system_call: &'static str,
    file: Option<&'static str>,
    fault: &'static str,
    nth: usize,
    /// Whether the process serves another call before it is killed: what a fault left in a file is then written over, or
    /// else found by the next start.
    goes_on: bool,
}

impl Case {
    /// Whether there was such a call to disturb.
    fn run(&self, base: &Deployment, tally: &mut Tally) -> bool {
        let deployment = base.copy();
        let process = deployment.start();
        process.call("remember", &json!({ "text": says("before", "kept"), "user_id": KEPT }));
        let seen = deployment.folder().join("seen");
        let trace = format!("trace={}", self.system_call);
        let inject = format!("inject={}:{}:when={}", self.system_call, self.fault, self.nth);
        let path = self.file.map(|name| deployment.folder().join(name).display().to_string());
        let mut options = vec!["-e", &trace, "-e", &inject];
        if let Some(path) = &path {
            options.extend(["-P", path]);
        }
        let strace = Strace::attach(process.id(), &seen, &options);
        let outcome = process.send(self.tool, &self.arguments()).outcome();
        strace.detach();
        let is_dead = outcome.is_none();
        if !is_dead && !std::fs::read_to_string(&seen).unwrap().contains("INJECTED") {
            return false;
        }
        let said = outcome.map(|reply| reply.text);
        // A process that lives on may serve the next call or say that it cannot. It must not say that it has and lose
        // it.
        let next = json!({ "text": says("after", "kept"), "user_id": KEPT });
        let is_asked = self.goes_on && said.is_some();
        let after = is_asked.then(|| process.send("remember", &next).outcome()).flatten();
        process.kill();
        let after = after.is_some_and(|reply| reply.text.starts_with("Stored: [ADD]"));
        self.check(&deployment.start(), said.as_deref(), after);
        tally.faults += 1;
        tally.acknowledged += usize::from(self.is_acknowledged(said.as_deref()));
        true
    }

    fn arguments(&self) -> Value {
        match self.tool {
            "remember" => json!({ "text": says("during", "kept"), "user_id": KEPT }),
            _ => json!({ "user_id": ERASED }),
        }
    }

    fn is_acknowledged(&self, said: Option<&str>) -> bool {
        said.is_some_and(|said| said.starts_with("Stored: [ADD]") || said.starts_with("Deleted "))
    }

    fn check(&self, process: &Mcp, said: Option<&str>, after: bool) {
        process.intact();
        let export = |user: &str| Export::read(&process.call("export_memory", &json!({ "user_id": user })));
        let (kept, erased) = (export(KEPT), export(ERASED));
        let mut sure: Vec<String> = vec!["before".to_owned()];
        sure.extend(after.then(|| "after".to_owned()));
        let acknowledged = self.is_acknowledged(said);
        let happened = match self.tool {
            "remember" => {
                sure.extend(acknowledged.then(|| "during".to_owned()));
                kept.subjects().contains(&"during")
            }
            _ => {
                let left = erased.subjects().len();
                assert!(left == 0 || left == FACTS, "{self:?}: {left} facts are left; it said {said:?}");
                left == 0
            }
        };
        kept.check_added(&sure);
        assert!(happened || !acknowledged, "{self:?} was acknowledged and is lost: {said:?}");
        let denied = said.is_some_and(|said| said.to_lowercase().contains("nothing was changed"));
        assert!(!(happened && denied), "{self:?} has happened, and it said {said:?}");
    }
}
