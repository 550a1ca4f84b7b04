//! What to simulate, as checked.
