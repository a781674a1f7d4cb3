//! The objects and lists of a text that is damaged, as they are read from its beginning or from its end.

use super::tokens::{Bracket, Kind, Token, from_end, from_start};
use serde_json::{Map, Value};

/// Deeper than this no JSON is read.
const DEEPEST: usize = 120;

#[derive(Debug)]
pub struct Node {
    pub bracket: Bracket,
    /// In bytes. One that is still open where the reading stopped has no end, or, read from the end, no beginning.
    pub start: usize,
    pub end: usize,
    pub is_whole: bool,
    /// How many objects and lists it is within.
    pub depth: usize,
    /// The name of it in an object.
    pub key: Option<String>,
    /// Where that begins, when read from the end.
    pub key_start: usize,
    pub children: Vec<usize>,
    /// The names of an object, with empty lists and objects where it has some, and null for all else.
    pub names: Map<String, Value>,
    pub has_name_twice: bool,
    /// Something in it is no JSON, and only its brackets say where it ends.
    pub is_damaged: bool,
}

#[derive(Debug)]
pub struct Tree {
    pub nodes: Vec<Node>,
    pub root: Option<usize>,
    /// What is still open where the reading stopped, the outermost first.
    pub open: Vec<usize>,
    /// Up to here nothing was wrong that is not within a damaged object; or, read from the end, from here on.
    pub stop: usize,
}

pub fn read_from_start(text: &str) -> Tree {
    Parser::new(text, from_start(text), true).read()
}

pub fn read_from_end(text: &str) -> Tree {
    Parser::new(text, from_end(text), false).read()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the beginning: an item, or the end.
    First,
    /// Behind a comma: an item.
    Next,
    /// In an object, between the two parts of an item.
    Colon,
    /// In an object, the other part of an item.
    Second,
    /// Behind an item.
    After,
}

struct Frame {
    node: usize,
    /// The token that opened it.
    token: usize,
    state: State,
    /// The name that was read last, when read from the beginning.
    key: Option<String>,
    /// The value that was read last, when read from the end.
    value: (Value, Option<usize>),
}

/// Reads in either direction. From the end, a closing bracket opens, and a value comes before its name.
struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    is_forward: bool,
    nodes: Vec<Node>,
    root: Option<usize>,
    has_value: bool,
    stack: Vec<Frame>,
    /// For each token that opens something, the one that closes it.
    closes: Vec<Option<usize>>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, tokens: Vec<Token>, is_forward: bool) -> Self {
        let (nodes, stack, closes) = (Vec::new(), Vec::new(), vec![None; tokens.len()]);
        let mut parser =
            Self { text, tokens, is_forward, nodes, root: None, has_value: false, stack, closes };
        parser.match_brackets();
        parser
    }

    fn opens(&self, kind: Kind) -> Option<Bracket> {
        match kind {
            Kind::Open(bracket) if self.is_forward => Some(bracket),
            Kind::Close(bracket) if !self.is_forward => Some(bracket),
            _ => None,
        }
    }

    fn shuts(&self, kind: Kind) -> Option<Bracket> {
        match kind {
            Kind::Close(bracket) if self.is_forward => Some(bracket),
            Kind::Open(bracket) if !self.is_forward => Some(bracket),
            _ => None,
        }
    }

    fn match_brackets(&mut self) {
        let mut open: Vec<(usize, Bracket)> = Vec::new();
        for n in 0..self.tokens.len() {
            let Some(kind) = self.tokens.get(n).map(|token| token.kind) else { return };
            if let Some(bracket) = self.opens(kind) {
                open.push((n, bracket));
            } else if let Some(bracket) = self.shuts(kind) {
                match open.pop() {
                    Some((opened, of)) if of == bracket => {
                        if let Some(closes) = self.closes.get_mut(opened) {
                            *closes = Some(n);
                        }
                    }
                    // Nothing that is around a bracket of the wrong kind is matched.
                    _ => open.clear(),
                }
            }
        }
    }

    fn read(mut self) -> Tree {
        let mut n = 0;
        while let Some(token) = self.tokens.get(n).copied() {
            if self.step(n, token) {
                n += 1;
            } else if let Some(next) = self.recover() {
                n = next;
            } else {
                let stop = self.stop(token);
                return self.stopped(stop);
            }
        }
        let stop = if self.is_forward { self.text.len() } else { 0 };
        self.stopped(stop)
    }

    /// What is on this side of it is as it was written: had anything been cut out of there, the reading had stopped before.
    /// A word may have been cut itself.
    fn stop(&self, token: Token) -> usize {
        let is_word = matches!(token.kind, Kind::Text | Kind::Scalar | Kind::Bad);
        if self.is_forward == is_word { token.end } else { token.start }
    }

    fn stopped(mut self, stop: usize) -> Tree {
        let open: Vec<usize> = self.stack.iter().map(|frame| frame.node).collect();
        for node in &mut self.nodes {
            if !self.is_forward {
                node.children.reverse();
            }
        }
        Tree { nodes: self.nodes, root: self.root, open, stop }
    }

    /// Whether the token may be where it is.
    fn step(&mut self, n: usize, token: Token) -> bool {
        if let Some(bracket) = self.opens(token.kind) {
            return self.stack.len() < DEEPEST && self.open(n, token, bracket);
        }
        if let Some(bracket) = self.shuts(token.kind) {
            return self.shut(token, bracket);
        }
        match token.kind {
            Kind::Text if self.expects_key() => self.key(token),
            Kind::Text | Kind::Scalar => self.value(Value::Null, None),
            Kind::Comma => self.turn(State::After, State::Next),
            Kind::Colon => self.turn(State::Colon, State::Second),
            Kind::Bad | Kind::Open(_) | Kind::Close(_) => false,
        }
    }

    fn is_in_object(&self) -> bool {
        let node = self.stack.last().and_then(|frame| self.nodes.get(frame.node));
        node.is_some_and(|node| node.bracket == Bracket::Object)
    }

    fn expects_key(&self) -> bool {
        let expected: &[State] =
            if self.is_forward { &[State::First, State::Next] } else { &[State::Second] };
        self.is_in_object() && self.stack.last().is_some_and(|frame| expected.contains(&frame.state))
    }

    fn turn(&mut self, from: State, to: State) -> bool {
        match self.stack.last_mut() {
            Some(frame) if frame.state == from => {
                frame.state = to;
                true
            }
            _ => false,
        }
    }

    fn open(&mut self, n: usize, token: Token, bracket: Bracket) -> bool {
        let empty = match bracket {
            Bracket::Object => Value::Object(Map::new()),
            Bracket::List => Value::Array(Vec::new()),
        };
        let (id, depth) = (self.nodes.len(), self.stack.len());
        let key = self.stack.last_mut().and_then(|frame| frame.key.clone()).filter(|_| self.is_in_object());
        if !self.value(empty, Some(id)) {
            return false;
        }
        match self.stack.last().map(|frame| frame.node).and_then(|parent| self.nodes.get_mut(parent)) {
            Some(parent) => parent.children.push(id),
            None => self.root = Some(id),
        }
        let (start, end) = if self.is_forward { (token.start, self.text.len()) } else { (0, token.end) };
        self.nodes.push(Node {
            bracket,
            start,
            end,
            is_whole: false,
            depth,
            key,
            key_start: 0,
            children: Vec::new(),
            names: Map::new(),
            has_name_twice: false,
            is_damaged: false,
        });
        let value = (Value::Null, None);
        self.stack.push(Frame { node: id, token: n, state: State::First, key: None, value });
        true
    }

    fn shut(&mut self, token: Token, bracket: Bracket) -> bool {
        let Some(frame) = self.stack.last() else { return false };
        let Some(node) = self.nodes.get_mut(frame.node) else { return false };
        if node.bracket != bracket || !matches!(frame.state, State::First | State::After) {
            return false;
        }
        close(node, token, self.is_forward);
        self.stack.pop();
        true
    }

    fn key(&mut self, token: Token) -> bool {
        let text = self.text.get(token.start..token.end).unwrap_or_default();
        let (Ok(key), Some(frame)) = (serde_json::from_str::<String>(text), self.stack.last_mut()) else {
            return false;
        };
        if self.is_forward {
            frame.key = Some(key);
            frame.state = State::Colon;
            return true;
        }
        let (value, child) = std::mem::replace(&mut frame.value, (Value::Null, None));
        frame.state = State::After;
        let of = frame.node;
        if let Some(child) = child.and_then(|child| self.nodes.get_mut(child)) {
            child.key = Some(key.clone());
            child.key_start = token.start;
        }
        self.name(of, key, value);
        true
    }

    fn name(&mut self, of: usize, key: String, value: Value) {
        if let Some(node) = self.nodes.get_mut(of) {
            node.has_name_twice |= node.names.insert(key, value).is_some();
        }
    }

    /// Notes a value, and says whether there may be one.
    fn value(&mut self, value: Value, child: Option<usize>) -> bool {
        let (is_object, is_forward) = (self.is_in_object(), self.is_forward);
        let Some(frame) = self.stack.last_mut() else {
            return !std::mem::replace(&mut self.has_value, true);
        };
        let is_first = matches!(frame.state, State::First | State::Next);
        match is_object {
            false if is_first => frame.state = State::After,
            true if is_forward && frame.state == State::Second => {
                frame.state = State::After;
                let (of, key) = (frame.node, frame.key.clone().unwrap_or_default());
                self.name(of, key, value);
            }
            true if !is_forward && is_first => {
                frame.state = State::Colon;
                frame.value = (value, child);
            }
            _ => return false,
        }
        true
    }

    /// What is wrong may be within an object of a list, of which the brackets say where it ends. Then what is behind it
    /// is read on from there.
    fn recover(&mut self) -> Option<usize> {
        for depth in (1..self.stack.len()).rev() {
            let (frame, around) = (self.stack.get(depth)?, self.stack.get(depth - 1)?);
            let is_item = self.nodes.get(frame.node)?.bracket == Bracket::Object
                && self.nodes.get(around.node)?.bracket == Bracket::List;
            let Some(last) = self.closes.get(frame.token).copied().flatten().filter(|_| is_item) else {
                continue;
            };
            let next = self.tokens.get(last + 1)?.kind;
            if next == Kind::Comma || self.shuts(next) == Some(Bracket::List) {
                let (end, node) = (*self.tokens.get(last)?, frame.node);
                let node = self.nodes.get_mut(node)?;
                close(node, end, self.is_forward);
                node.is_damaged = true;
                node.children.clear();
                self.stack.truncate(depth);
                return Some(last + 1);
            }
        }
        None
    }
}

fn close(node: &mut Node, token: Token, is_forward: bool) {
    node.is_whole = true;
    if is_forward {
        node.end = token.end;
    } else {
        node.start = token.start;
    }
}
