//! Where the things of a graph go in a picture: those that relate near each other, all others apart. The same graph always
//! gets the same picture.

use std::f64::consts::TAU;

const STEPS: usize = 150;

/// Places within 0 to 1 in both directions, for `count` things and the lines between them.
pub(crate) fn places(count: usize, lines: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let angle = |at: usize| at as f64 / count.max(1) as f64 * TAU;
    let mut places: Vec<(f64, f64)> = (0..count).map(|at| (angle(at).cos(), angle(at).sin())).collect();
    // The distance that things keep, if there is room for all of them.
    let apart = (4.0 / count.max(1) as f64).sqrt();
    for step in 0..STEPS {
        let heat = 0.2 * (1.0 - step as f64 / STEPS as f64);
        let mut moves = vec![(0.0, 0.0); count];
        for (at, place) in places.iter().enumerate() {
            for (_, other) in places.iter().enumerate().filter(|(other, _)| *other != at) {
                let (dx, dy, far) = between(*place, *other);
                add(&mut moves, at, (dx / far * apart * apart / far, dy / far * apart * apart / far));
            }
        }
        for (from, to) in lines.iter().filter(|(from, to)| from != to) {
            let (Some(a), Some(b)) = (places.get(*from), places.get(*to)) else { continue };
            let (dx, dy, far) = between(*a, *b);
            let pull = (dx / far * far * far / apart, dy / far * far * far / apart);
            add(&mut moves, *from, (-pull.0, -pull.1));
            add(&mut moves, *to, pull);
        }
        for (place, wanted) in places.iter_mut().zip(&moves) {
            let far = wanted.0.hypot(wanted.1).max(1e-9);
            let step = far.min(heat);
            // A weak pull to the middle keeps what relates to nothing else in the picture.
            place.0 = (place.0 + wanted.0 / far * step) * 0.995;
            place.1 = (place.1 + wanted.1 / far * step) * 0.995;
        }
    }
    within(&places)
}

fn between(a: (f64, f64), b: (f64, f64)) -> (f64, f64, f64) {
    let (dx, dy) = (a.0 - b.0, a.1 - b.1);
    (dx, dy, dx.hypot(dy).max(0.01))
}

fn add(moves: &mut [(f64, f64)], at: usize, by: (f64, f64)) {
    if let Some(moved) = moves.get_mut(at) {
        moved.0 += by.0;
        moved.1 += by.1;
    }
}

fn within(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ends = |of: fn(&(f64, f64)) -> f64| {
        let low = places.iter().map(of).fold(f64::INFINITY, f64::min);
        let high = places.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        (low, (high - low).max(1e-9))
    };
    let ((left, wide), (top, high)) = (ends(|p| p.0), ends(|p| p.1));
    places.iter().map(|(x, y)| ((x - left) / wide, (y - top) / high)).collect()
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn what_relates_is_nearer_than_what_does_not() {
        let places = places(4, &[(0, 1), (2, 3)]);
        let far = |a: usize, b: usize| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        assert!(far(0, 1) < far(0, 2) && far(0, 1) < far(1, 3));
        assert!(places.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)));
    }

    #[test]
    fn nothing_and_one_thing_have_a_place() {
        assert!(places(0, &[]).is_empty());
        assert!(places(1, &[(0, 0)]).iter().all(|(x, y)| x.is_finite() && y.is_finite()));
    }
}
