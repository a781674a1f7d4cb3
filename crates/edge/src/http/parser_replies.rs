//! The replies that the HTTP parser gives by itself, to what is no request or has too long a head. They get the id that
//! every response has.

use super::answered::REQUEST_ID;
use crate::request_id;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

#[derive(Debug)]
pub(super) struct ParserReplies<S> {
    stream: S,
    /// A reply of the parser with its id, as far as it is not written yet.
    reply: Vec<u8>,
    /// What is written next goes on with something that was begun.
    is_within: bool,
}

impl<S> ParserReplies<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, reply: Vec::new(), is_within: false }
    }
}

impl<S: AsyncWrite + Unpin> ParserReplies<S> {
    fn poll_reply(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.reply.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.reply))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.reply.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    fn note(&mut self, all: usize, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(written)) = &written {
            self.is_within = *written < all;
        }
        written
    }
}

/// The whole of a reply that the parser made, with an id; `None` for what is something else. Replies of ours have one.
fn identified(bytes: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(bytes).ok()?;
    let (status, rest) = head.split_once("\r\n")?;
    let code = status.strip_prefix("HTTP/1.").and_then(|status| status.get(2..5))?;
    let is_parsers = matches!(code, "400" | "414" | "431")
        && rest.ends_with("\r\n\r\n")
        && !rest.to_ascii_lowercase().contains(REQUEST_ID.as_str());
    if !is_parsers {
        return None;
    }
    let id = request_id::random();
    tracing::info!(request_id = %id, status = code, "a request could not be read");
    Some(format!("{status}\r\n{REQUEST_ID}: {id}\r\n{rest}").into_bytes())
}

impl<S: AsyncRead + Unpin> AsyncRead for ParserReplies<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ParserReplies<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_reply(cx))?;
        if let Some(reply) = identified(bytes).filter(|_| !self.is_within) {
            self.reply = reply;
            return match self.poll_reply(cx) {
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                // The rest of it is written when it is flushed.
                _ => Poll::Ready(Ok(bytes.len())),
            };
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note(bytes.len(), written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = slices {
            return self.poll_write(cx, only);
        }
        ready!(self.poll_reply(cx))?;
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.note(slices.iter().map(|slice| slice.len()).sum(), written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_reply(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_reply(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::ParserReplies;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    async fn passed(pieces: &[&str]) -> String {
        let (ours, mut theirs) = duplex(64 * 1024);
        let mut ours = ParserReplies::new(ours);
        for piece in pieces {
            ours.write_all(piece.as_bytes()).await.expect("written");
        }
        ours.shutdown().await.expect("shut");
        drop(ours);
        let mut all = String::new();
        theirs.read_to_string(&mut all).await.expect("read");
        all
    }

    #[tokio::test]
    async fn a_reply_of_the_parser_gets_an_id() {
        let all = passed(&["HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"]).await;
        let lines: Vec<&str> = all.split("\r\n").collect();
        assert_eq!(lines[0], "HTTP/1.1 400 Bad Request");
        assert_eq!(lines[1].strip_prefix("x-request-id: ").map(str::len), Some(16), "{all}");
        assert_eq!(&lines[2..], ["content-length: 0", "", ""]);
    }

    #[tokio::test]
    async fn everything_else_passes_as_it_is() {
        for pieces in [
            &["HTTP/1.1 400 Bad Request\r\nx-request-id: a\r\n\r\n"][..],
            &["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 400 Bad"],
            &["data: HTTP/1.1 400 Bad Request\r\n\r\n"],
        ] {
            assert_eq!(passed(pieces).await, pieces.concat());
        }
    }
}
