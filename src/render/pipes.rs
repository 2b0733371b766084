//! What goes into a tool and comes out of it, each by a thread of its own: a full pipe would stop the tool for ever.

use std::io::{Read, Write};
use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// Reads a pipe to its end, at the most one byte more than allowed, which shows that it was too long.
pub(super) fn reader<R: Read + Send + 'static>(pipe: Option<R>, allowed: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // A pipe that breaks has said what it had to say.
            let _ = pipe.take(allowed + 1).read_to_end(&mut bytes);
        }
        // Nobody listens any more once the deadline has passed.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Hands a tool its input.
pub(super) fn writer(pipe: Option<ChildStdin>, input: Option<&str>) {
    if let (Some(mut pipe), Some(input)) = (pipe, input) {
        let input = input.to_owned();
        // A tool that closes it early wants no more.
        thread::spawn(move || pipe.write_all(input.as_bytes()));
    }
}
