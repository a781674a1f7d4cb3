//! What frequent words mean, as vectors: words that are used alike lie near each other. The data and how it was made are
//! in `crates/model/vectors`. It is searched where it lies, so that it costs nothing until a word is looked up.

static DATA: &[u8] = include_bytes!("../../vectors/words.bin");

pub(super) const DIMENSIONS: usize = 64;
/// The data begins with how many words there are of each length.
const LENGTHS: usize = 32;
const HEADER: usize = 4 * LENGTHS;

#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    vector: &'static [u8],
    /// 0 for the most frequent words, about 200 for the rarest.
    pub rarity: u8,
}

impl Meaning {
    /// Of the word, or of its base form where the data leaves the form out.
    pub fn of(word: &str) -> Option<Self> {
        Self::exactly(word).or_else(|| base_forms(word).iter().find_map(|base| Self::exactly(base)))
    }

    pub fn exactly(word: &str) -> Option<Self> {
        let length = word.len();
        if length == 0 || length >= LENGTHS {
            return None;
        }
        let before: usize = (0..length).map(|n| count(n) * (n + 1 + DIMENSIONS)).sum();
        let words = DATA.get(HEADER + before..)?;
        let many = count(length);
        let at = search(words, length, many, word.as_bytes())?;
        let rarities = words.get(many * length..)?;
        let vectors = rarities.get(many..)?;
        Some(Self {
            rarity: *rarities.get(at)?,
            vector: vectors.get(at * DIMENSIONS..(at + 1) * DIMENSIONS)?,
        })
    }

    /// The cosine between the two: 1 for the same word, about 0 for words that have nothing to do with each other.
    pub fn near(&self, other: &Self) -> f32 {
        let product: f32 = self.numbers().zip(other.numbers()).map(|(a, b)| a * b).sum();
        let lengths = self.length() * other.length();
        if lengths > 0.0 { product / lengths } else { 0.0 }
    }

    pub fn numbers(&self) -> impl Iterator<Item = f32> + use<> {
        self.vector.iter().map(|byte| f32::from(byte.cast_signed()))
    }

    pub fn length(&self) -> f32 {
        self.numbers().map(|x| x * x).sum::<f32>().sqrt()
    }
}

/// How alike two words are used; nothing where one is not known.
pub(super) fn similarity(a: &str, b: &str) -> f32 {
    match (Meaning::of(a), Meaning::of(b)) {
        (Some(a), Some(b)) => a.near(&b),
        _ => 0.0,
    }
}

fn count(length: usize) -> usize {
    let bytes = DATA.get(4 * length..).and_then(|rest| rest.first_chunk::<4>());
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
}

/// The place of a word among sorted ones of its length.
fn search(words: &[u8], length: usize, many: usize, word: &[u8]) -> Option<usize> {
    let (mut low, mut high) = (0, many);
    while low < high {
        let middle = usize::midpoint(low, high);
        let found = words.get(middle * length..(middle + 1) * length)?;
        match found.cmp(word) {
            std::cmp::Ordering::Equal => return Some(middle),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    None
}

/// What the word may be a form of, the likeliest first.
fn base_forms(word: &str) -> Vec<String> {
    const ENDINGS: [(&str, &[&str]); 9] = [
        ("ies", &["y"]),
        ("es", &["", "e"]),
        ("s", &[""]),
        ("ied", &["y"]),
        ("ed", &["", "e"]),
        ("ing", &["", "e"]),
        ("ers", &["er", ""]),
        ("er", &["", "e"]),
        ("ly", &[""]),
    ];
    let mut bases = Vec::new();
    for (ending, instead) in ENDINGS {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() > 2) {
            bases.extend(instead.iter().map(|end| format!("{base}{end}")));
            // "stopped", "running": the letter that was doubled.
            if let [.., a, b] = base.as_bytes()
                && a == b
            {
                bases.extend(base.get(..base.len() - 1).map(str::to_owned));
            }
        }
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::{DATA, DIMENSIONS, HEADER, LENGTHS, Meaning, count, similarity};

    #[test]
    fn the_data_is_whole_and_sorted() {
        let size: usize = (0..LENGTHS).map(|n| count(n) * (n + 1 + DIMENSIONS)).sum();
        assert_eq!(HEADER + size, DATA.len());
        let mut at = HEADER;
        for length in 1..LENGTHS {
            let words: Vec<&[u8]> = DATA[at..at + length * count(length)].chunks(length).collect();
            assert!(words.is_sorted_by(|a, b| a < b), "words of {length} letters");
            let found = |word: &[u8]| Meaning::of(std::str::from_utf8(word).unwrap()).is_some();
            assert!(words.iter().all(|word| found(word)));
            at += count(length) * (length + 1 + DIMENSIONS);
        }
    }

    #[test]
    fn words_that_are_used_alike_are_near() {
        for (a, b, c) in [
            ("vehicle", "car", "soup"),
            ("medication", "regimen", "guitar"),
            ("salary", "income", "kitten"),
            ("tutor", "teach", "bicycle"),
        ] {
            assert!(similarity(a, b) > similarity(a, c) + 0.3, "{a} {b} {c}");
        }
        assert!((similarity("car", "car") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_form_that_is_left_out_is_found_by_its_base() {
        assert!((similarity("cars", "car") - 1.0).abs() < 1e-5);
        assert!(Meaning::of("invoicing").is_some());
        assert!(Meaning::of("qwxzv").is_none() && similarity("qwxzv", "car") == 0.0);
    }

    #[test]
    fn a_rare_word_is_known_to_be_rare() {
        let rarity = |word: &str| Meaning::of(word).unwrap().rarity;
        assert!(rarity("the") < rarity("table") && rarity("table") < rarity("workaround"));
    }
}
