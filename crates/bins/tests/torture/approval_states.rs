//! Every state of a guarded slot that a few steps lead to, and every step from there, compared with a small model of
//! the rules.

use crate::approval_rules::{Change, Rules, State, Step, Who};
use crate::campaign::{Campaign, Row, Verdict, thousands};
use crate::support::http::Client;
use crate::support::{Deployment, Model, Server, ids, said};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

pub const ROW: Row = Row {
    name: "approval-states",
    title: "the approval states walked breadth-first",
    does_not_show: "what follows an erasure or a removal under four eyes, list slots, refinements, trusted sources and source policies, which \
        have tests of their own",
    run,
};

const SLOT: &str = "code_status";
const WALKERS: usize = 4;

fn run(campaign: &Campaign) -> Verdict {
    let depth = campaign.amount(2, 5);
    let model = Model::start();
    let (mut states, mut steps) = (0, 0);
    for four_eyes in [true, false] {
        let walk = Walk::new(&model, Rules { four_eyes });
        let (reached, taken) = walk.breadth_first(campaign, depth);
        states += reached;
        steps += taken;
    }
    Verdict::held(
        format!(
            "all sequences of up to {depth} steps by 4 roles on a guarded slot, with four eyes and without"
        ),
        format!(
            "{} states reached, {} steps taken from them: each did what the rules say and nothing else; log INTACT",
            thousands(states),
            thousands(steps)
        ),
    )
}

struct Walk {
    rules: Rules,
    server: Server,
    keys: Vec<(Who, String)>,
    spaces: AtomicUsize,
    _deployment: Deployment,
}

impl Walk {
    fn new(model: &Model, rules: Rules) -> Self {
        let deployment = Deployment::new(model)
            .with("SVC_SLOT_SCHEMA", "preset:clinical")
            .with("SVC_FOUR_EYES", if rules.four_eyes { "on" } else { "off" })
            .with("SVC_RATE_PER_MIN", "0")
            .with_seats(10);
        let key = |who: &Who| (*who, deployment.principal(who.name(), &["--role", who.role()]).1);
        let keys = Who::ALL.iter().map(key).collect();
        let server = deployment.serve();
        Self { rules, server, keys, spaces: AtomicUsize::new(0), _deployment: deployment }
    }

    fn breadth_first(&self, campaign: &Campaign, depth: usize) -> (usize, usize) {
        let mut seen = BTreeSet::from([State::default().shape()]);
        let mut edge: Vec<(State, Vec<Step>)> = vec![(State::default(), Vec::new())];
        let mut taken = 0;
        for level in 0..depth {
            let mut tries = Vec::new();
            let mut next = Vec::new();
            for (state, path) in &edge {
                for step in Step::all(state) {
                    let path: Vec<Step> = path.iter().copied().chain([step]).collect();
                    let after = self.rules.after(state, step);
                    if seen.insert(after.shape()) {
                        next.push((after, path.clone()));
                    }
                    tries.push(path);
                }
            }
            self.walk_all(campaign, level, &tries);
            taken += tries.len();
            edge = next;
        }
        let mut admin = self.server.client(self.key(Who::Ana));
        crate::store_check::intact(&mut admin);
        (seen.len(), taken)
    }

    fn walk_all(&self, campaign: &Campaign, level: usize, paths: &[Vec<Step>]) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..WALKERS {
                scope.spawn(|| {
                    let mut hands = Hands::new(self);
                    while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let done = next.load(Ordering::Relaxed);
                        campaign.progress(
                            &format!("level {}", level + 1),
                            done.min(paths.len()),
                            paths.len(),
                        );
                        self.walk(&mut hands, path);
                    }
                });
            }
        });
    }

    /// Takes the steps in a space of their own, and compares after the last.
    fn walk(&self, hands: &mut Hands, path: &[Step]) {
        hands.space = format!("space {}", self.spaces.fetch_add(1, Ordering::Relaxed));
        let mut state = State::default();
        for step in path {
            let said = hands.take(&state, *step);
            let after = self.rules.after(&state, *step);
            let denied = said.starts_with("Access denied:");
            assert_eq!(denied, self.rules.denies(&state, *step), "{path:?}: {said}");
            state = after;
        }
        let (current, waiting) = hands.look();
        assert_eq!(current.as_deref(), state.current_value(), "{path:?} of {state:?}");
        let expected: Vec<Change> = state.waiting.iter().map(|proposal| proposal.change).collect();
        assert_eq!(waiting, expected, "{path:?} of {state:?}");
    }

    fn key(&self, who: Who) -> &str {
        &self.keys.iter().find(|(known, _)| *known == who).unwrap().1
    }
}

/// The connections of one walker, and the space that it works in.
struct Hands {
    clients: Vec<(Who, Client)>,
    space: String,
    spoken: usize,
}

impl Hands {
    fn new(walk: &Walk) -> Self {
        let client = |(who, key): &(Who, String)| (*who, walk.server.client(key));
        Self { clients: walk.keys.iter().map(client).collect(), space: String::new(), spoken: 0 }
    }

    fn call(&mut self, who: Who, tool: &str, mut arguments: Value) -> String {
        arguments["user_id"] = self.space.as_str().into();
        let (_, client) = self.clients.iter_mut().find(|(known, _)| *known == who).unwrap();
        client.call(tool, &arguments)
    }

    fn take(&mut self, state: &State, step: Step) -> String {
        self.spoken += 1;
        let words = format!("note {}", self.spoken);
        let fact = |value: &str, action: &str| json!([{ "subject": SLOT, "value": value, "action": action }]);
        match step {
            Step::Remember(who, value) => {
                self.call(who, "remember", json!({ "text": said(&words, &fact(value, "SUPERSEDE")) }))
            }
            Step::Forget(who) => {
                let value = state.current_value().unwrap_or("anything");
                self.call(who, "forget", json!({ "text": said("take it back", &fact(value, "RETRACT")) }))
            }
            Step::Update(who, value) => {
                let id = self.listed("•")[0];
                self.call(who, "update_memory", json!({ "memory_id": id, "new_value": value }))
            }
            Step::Confirm(who, which) => {
                let id = self.listed("⚠")[which];
                self.call(who, "confirm_change", json!({ "memory_id": id }))
            }
            Step::Reject(who, which) => {
                let id = self.listed("⚠")[which];
                self.call(who, "reject_change", json!({ "memory_id": id }))
            }
            Step::Delete(who) => self.call(who, "delete", json!({ "subject": SLOT })),
        }
    }

    /// The numbers of the lines of `list_memories` that begin with this mark, in order.
    fn listed(&mut self, mark: &str) -> Vec<i64> {
        let list = self.call(Who::Ana, "list_memories", json!({}));
        let mut found: Vec<i64> = list.lines().filter(|line| line.starts_with(mark)).flat_map(ids).collect();
        found.sort_unstable();
        found
    }

    /// The current value, and the changes that wait, oldest first.
    fn look(&mut self) -> (Option<String>, Vec<Change>) {
        let list = self.call(Who::Ana, "list_memories", json!({}));
        let start = format!("• {SLOT} = ");
        let mut current = list.lines().filter_map(|line| line.strip_prefix(&start)?.split("  (#").next());
        let value = current.next().map(str::to_owned);
        assert!(current.next().is_none(), "{list}");
        let pending = self.call(Who::Ana, "pending_changes", json!({}));
        let mut waiting: Vec<(i64, Change)> =
            pending.lines().filter(|line| line.starts_with('#')).map(read_change).collect();
        waiting.sort_by_key(|(id, _)| *id);
        (value, waiting.into_iter().map(|(_, change)| change).collect())
    }
}

/// `#7 REPLACE code_status: 'X' → 'Y' …` or `#7 REMOVE code_status: 'X' …`.
fn read_change(line: &str) -> (i64, Change) {
    let id = ids(line)[0];
    if line.contains(" REMOVE ") {
        return (id, Change::Remove);
    }
    let new = line.split_once(" → '").and_then(|(_, rest)| rest.split('\'').next());
    let new = new.unwrap_or_else(|| panic!("no change: {line}"));
    (id, Change::Replace(Step::VALUES.iter().find(|value| **value == new).unwrap()))
}
