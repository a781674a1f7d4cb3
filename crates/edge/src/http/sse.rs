//! An answer as a stream of events.

use super::reply::{Body, Reply};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http_body_util::{Either, Full, StreamBody};
use hyper::Response;
use hyper::body::{Bytes, Frame};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};

const BEFORE: &str = "event: message\ndata: ";
const AFTER: &str = "\n\n";
/// Room for an ordinary answer; a long one makes the buffer grow.
const USUAL_BYTES: usize = 512;

/// One event whose data is what `write` appends: one line of JSON.
pub(super) fn event(size: usize, write: impl FnOnce(&mut String)) -> Bytes {
    let mut text = String::with_capacity(USUAL_BYTES + size);
    text.push_str(BEFORE);
    write(&mut text);
    text.push_str(AFTER);
    text.into()
}

pub(super) fn one(event: Bytes) -> Reply {
    headed(Either::Left(Full::new(event)))
}

pub(super) fn many(messages: BoxStream<'static, String>) -> Reply {
    let frames = messages.map(|message| {
        let event = event(message.len(), |out| out.push_str(&message));
        Ok(Frame::data(event))
    });
    headed(Either::Right(StreamBody::new(frames.boxed())))
}

fn headed(body: Body) -> Reply {
    let mut reply = Response::new(body);
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    reply
}
