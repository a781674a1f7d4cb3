//! Why a person's decision or edit was not carried out, with nothing written.

use domain::{FactId, Status, limits};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("No memory with id #{0}.")]
    Unknown(FactId),
    #[error(
        "#{id} is {status}, not ACTIVE: only a current value can be updated. List the memories for its id."
    )]
    NotActive { id: FactId, status: Status },
    #[error("#{id} is {status} and awaits no decision. See the pending changes for those that do.")]
    NotPending { id: FactId, status: Status },
    #[error(
        "#{id} is stale: what is current has changed since it was proposed. Nothing was applied; \
         reject it, and state the change again if it still holds."
    )]
    Stale { id: FactId },
    #[error(
        "what #{id} would replace has changed since it was shown. Look at what is current now, and decide again."
    )]
    NotAsShown { id: FactId },
    #[error(
        "#{id} was proposed by you, and SVC_FOUR_EYES is on: somebody else with the 'approve' capability must confirm it."
    )]
    OwnProposal { id: FactId },
    #[error(
        "Invalid argument 'facts[{at}].target_id': #{id} is {what}. Give the number of a current fact, as list_memories \
         shows it, or leave it out. Nothing was stored."
    )]
    NoTarget { at: usize, id: FactId, what: String },
    #[error(
        "#{id} waits for a decision, and somebody else proposed it: only they can withdraw it. confirm_change or \
         reject_change settles it."
    )]
    NotTheProposer { id: FactId },
    #[error("#{id} is settled already: {why}. Nothing was applied.")]
    Settled { id: FactId, why: String },
    #[error("#{by} already holds that item of the list. Update or forget #{by} instead.")]
    Taken { by: FactId },
    #[error("The new value is empty. Give a value, or forget the fact to remove it.")]
    EmptyValue,
    #[error("The new value is longer than {} bytes. Shorten it.", limits::VALUE_BYTES)]
    LongValue,
}
