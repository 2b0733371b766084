//! A seed → the same numbers and words on every machine: benchmarks compare runs, so no library decides them.

const WORDS: &[&str] = &[
    "account",
    "address",
    "backend",
    "balance",
    "cache",
    "catalog",
    "client",
    "cluster",
    "config",
    "container",
    "default",
    "deploy",
    "digest",
    "endpoint",
    "event",
    "field",
    "gateway",
    "handler",
    "index",
    "interval",
    "invoice",
    "ledger",
    "limit",
    "metric",
    "monitor",
    "namespace",
    "object",
    "order",
    "payment",
    "policy",
    "profile",
    "queue",
    "record",
    "region",
    "report",
    "request",
    "resource",
    "retry",
    "route",
    "schema",
    "secret",
    "server",
    "session",
    "shard",
    "status",
    "storage",
    "stream",
    "target",
    "timeout",
    "token",
    "topic",
    "trace",
    "update",
    "value",
    "version",
    "volume",
    "wait",
    "worker",
    "write",
    "zone",
];

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64)).expect("it is below a usize")
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in so many of a thousand cases.
    pub(crate) fn permille(&mut self, cases: usize) -> bool {
        self.below(1000) < cases
    }

    pub(crate) fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    /// So many words with single spaces.
    pub(crate) fn sentence(&mut self, words: usize) -> String {
        let words: Vec<&str> = (0..words).map(|_| self.word()).collect();
        words.join(" ")
    }

    pub(crate) fn base64(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(BASE64[self.below(BASE64.len())])).collect()
    }

    pub(crate) fn hex(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b"0123456789abcdef"[self.below(16)])).collect()
    }
}
