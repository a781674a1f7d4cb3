//! Requests that no honest client sends. Each is made from a number alone: one that does harm can be made again.

mod arguments;
mod broken;

use super::Seed;
use super::http::{headers, message, request};
use arguments::{arguments, string, value};
use serde_json::{Value, json};

/// What goes over the wire, and what has to come back.
pub enum Hostile {
    /// HTTP as it should be: one answer.
    Whole(Vec<u8>),
    /// Several requests at once: as many answers.
    Pipelined(Vec<u8>, usize),
    /// Not HTTP, or less of it than announced: refusals, or a closed connection.
    Broken(Vec<u8>),
    /// The connection is dropped after this much.
    Cut(Vec<u8>),
}

pub struct Generator {
    key: String,
    /// The name and the schema of the arguments of each tool.
    tools: Vec<(String, Value)>,
}

impl Generator {
    /// `listed` is the answer of `tools/list`.
    pub fn new(key: &str, listed: &Value) -> Self {
        let tools = listed["tools"].as_array().unwrap().iter();
        let tools =
            tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["inputSchema"].clone()));
        Self { key: key.to_owned(), tools: tools.collect() }
    }

    /// JSON and HTTP that can be read, and are odd.
    pub fn structured(&self, number: u64) -> Hostile {
        let mut seed = Seed::new(number);
        match seed.below(100) {
            0..50 => Hostile::Whole(self.post(self.call(&mut seed).as_bytes())),
            50..70 => Hostile::Whole(self.post(odd_message(&mut seed).to_string().as_bytes())),
            70..84 => Hostile::Whole(self.odd_headers(&mut seed)),
            84..90 => Hostile::Whole(self.chunked(&mut seed)),
            90..96 => Hostile::Whole(self.elsewhere(&mut seed)),
            _ => self.pipelined(&mut seed),
        }
    }

    /// What cannot be read as JSON, or not as HTTP.
    pub fn raw(&self, number: u64) -> Hostile {
        let mut seed = Seed::new(number);
        match seed.below(100) {
            0..60 => Hostile::Whole(self.post(&self.not_json(&mut seed))),
            60..90 => Hostile::Broken(broken::request(&mut seed, &self.honest())),
            _ => {
                let whole = self.post(self.call(&mut seed).as_bytes());
                let kept = seed.below(whole.len());
                Hostile::Cut(whole[..kept].to_vec())
            }
        }
    }

    /// One line for standard input: a message that can be read, and is odd.
    pub fn line(&self, number: u64) -> Vec<u8> {
        let mut seed = Seed::new(number);
        if seed.chance(4) {
            odd_message(&mut seed).to_string().into_bytes()
        } else {
            self.call(&mut seed).into_bytes()
        }
    }

    /// Bytes for standard input that are no message.
    pub fn raw_line(&self, number: u64) -> Vec<u8> {
        self.not_json(&mut Seed::new(number))
    }

    fn post(&self, body: &[u8]) -> Vec<u8> {
        request("POST", "/mcp", &headers(&self.key), body)
    }

    /// A request with nothing wrong.
    fn honest(&self) -> Vec<u8> {
        self.post(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
    }

    fn call(&self, seed: &mut Seed) -> String {
        let (name, schema) = seed.pick(&self.tools);
        message(name, &arguments(seed, schema))
    }

    /// A body that is not JSON, or barely.
    fn not_json(&self, seed: &mut Seed) -> Vec<u8> {
        let whole = self.call(seed).into_bytes();
        match seed.below(9) {
            0 => whole[..seed.below(whole.len())].to_vec(),
            1 => seed.bytes(300),
            2 => {
                let mut flipped = whole;
                for _ in 0..=seed.below(4) {
                    let at = seed.below(flipped.len());
                    flipped[at] = seed.byte();
                }
                flipped
            }
            3 => ["[".repeat(seed.below(5000)), "]".repeat(seed.below(5000))].concat().into_bytes(),
            4 => [r#"{"a":"#.repeat(seed.below(3000)), "1".to_owned()].concat().into_bytes(),
            5 => br#"{"jsonrpc":"2.0","id":1,"method":"\ud800\udc00\ud800"}"#.to_vec(),
            6 => br#"{"jsonrpc":"2.0","id":1e999999,"method":"ping","params":{"n":NaN}}"#.to_vec(),
            7 => [b"\xef\xbb\xbf".as_slice(), &whole].concat(),
            _ => Vec::new(),
        }
    }

    fn odd_headers(&self, seed: &mut Seed) -> Vec<u8> {
        let mut lines = headers(&self.key);
        let text: String = string(seed).chars().filter(|c| !c.is_control()).take(2000).collect();
        match seed.below(12) {
            0 => drop(lines.remove(0)),
            1 => lines[0] = format!("Authorization: Bearer svc_sk_{text}"),
            2 => lines[0] = format!("Authorization: {text}"),
            3 => lines.push("Authorization: Bearer svc_sk_0".to_owned()),
            4 => lines.push(format!("X-Request-ID: {text}")),
            5 => lines[1] = format!("Content-Type: {text}"),
            6 => lines[2] = format!("Accept: {text}"),
            7 => lines.push(format!("MCP-Protocol-Version: {text}")),
            8 => lines.push(format!("X-Forwarded-For: {text}, {text}")),
            9 => lines.push(format!("Origin: {text}")),
            10 => lines.push(format!("Host: {text}")),
            _ => lines.extend((0..seed.below(60)).map(|n| format!("X-{n}: {}", "v".repeat(seed.below(500))))),
        }
        request("POST", "/mcp", &lines, self.call(seed).as_bytes())
    }

    /// A body in pieces of odd sizes, with extensions and trailers.
    fn chunked(&self, seed: &mut Seed) -> Vec<u8> {
        let head = headers(&self.key).join("\r\n");
        let head =
            format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n{head}\r\n\r\n");
        let (body, mut out) = (self.call(seed).into_bytes(), head.into_bytes());
        let mut rest = body.as_slice();
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(1 + seed.below(1 + rest.len() / 3)));
            out.extend(format!("{:X};x=\"y\"\r\n", piece.len()).bytes());
            out.extend(piece);
            out.extend(b"\r\n");
            rest = after;
        }
        out.extend(b"0\r\n\r\n");
        out
    }

    fn elsewhere(&self, seed: &mut Seed) -> Vec<u8> {
        const PATHS: [&str; 10] = [
            "/",
            "/mcp/",
            "/mcp?key=1",
            "//mcp",
            "/%6dcp",
            "/../etc/passwd",
            "/healthz",
            "/readyz",
            "/metrics",
            "/openapi.json",
        ];
        const METHODS: [&str; 8] = ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "POST", "TRACE", "ABCDEFGH"];
        let lines = if seed.chance(2) { headers(&self.key) } else { Vec::new() };
        let (method, path): (&str, &str) = (*seed.pick(&METHODS), *seed.pick(&PATHS));
        request(method, path, &lines, &seed.bytes(40))
    }

    fn pipelined(&self, seed: &mut Seed) -> Hostile {
        let count = 2 + seed.below(7);
        let mut out = Vec::new();
        for _ in 0..count {
            out.extend(self.post(odd_message(seed).to_string().as_bytes()));
        }
        Hostile::Pipelined(out, count)
    }
}

/// JSON that is JSON-RPC only at first glance, or asks for something odd.
fn odd_message(seed: &mut Seed) -> Value {
    const METHODS: [&str; 9] = [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "resources/list",
        "logging/setLevel",
        "notifications/cancelled",
        "resources/templates/list",
    ];
    let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": seed.pick(&METHODS), "params": {} });
    let names = ["jsonrpc", "id", "method", "params", "result"];
    for _ in 0..=seed.below(2) {
        message[*seed.pick(&names)] = value(seed);
    }
    match seed.below(6) {
        0 => message["params"] = json!({ "protocolVersion": value(seed), "cursor": value(seed) }),
        1 => message["params"] = json!({ "name": value(seed), "arguments": value(seed) }),
        2 => message["params"] = json!({ "name": "get_memory", "_meta": { "progressToken": value(seed) } }),
        3 => drop(message.as_object_mut().unwrap().remove(*seed.pick(&names))),
        4 => message = json!([message, value(seed)]),
        _ => {}
    }
    message
}
