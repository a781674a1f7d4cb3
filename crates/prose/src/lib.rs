//! English, cut once for all who read it: where sentences end, which part of one asks or orders, what its words deny, say
//! has gone, or doubt, and whose a value is.

mod clauses;
mod corrections;
mod denials;
mod doubts;
mod ignorance;
mod names;
mod owners;
mod phrases;
mod removals;
mod requests;
mod sentences;
mod words;

pub use corrections::{Correction, amended, correction, given_instead, in_its_place};
pub use denials::denies;
pub use doubts::Reading;
pub use ignorance::is_ignorance;
pub use names::called_by_name;
pub use owners::{Owner, is_relation, owner_of, speaks_of_another};
pub use removals::{Removals, hints_at_an_end};
pub use requests::{is_order, is_thanks, order_to_keep};
pub use sentences::{Sentence, is_code, sentences, sentences_of_line};
