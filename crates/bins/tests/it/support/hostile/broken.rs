//! Bytes that are not HTTP, or not quite.

use crate::support::Seed;

/// `honest` is a request with nothing wrong, to be spoilt.
pub fn request(seed: &mut Seed, honest: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(honest.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    match seed.below(5) {
        0 => first_line(seed, &text),
        1 => header(seed, head, body),
        2 => length(seed, head, body),
        3 => chunks(seed, head),
        _ => {
            let mut flipped = honest.to_vec();
            for _ in 0..=seed.below(6) {
                let at = seed.below(flipped.len());
                flipped[at] = seed.byte();
            }
            flipped
        }
    }
}

fn first_line(seed: &mut Seed, honest: &str) -> Vec<u8> {
    let long = format!("/{}", "a".repeat(60_000 + seed.below(80_000)));
    let with = |line: &str| honest.replacen("POST /mcp HTTP/1.1", line, 1).into_bytes();
    match seed.below(14) {
        0 => with("POST /mcp"),
        1 => with("POST /mcp HTTP/9.9"),
        2 => with("POST  /mcp  HTTP/1.1"),
        3 => with("GET http://[::1 HTTP/1.1"),
        4 => with(&format!("GET {long} HTTP/1.1")),
        5 => with(&format!("{} /mcp HTTP/1.1", "M".repeat(seed.below(70_000)))),
        6 => with("POST /\u{0}mcp HTTP/1.1"),
        7 => with("POST /mçp HTTP/1.1"),
        8 => with("CONNECT example.com:443 HTTP/1.1"),
        9 => with("POST * HTTP/1.1"),
        10 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(),
        11 => [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(), &seed.bytes(400)].concat(),
        12 => "\r\n".repeat(seed.below(200)).into_bytes(),
        _ => seed.bytes(2000),
    }
}

fn header(seed: &mut Seed, head: &str, body: &str) -> Vec<u8> {
    let line = match seed.below(9) {
        0 => format!("X: {}", "v".repeat(30_000 + seed.below(80_000))),
        1 => (0..100 + seed.below(200)).map(|n| format!("X-{n}: y")).collect::<Vec<_>>().join("\r\n"),
        2 => "no colon".to_owned(),
        3 => "X : space before the colon".to_owned(),
        4 => "X: folded\r\n  onto a second line".to_owned(),
        5 => "X: \u{0}\u{1}".to_owned(),
        6 => ": no name".to_owned(),
        7 => "Expect: 100-continue".to_owned(),
        _ => "Connection: upgrade\r\nUpgrade: websocket\r\nHost: elsewhere".to_owned(),
    };
    format!("{head}\r\n{line}\r\n\r\n{body}").into_bytes()
}

fn length(seed: &mut Seed, head: &str, body: &str) -> Vec<u8> {
    let (before, _) = head.split_once("Content-Length:").unwrap();
    let after = head.split("Content-Length:").nth(1).unwrap().split_once("\r\n").unwrap().1;
    let said = match seed.below(9) {
        0 => (body.len() + 1 + seed.below(1000)).to_string(),
        1 => seed.below(body.len()).to_string(),
        2 => "-1".to_owned(),
        3 => "99999999999999999999999".to_owned(),
        4 => u64::MAX.to_string(),
        5 => "0x10".to_owned(),
        6 => format!("{0}, {0}", body.len()),
        7 => format!("{}\r\nContent-Length: {}", body.len(), body.len() + 7),
        _ => format!("{}\r\nTransfer-Encoding: chunked", body.len()),
    };
    format!("{before}Content-Length: {said}\r\n{after}\r\n\r\n{body}").into_bytes()
}

fn chunks(seed: &mut Seed, head: &str) -> Vec<u8> {
    let (before, rest) = head.split_once("Content-Length:").unwrap();
    let after = rest.split_once("\r\n").unwrap().1;
    let coding =
        seed.pick(&["chunked", "gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunked, chunked"]);
    let body = match seed.below(8) {
        0 => "zz\r\nabc\r\n0\r\n\r\n".to_owned(),
        1 => "FFFFFFFFFFFFFFFFF\r\nabc".to_owned(),
        2 => "-5\r\nabc\r\n".to_owned(),
        3 => "3\r\nabcdef\r\n0\r\n\r\n".to_owned(),
        4 => "3\nabc\n0\n\n".to_owned(),
        5 => format!("3;{}\r\nabc\r\n0\r\n\r\n", "e".repeat(seed.below(40_000))),
        6 => format!("0\r\nX-Trailer: {}\r\n\r\n", "t".repeat(seed.below(40_000))),
        _ => "5\r\nab".to_owned(),
    };
    format!("{before}Transfer-Encoding: {coding}\r\n{after}\r\n\r\n{body}").into_bytes()
}
