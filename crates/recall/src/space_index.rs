//! The active facts of one space, opened and ready to be searched.

use crate::category::category_key;
use crate::fields::reads_alike;
use crate::hits::Hit;
use crate::subjects::Subjects;
use crate::vector_index::{Towards, VectorError, VectorIndex};
use crate::word_index::{Matches, Wanted, WordIndex};
use domain::limits::SHARED_TEXT_BYTES;
use domain::{Fact, FactId, Status};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Kept up to date one fact at a time: no change and no question goes through all facts.
#[derive(Debug, Default)]
pub struct SpaceIndex {
    facts: BTreeMap<FactId, Arc<Fact>>,
    words: WordIndex,
    subjects: Subjects,
    categories: HashMap<String, BTreeSet<FactId>>,
    embedder: String,
    vectors: Option<VectorIndex>,
    without_vector: BTreeSet<FactId>,
    fact_bytes: usize,
    /// How many of the facts were taken from each long text, by where it is in memory.
    shared_texts: HashMap<usize, usize>,
}

impl SpaceIndex {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.facts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    pub fn get(&self, id: FactId) -> Option<&Arc<Fact>> {
        self.facts.get(&id)
    }

    /// By id.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Fact>> {
        self.facts.values()
    }

    /// Facts to be ranked by themselves, whether they are active or not.
    pub fn of(facts: impl IntoIterator<Item = Arc<Fact>>) -> Self {
        let mut index = Self::default();
        facts.into_iter().for_each(|fact| index.insert(fact));
        index
    }

    /// Takes the fact as it is now, or removes it if it is no longer active.
    pub fn upsert(&mut self, fact: Arc<Fact>) {
        if fact.status == Status::Active {
            self.insert(fact);
        } else {
            self.remove(fact.id);
        }
    }

    fn insert(&mut self, fact: Arc<Fact>) {
        let id = fact.id;
        let before = self.facts.get(&id).cloned();
        if before.as_ref().is_some_and(|before| reads_alike(before, &fact)) {
            before.iter().for_each(|before| self.uncount(before));
        } else {
            self.remove(id);
            self.words.insert(&fact);
            self.subjects.insert(&fact.subject, id);
            self.without_vector.insert(id);
            if let Some(key) = category_key(&fact) {
                self.categories.entry(key).or_default().insert(id);
            }
        }
        self.count(&fact);
        self.facts.insert(id, fact);
    }

    fn count(&mut self, fact: &Fact) {
        self.fact_bytes += bytes_of(fact);
        let facts = shared_text(fact).map(|text| self.shared_texts.entry(text).or_default());
        if facts.is_none_or(|facts| std::mem::replace(facts, *facts + 1) == 0) {
            self.fact_bytes += fact.text.len();
        }
    }

    fn uncount(&mut self, fact: &Fact) {
        self.fact_bytes -= bytes_of(fact);
        if let Some(text) = shared_text(fact)
            && let Some(facts) = self.shared_texts.get_mut(&text)
        {
            *facts -= 1;
            if *facts > 0 {
                return;
            }
            self.shared_texts.remove(&text);
        }
        self.fact_bytes -= fact.text.len();
    }

    pub fn remove(&mut self, id: FactId) {
        let Some(fact) = self.facts.remove(&id) else { return };
        self.uncount(&fact);
        self.words.remove(id);
        self.subjects.remove(&fact.subject, id);
        self.without_vector.remove(&id);
        if let Some(vectors) = &mut self.vectors {
            vectors.remove(id);
        }
        if let Some(key) = category_key(&fact)
            && let Some(ids) = self.categories.get_mut(&key)
        {
            ids.remove(&id);
            if ids.is_empty() {
                self.categories.remove(&key);
            }
        }
    }

    /// Names the embedder that the vectors from here on come from. Those of another one are dropped: numbers of two
    /// models cannot be compared.
    pub fn use_embedder(&mut self, embedder: &str) {
        if self.embedder != embedder {
            embedder.clone_into(&mut self.embedder);
            self.drop_vectors();
        }
    }

    /// Takes the embedding of the fact's indexed text. It is ignored if the fact has gone or has other words by now, as
    /// can happen while the embedder works. Vectors of another length than this one are dropped: the embedder behind
    /// the name has changed.
    pub fn set_vector(&mut self, fact: &Fact, vector: &[f32]) -> Result<(), VectorError> {
        if !self.facts.get(&fact.id).is_some_and(|current| reads_alike(current, fact)) {
            return Ok(());
        }
        let dimensions = NonZeroUsize::new(vector.len()).ok_or(VectorError::Empty)?;
        if !vector.iter().all(|x| x.is_finite()) {
            return Err(VectorError::NotFinite);
        }
        if self.dimensions().is_some_and(|held| held != dimensions.get()) {
            self.drop_vectors();
        }
        self.vectors.get_or_insert_with(|| VectorIndex::new(dimensions)).insert(fact.id, vector)?;
        self.without_vector.remove(&fact.id);
        Ok(())
    }

    /// The length of the vectors that are held, if any are.
    pub fn dimensions(&self) -> Option<usize> {
        self.vectors.as_ref().map(VectorIndex::dimensions)
    }

    /// The facts that are still to be embedded, by id.
    pub fn missing_vectors(&self) -> impl Iterator<Item = &Arc<Fact>> {
        self.without_vector.iter().filter_map(|id| self.facts.get(id))
    }

    /// Roughly what the space takes in memory.
    pub fn approx_bytes(&self) -> usize {
        const TREE_ENTRY: usize = 24;
        self.fact_bytes
            + self.facts.len() * TREE_ENTRY
            + self.without_vector.len() * TREE_ENTRY
            + self.words.bytes()
            + self.subjects.bytes()
            + self.vectors.as_ref().map_or(0, VectorIndex::bytes)
    }

    /// Facts that share a word with the text, the best match first.
    pub fn holding(&self, words: &str, limit: usize) -> Vec<Arc<Fact>> {
        let hits = self.words.search(words, limit);
        hits.iter().filter_map(|hit| self.facts.get(&hit.id).cloned()).collect()
    }

    /// Facts of the subject, by its key.
    pub fn of_subject(&self, key: &str) -> Vec<Arc<Fact>> {
        self.subjects.facts(key).filter_map(|id| self.facts.get(&id).cloned()).collect()
    }

    /// The keys of other subjects about the same attribute.
    pub fn alike<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.subjects.alike(key)
    }

    pub(crate) fn matches(&self, question: &str) -> Matches<'_> {
        self.words.matches(question)
    }

    pub(crate) fn by_meaning(&self, question: &[f32], limit: usize) -> Vec<Hit> {
        self.whole_vectors().map_or_else(Vec::new, |vectors| vectors.search(question, limit))
    }

    pub(crate) fn wanted(&self, question: &str) -> Wanted<'_> {
        self.words.wanted(question)
    }

    pub(crate) fn towards(&self, question: &[f32]) -> Option<Towards<'_>> {
        self.whole_vectors()?.towards(question)
    }

    /// Meaning counts only where every fact has its vector. Otherwise facts would change places while vectors are made.
    fn whole_vectors(&self) -> Option<&VectorIndex> {
        self.vectors.as_ref().filter(|_| self.without_vector.is_empty())
    }

    pub(crate) fn newest_first(&self) -> impl Iterator<Item = FactId> {
        self.facts.keys().rev().copied()
    }

    /// A fact has one category, so no id is in two of the sets.
    pub(crate) fn category_ids(&self, key: &str) -> Option<&BTreeSet<FactId>> {
        self.categories.get(key)
    }

    fn drop_vectors(&mut self) {
        self.vectors = None;
        self.without_vector = self.facts.keys().copied().collect();
    }
}

/// Where a text is that other facts may have been taken from too.
fn shared_text(fact: &Fact) -> Option<usize> {
    (fact.text.len() >= SHARED_TEXT_BYTES).then(|| fact.text.as_ptr().addr())
}

/// What a fact takes without its text.
fn bytes_of(fact: &Fact) -> usize {
    const COUNTS: usize = 16;
    const METADATA_ENTRY: usize = 128;
    let triple = &fact.triple;
    let texts = [&fact.subject, &fact.value, &fact.scope, &triple.head, &triple.relation, &triple.tail];
    let metadata =
        fact.metadata.iter().map(|(key, value)| METADATA_ENTRY + key.len() + value.to_string().len());
    let earlier = fact.earlier.iter().map(|earlier| size_of_val(earlier) + earlier.value.len());
    COUNTS
        + size_of::<Fact>()
        + texts.iter().map(|text| text.len()).sum::<usize>()
        + fact.source.as_ref().map_or(0, String::len)
        + metadata.sum::<usize>()
        + earlier.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::SpaceIndex;
    use crate::samples::{critical_fact, fact};
    use crate::{ContextRule, VectorError};
    use domain::{Fact, FactId, Status};
    use std::sync::Arc;

    fn three() -> SpaceIndex {
        let mut index = SpaceIndex::new();
        (1..=3).for_each(|i| index.upsert(Arc::new(fact(FactId(i), &format!("s{i}"), &format!("v{i}")))));
        index
    }

    fn missing(index: &SpaceIndex) -> Vec<FactId> {
        index.missing_vectors().map(|fact| fact.id).collect()
    }

    fn embed(index: &mut SpaceIndex, id: FactId, vector: &[f32]) -> Result<(), VectorError> {
        let fact = Arc::clone(index.get(id).unwrap());
        index.set_vector(&fact, vector)
    }

    fn found_by_words(index: &SpaceIndex, words: &str) -> Vec<FactId> {
        index.holding(words, 9).iter().map(|hit| hit.id).collect()
    }

    #[test]
    fn a_fact_that_is_no_longer_active_goes_out() {
        let mut index = three();
        index.upsert(Arc::new(Fact { status: Status::Superseded, ..fact(FactId(2), "s2", "v2") }));
        assert_eq!(index.iter().map(|fact| fact.id).collect::<Vec<_>>(), [1, 3].map(FactId));
        assert!(found_by_words(&index, "v2").is_empty());
        assert_eq!(missing(&index), [1, 3].map(FactId));
    }

    #[test]
    fn a_refined_fact_is_indexed_again() {
        let mut index = three();
        embed(&mut index, FactId(2), &[1.0, 0.0]).unwrap();
        index.upsert(Arc::new(Fact { confidence: 0.5, ..fact(FactId(2), "s2", "v2") }));
        assert_eq!(missing(&index), [1, 3].map(FactId));
        index.upsert(Arc::new(fact(FactId(2), "s2", "refined")));
        assert_eq!(missing(&index), [1, 2, 3].map(FactId));
        assert_eq!(
            (found_by_words(&index, "v2"), found_by_words(&index, "refined")),
            (vec![], vec![FactId(2)])
        );
    }

    #[test]
    fn an_outdated_embedding_is_ignored() {
        let mut index = three();
        index.set_vector(&fact(FactId(2), "s2", "earlier"), &[1.0]).unwrap();
        index.set_vector(&fact(FactId(9), "s9", "v9"), &[1.0]).unwrap();
        assert_eq!(missing(&index), [1, 2, 3].map(FactId));
        assert_eq!(index.dimensions(), None);
    }

    #[test]
    fn another_embedder_drops_all_vectors() {
        let mut index = three();
        index.use_embedder("small");
        embed(&mut index, FactId(1), &[1.0, 0.0]).unwrap();
        embed(&mut index, FactId(2), &[0.0, 1.0]).unwrap();
        index.use_embedder("small");
        assert_eq!(missing(&index), [FactId(3)]);
        embed(&mut index, FactId(3), &[1.0, 0.0, 0.0]).unwrap();
        assert_eq!((missing(&index), index.dimensions()), (vec![FactId(1), FactId(2)], Some(3)));
        index.use_embedder("large");
        assert_eq!((missing(&index), index.dimensions()), (vec![FactId(1), FactId(2), FactId(3)], None));
    }

    #[test]
    fn a_broken_embedding_is_refused_alone() {
        let mut index = three();
        embed(&mut index, FactId(1), &[1.0, 0.0]).unwrap();
        assert_eq!(embed(&mut index, FactId(2), &[f32::NAN; 3]), Err(VectorError::NotFinite));
        assert_eq!(embed(&mut index, FactId(2), &[]), Err(VectorError::Empty));
        assert_eq!((missing(&index), index.dimensions()), (vec![FactId(2), FactId(3)], Some(2)));
    }

    #[test]
    fn a_removed_fact_no_longer_counts() {
        let mut index = three();
        let before = index.approx_bytes();
        index.upsert(Arc::new(critical_fact(FactId(4), "allergy", &"long ".repeat(100), "allergy")));
        embed(&mut index, FactId(4), &[1.0, 0.0]).unwrap();
        assert!(index.approx_bytes() > before + 500);
        index.remove(FactId(4));
        let critical = ["allergy".to_owned()];
        let rule = ContextRule { limit: 1, critical_categories: &critical, critical_budget: 0 };
        assert_eq!(index.choose("allergy", Some(&[1.0, 0.0]), &rule).unwrap().len(), 1);
        (1..=3).for_each(|id| index.remove(FactId(id)));
        assert!(index.is_empty() && index.fact_bytes == 0);
    }

    #[test]
    fn words_that_facts_share_count_once() {
        let text: Arc<str> = "long words ".repeat(1000).into();
        let mut index = SpaceIndex::new();
        for id in (1..=64).map(FactId) {
            index.upsert(Arc::new(Fact { text: text.clone(), ..fact(id, "s", "v") }));
        }
        let bytes = index.approx_bytes();
        assert!((text.len()..text.len() * 6).contains(&bytes), "{bytes}");
        index.upsert(Arc::new(Fact { text, confidence: 0.5, ..fact(FactId(1), "s", "v") }));
        assert_eq!(index.approx_bytes(), bytes);
        (1..=64).for_each(|id| index.remove(FactId(id)));
        assert_eq!((index.fact_bytes, index.shared_texts.len()), (0, 0));
    }

    #[test]
    fn unspaced_scripts_and_identifiers_are_found() {
        let mut index = three();
        index.upsert(Arc::new(fact(FactId(4), "好きな食べ物", "カレーライス")));
        index.upsert(Arc::new(fact(FactId(5), "db.maxPoolSize", "64")));
        index.upsert(Arc::new(fact(FactId(6), "고양이 이름", "나비")));
        assert_eq!(found_by_words(&index, "カレーは好きですか"), [FactId(4)]);
        assert_eq!(found_by_words(&index, "what is the pool size?"), [FactId(5)]);
        assert_eq!(found_by_words(&index, "고양이의 이름은?"), [FactId(6)]);
    }
}
