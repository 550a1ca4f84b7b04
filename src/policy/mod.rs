//! Policies as pure state machines: told the time, handed any chance they need, they answer
//! with a verdict; they schedule and print nothing.

pub mod load_balancing;
