//! What people see of a run: findings as lines, a bar while it works, and nothing that could mislead or betray anybody.

pub mod credentials;
pub mod printable;
pub mod progress;
pub mod report;
