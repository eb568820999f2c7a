//! Reading and writing game records (SGF, file formats 3 and 4).
//!
//! Only the main line of the first game in a file is read: the first variation at every branch.
//! That line is the text up to the first closing parenthesis, so no tree is built, and neither
//! deep nesting nor long files can exhaust the stack. (A tree's destructor would recurse once per
//! move, so a file of a million moves would crash the process.)
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod collection;
mod error;
mod info;
mod komi;
mod letters;
mod parse;
mod read;
mod record;
mod rules;
mod save;
mod setup;
mod text;
mod tree;
mod write;

pub use collection::games;
pub use error::SgfError;
pub use info::GameInfo;
pub use read::{bytes_of, read, read_under};
pub use record::{GameRecord, IllegalPlay};
pub(crate) use rules::in_words as rules_in_words;
pub use save::{expect_writable, save};
pub(crate) use setup::set_ups;
pub use text::decode_archive;
pub use tree::{Branch, write_problem};
pub use write::{Note, write, write_annotated, write_marked};
