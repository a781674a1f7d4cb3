//! What can be read of JSON that is damaged, without taking what is inside a damaged record for a record of its own.
//!
//! The text is read twice, from its beginning and from its end, each time as far as the brackets and commas make sense. If
//! something was cut out of it at one place, then what the first reading has passed before the second one stopped is as
//! it was written, and so is what the second has passed behind the place where the first stopped. In between, only what
//! both see as the same thing in the same place is taken. Everything else is named, with its lines.

use super::distinct::Distinct;
use super::object::{Object, Objects, See};
use super::tokens::{Bracket, TOO_DEEP};
use super::tree::{Node, Tree, read_from_end, read_from_start};
use crate::cli::import::utf8::{NOT_UTF8, is_whole};
use domain::limits;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap, HashSet};

/// No name of any list.
const NO_KEY: &str = "\0";

pub fn rescue(
    text: &str,
    first_line: usize,
    see: &dyn Fn(&str, &Map<String, Value>) -> See,
    found: &mut Objects,
) {
    let (forward, mut backward) = (read_from_start(text), read_from_end(text));
    if is_cut_off(text, &forward) {
        backward = Tree { nodes: Vec::new(), root: None, open: Vec::new(), stop: text.len() };
    }
    let names = forward.nodes.iter().chain(&backward.nodes).filter_map(|node| node.key.as_deref());
    let keys = names.chain([NO_KEY]).collect();
    let breaks = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut rescue = Rescue {
        text,
        breaks,
        first_line,
        see,
        keys,
        forward: &forward,
        backward: &backward,
        sure_until: backward.stop,
        sure_from: forward.stop,
        both: HashSet::new(),
        entered: HashMap::new(),
        handled: HashSet::new(),
        unread: None,
        named: Vec::new(),
        found,
    };
    rescue.read();
}

/// Whether the end is missing, rather than something before it.
fn is_cut_off(text: &str, forward: &Tree) -> bool {
    let root = forward.open.first().and_then(|root| forward.nodes.get(*root));
    let end = root.map(|root| if root.bracket == Bracket::List { ']' } else { '}' });
    forward.stop == text.len() && end.is_some_and(|end| !text.trim_end().ends_with(end))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Forward,
    Backward,
}

/// What is known of the objects in one list. Behind damage it may be another list: the end of the one and the beginning
/// of the other may be what is missing.
#[derive(Debug, Default)]
struct Kin {
    /// There is no other list around everything.
    is_root: bool,
    is_doubtful: bool,
    /// The names that all objects have, and those that any has.
    common: Option<BTreeSet<String>>,
    all: BTreeSet<String>,
}

impl Kin {
    fn learn(&mut self, fields: &Map<String, Value>) {
        let names: BTreeSet<String> = fields.keys().cloned().collect();
        self.common = Some(match self.common.take() {
            Some(common) => common.intersection(&names).cloned().collect(),
            None => names.clone(),
        });
        self.all.extend(names);
    }

    fn fits(&self, fields: &Map<String, Value>) -> bool {
        let has_common = |common: &BTreeSet<String>| common.iter().all(|name| fields.contains_key(name));
        self.common.as_ref().is_some_and(has_common) && fields.keys().all(|name| self.all.contains(name))
    }
}

struct Rescue<'a> {
    text: &'a str,
    /// Where the lines begin.
    breaks: Vec<usize>,
    first_line: usize,
    see: &'a dyn Fn(&str, &Map<String, Value>) -> See,
    /// All names of lists and objects in the text.
    keys: BTreeSet<&'a str>,
    forward: &'a Tree,
    backward: &'a Tree,
    /// What ends before this is as the first reading has it, and what begins behind the other as the second has it.
    sure_until: usize,
    sure_from: usize,
    /// The objects of the second reading: beginning, end, depth.
    both: HashSet<(usize, usize, usize)>,
    /// What is open where the first reading stopped, and holds records rather than being one.
    entered: HashMap<usize, (String, Kin)>,
    /// The objects with which the first reading is done.
    handled: HashSet<(usize, usize)>,
    /// From where to where nothing was read.
    unread: Option<(usize, usize)>,
    /// Damage with a place of its own: where it begins, line, and what is wrong.
    named: Vec<(usize, usize, String)>,
    found: &'a mut Objects,
}

impl<'a> Rescue<'a> {
    fn read(&mut self) {
        let (forward, backward) = (self.forward, self.backward);
        let stops_early = forward.stop < self.text.len() || !forward.open.is_empty();
        let begins_late = backward.stop > 0 || !backward.open.is_empty();
        if stops_early && begins_late {
            self.keep_apart();
            self.pass(self.sure_until.min(self.sure_from), self.sure_until.max(self.sure_from));
        } else if stops_early {
            self.pass(forward.stop, forward.stop);
        } else if begins_late {
            self.pass(backward.stop, backward.stop);
        }
        if let Some(root) = backward.root {
            self.note_objects(root);
        }
        if let Some(root) = forward.root {
            self.visit(Side::Forward, root, "", None);
        }
        if let Some(root) = backward.root.filter(|_| stops_early) {
            self.go_on(root, 0);
        }
        self.tell();
    }

    /// There is damage in more than one place, so what is next to it may be something else than it seems.
    fn keep_apart(&mut self) {
        if self.forward.stop >= self.backward.stop {
            return;
        }
        let whole = |tree: &'a Tree| {
            tree.nodes.iter().filter(|node| node.is_whole && node.bracket == Bracket::Object)
        };
        let last =
            whole(self.forward).max_by_key(|node| node.end).map_or(self.forward.stop, |node| node.start);
        let first =
            whole(self.backward).min_by_key(|node| node.start).map_or(self.backward.stop, |node| node.end);
        (self.sure_until, self.sure_from) = (last, first);
    }

    fn note_objects(&mut self, n: usize) {
        let Some(node) = self.backward.nodes.get(n) else { return };
        if node.is_whole && !node.is_damaged && node.bracket == Bracket::Object {
            self.both.insert((node.start, node.end, node.depth));
        }
        node.children.iter().for_each(|child| self.note_objects(*child));
    }

    fn visit(&mut self, side: Side, n: usize, key: &str, kin: Option<&mut Kin>) {
        let tree = if side == Side::Forward { self.forward } else { self.backward };
        let Some(node) = tree.nodes.get(n) else { return };
        if node.bracket == Bracket::List {
            let mut own = Kin { is_root: node.depth == 0, ..Kin::default() };
            for child in &node.children {
                self.visit(side, *child, key, Some(&mut own));
            }
            if let Some(kin) = kin {
                kin.is_doubtful |= own.is_doubtful;
            }
            if side == Side::Forward && !node.is_whole {
                self.entered.insert(n, (key.to_owned(), own));
            }
            return;
        }
        let part = self.text.get(node.start..node.end).filter(|_| node.is_whole && !node.is_damaged);
        let is_sound = part.is_some_and(|part| serde_json::from_str::<Distinct>(part).is_ok());
        match part.filter(|_| is_sound).and_then(|part| serde_json::from_str(part).ok()) {
            Some(fields) => self.sound(side, node, key, fields, kin),
            None => self.damaged(side, n, node, key, kin),
        }
    }

    fn enter(&mut self, side: Side, node: &'a Node) {
        let tree = if side == Side::Forward { self.forward } else { self.backward };
        for child in &node.children {
            let key = tree.nodes.get(*child).and_then(|child| child.key.as_deref()).unwrap_or(NO_KEY);
            self.visit(side, *child, key, None);
        }
    }

    fn sound(
        &mut self,
        side: Side,
        node: &'a Node,
        key: &str,
        fields: Map<String, Value>,
        kin: Option<&mut Kin>,
    ) {
        let seen = (self.see)(key, &fields);
        if seen == See::Enter && node.depth >= limits::IMPORT_NESTING {
            self.handled.insert((node.start, node.end));
            return self.named.push((node.start, self.line(node.start), TOO_DEEP.to_owned()));
        }
        if seen == See::Enter {
            return self.enter(side, node);
        }
        if !self.is_sure(side, node) {
            return self.pass(node.start, node.end);
        }
        self.handled.insert((node.start, node.end));
        if let Some(kin) = kin {
            let is_doubtful = kin.is_doubtful && !kin.is_root;
            if is_doubtful && !kin.fits(&fields) && !self.is_record_anywhere(&fields) {
                let why = "the JSON before this is damaged, and what this belongs to is not clear";
                return self.named.push((node.start, self.line(node.start), why.to_owned()));
            }
            kin.learn(&fields);
        }
        if seen == See::Take {
            let line = self.line(node.start);
            self.found.taken.push(Object { line, key: key.to_owned(), fields });
        }
    }

    fn is_record_anywhere(&self, fields: &Map<String, Value>) -> bool {
        self.keys.iter().all(|key| (self.see)(key, fields) == See::Take)
    }

    /// A damaged object may hold records where it has the names of one that does, and no list holds it that may hold
    /// records itself.
    fn damaged(&mut self, side: Side, n: usize, node: &'a Node, key: &str, mut kin: Option<&mut Kin>) {
        let is_own = node.is_damaged || (kin.is_some() && (!node.is_whole || node.has_name_twice));
        let is_holder =
            !is_own && node.depth < limits::IMPORT_NESTING && (self.see)(key, &node.names) == See::Enter;
        if let Some(kin) = kin.as_mut() {
            // What is no text leaves the brackets as they are.
            let part = self.text.get(node.start..node.end).unwrap_or_default();
            kin.is_doubtful |= node.is_damaged || node.has_name_twice || is_whole(part);
        }
        if is_holder {
            if side == Side::Forward && !node.is_whole {
                self.entered.insert(n, (key.to_owned(), Kin::default()));
            }
            if node.has_name_twice {
                self.name(node);
            }
            self.enter(side, node);
        } else if node.is_whole {
            self.handled.insert((node.start, node.end));
            self.name(node);
        } else if side == Side::Forward {
            self.pass(node.start, node.start);
        } else {
            self.pass(node.end, node.end);
        }
    }

    fn is_sure(&self, side: Side, node: &Node) -> bool {
        match side {
            Side::Forward => {
                node.end <= self.sure_until || self.both.contains(&(node.start, node.end, node.depth))
            }
            Side::Backward => node.start >= self.sure_from,
        }
    }

    /// What is behind the place where the first reading stopped. It is in what was open there, if that holds records.
    fn go_on(&mut self, n: usize, level: usize) {
        let Some(node) = self.backward.nodes.get(n) else { return };
        let Some((key, mut kin)) = self.counterpart(node, level).and_then(|n| self.entered.remove(&n)) else {
            return self.pass(node.end, node.end);
        };
        kin.is_doubtful = true;
        for child_id in &node.children {
            let Some(child) = self.backward.nodes.get(*child_id) else { continue };
            let own = child.key.as_deref().filter(|_| child.key_start >= self.sure_from);
            let key = if node.bracket == Bracket::List { Some(key.as_str()) } else { own };
            match key {
                _ if child.is_whole && self.handled.contains(&(child.start, child.end)) => {}
                Some(key) if child.is_whole && child.start >= self.sure_from => {
                    let kin = Some(&mut kin).filter(|_| node.bracket == Bracket::List);
                    self.visit(Side::Backward, *child_id, key, kin);
                }
                _ if child.end <= self.sure_from && self.covers(child.end) => {}
                _ if self.counterpart(child, level + 1).is_some() => self.go_on(*child_id, level + 1),
                _ => self.pass(if child.is_whole { child.start } else { child.end }, child.end),
            }
        }
    }

    /// The object or list that the first reading has at this depth, where it stopped.
    fn counterpart(&self, node: &Node, level: usize) -> Option<usize> {
        let open = *self.forward.open.get(level)?;
        let there = self.forward.nodes.get(open)?;
        let same = there.bracket == node.bracket && (!node.is_whole || node.start == there.start);
        Some(open).filter(|_| same)
    }

    fn covers(&self, at: usize) -> bool {
        self.unread.is_some_and(|(from, _)| from <= at) || at <= self.sure_until
    }

    fn pass(&mut self, from: usize, until: usize) {
        let (first, last) = self.unread.unwrap_or((from, until));
        self.unread = Some((first.min(from), last.max(until)));
    }

    fn name(&mut self, node: &Node) {
        let part = self.text.get(node.start..node.end).unwrap_or_default();
        let begins = self.line(node.start);
        let (line, why) = match part.find('\0') {
            Some(at) => (self.line(node.start + at), NOT_UTF8.to_owned()),
            None => {
                let (lines, what) = wrong(part);
                (begins + lines, format!("the JSON is damaged here: {what}"))
            }
        };
        let from = if line == begins { String::new() } else { format!(" (in what begins in line {begins})") };
        self.named.push((node.start, line, format!("{why}{from}")));
    }

    fn tell(&mut self) {
        let unread = self.unread.map(|(from, until)| {
            let from = from + self.text.get(from..).map_or(0, |rest| rest.len() - rest.trim_start().len());
            let until = self.text.get(..until).map_or(until, |before| before.trim_end().len());
            (from.min(until), until)
        });
        let (lines, what) = wrong(self.text);
        let line = self.first_line + lines;
        if let Some((from, until)) = unread {
            let (first, last) = (self.line(from), self.line(until.saturating_sub(1)).max(self.line(from)));
            let (line, what) = match line {
                line if (first..=last + 1).contains(&line) => (line, what.clone()),
                _ => (first, "its brackets do not match".to_owned()),
            };
            let unread = match first == last {
                true if first == line => String::new(),
                true => format!("; line {first} is not read"),
                false => format!("; lines {first} to {last} are not read"),
            };
            self.found.damaged.insert((line, from), format!("the JSON is damaged here: {what}{unread}"));
        }
        for (at, line, why) in self.named.drain(..) {
            if unread.is_none_or(|(from, until)| at < from || at >= until) {
                self.found.damaged.insert((line, at), why);
            }
        }
        if self.found.damaged.range((self.first_line, 0)..).next().is_none() {
            self.found.damaged.insert((line, 0), format!("the JSON is damaged here: {what}"));
        }
    }

    fn line(&self, at: usize) -> usize {
        self.first_line + self.breaks.partition_point(|start| *start <= at).saturating_sub(1)
    }
}

/// What is wrong with a text, and how many lines below its first.
fn wrong(text: &str) -> (usize, String) {
    let Err(error) = serde_json::from_str::<Distinct>(text) else { return (0, String::new()) };
    // A string that is not closed is found at the end of its line, which counts as the beginning of the next.
    let lines = error.line().saturating_sub(if error.column() == 0 { 2 } else { 1 });
    let what = error.to_string();
    (lines, what.split(" at line ").next().unwrap_or_default().to_owned())
}
