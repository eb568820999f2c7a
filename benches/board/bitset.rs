//! The candidate that lost: exact liberty sets, one bit a point, for each chain.
//!
//! `W` words of 64 bits hold the points of a board with a stride of its own:
//! width + 1, one border column between rows. A chain's number of liberties is
//! the population count of its set; joining is a union, capture an empty set.

use ponnuki::types::{BoardSize, Color, Generator};

const EMPTY: u8 = 0;
const BORDER: u8 = 3;

#[derive(Clone)]
pub struct BitBoard<const W: usize> {
    stride: usize,
    stones: Vec<u8>,
    chain: Vec<u16>,
    next: Vec<u16>,
    length: Vec<u16>,
    liberties: Vec<[u64; W]>,
    empty: Vec<u16>,
    at: Vec<u16>,
    ko: usize,
}

impl<const W: usize> BitBoard<W> {
    pub fn new(size: BoardSize) -> Self {
        let stride = size.width() as usize + 1;
        let cells = stride * (size.height() as usize + 2) + 1;
        assert!(cells <= 64 * W);
        let mut b = BitBoard {
            stride,
            stones: vec![BORDER; cells],
            chain: vec![0; cells],
            next: vec![0; cells],
            length: vec![0; cells],
            liberties: vec![[0; W]; cells],
            empty: Vec::with_capacity(cells),
            at: vec![0; cells],
            ko: 0,
        };
        for y in 0..size.height() as usize {
            for x in 0..size.width() as usize {
                let p = (y + 1) * stride + x + 1;
                b.stones[p] = EMPTY;
                b.at[p] = b.empty.len() as u16;
                b.empty.push(p as u16);
            }
        }
        b
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.stones.copy_from_slice(&other.stones);
        self.chain.copy_from_slice(&other.chain);
        self.next.copy_from_slice(&other.next);
        self.length.copy_from_slice(&other.length);
        self.liberties.copy_from_slice(&other.liberties);
        self.at.copy_from_slice(&other.at);
        self.empty.clear();
        self.empty.extend_from_slice(&other.empty);
        self.ko = other.ko;
    }

    fn neighbours(&self, p: usize) -> [usize; 4] {
        [p - self.stride, p - 1, p + 1, p + self.stride]
    }

    fn count(set: &[u64; W]) -> u32 {
        set.iter().map(|w| w.count_ones()).sum()
    }

    fn is_eye(&self, p: usize, own: u8) -> bool {
        let ring = |q: usize| self.stones[q] == own || self.stones[q] == BORDER;
        if !self.neighbours(p).into_iter().all(ring) {
            return false;
        }
        let diagonals = [
            p - self.stride - 1,
            p - self.stride + 1,
            p + self.stride - 1,
            p + self.stride + 1,
        ];
        let theirs = diagonals
            .iter()
            .filter(|&&q| self.stones[q] == 3 - own)
            .count();
        let edge = diagonals.iter().any(|&q| self.stones[q] == BORDER);
        theirs + edge as usize <= 1
    }

    fn is_legal(&self, p: usize, own: u8) -> bool {
        if p == self.ko {
            return false;
        }
        self.neighbours(p)
            .into_iter()
            .any(|q| match self.stones[q] {
                EMPTY => true,
                BORDER => false,
                s => {
                    let several = Self::count(&self.liberties[self.chain[q] as usize]) > 1;
                    (s == own) == several
                }
            })
    }

    pub fn play(&mut self, color: Color, p: usize) {
        let own = color as u8;
        let (word, bit) = (p / 64, 1u64 << (p % 64));
        let surrounded = self
            .neighbours(p)
            .into_iter()
            .all(|q| self.stones[q] == 3 - own || self.stones[q] == BORDER);
        self.ko = 0;
        self.stones[p] = own;
        let last = self.empty.pop().unwrap_or(0);
        let at = self.at[p];
        if last as usize != p {
            self.empty[at as usize] = last;
            self.at[last as usize] = at;
        }
        let mut libs = [0; W];
        self.chain[p] = p as u16;
        self.next[p] = p as u16;
        self.length[p] = 1;
        for q in self.neighbours(p) {
            match self.stones[q] {
                EMPTY => libs[q / 64] |= 1 << (q % 64),
                BORDER => {}
                _ => self.liberties[self.chain[q] as usize][word] &= !bit,
            }
        }
        self.liberties[p] = libs;
        for q in self.neighbours(p) {
            if self.stones[q] == own && self.chain[q] != self.chain[p] {
                self.join(self.chain[p] as usize, self.chain[q] as usize);
            }
        }
        let mut captured = 0;
        let mut last = 0;
        for q in self.neighbours(p) {
            if self.stones[q] == 3 - own && self.liberties[self.chain[q] as usize] == [0; W] {
                // From the same stone as the other board, so that the lists of
                // empty points stay in the same order.
                last = q;
                captured += self.remove(self.chain[q] as usize);
            }
        }
        if captured == 1 && surrounded {
            self.ko = last;
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let (big, small) = if self.length[a] >= self.length[b] {
            (a, b)
        } else {
            (b, a)
        };
        let mut p = small;
        loop {
            self.chain[p] = big as u16;
            p = self.next[p] as usize;
            if p == small {
                break;
            }
        }
        self.next.swap(big, small);
        self.length[big] += self.length[small];
        let other = self.liberties[small];
        for (w, o) in self.liberties[big].iter_mut().zip(other) {
            *w |= o;
        }
    }

    fn remove(&mut self, start: usize) -> u32 {
        let mut p = start;
        let mut n = 0;
        loop {
            let next = self.next[p] as usize;
            self.stones[p] = EMPTY;
            self.at[p] = self.empty.len() as u16;
            self.empty.push(p as u16);
            for q in self.neighbours(p) {
                if matches!(self.stones[q], 1 | 2) {
                    self.liberties[self.chain[q] as usize][p / 64] |= 1 << (p % 64);
                }
            }
            n += 1;
            p = next;
            if p == start {
                return n;
            }
        }
    }

    /// A uniformly random playable point, chosen as in `Board::random_play`; 0 is a pass.
    pub fn random_play(&mut self, color: Color, rng: &mut Generator) -> usize {
        let mut left = self.empty.len() as u32;
        while left > 0 {
            let i = rng.below(left) as usize;
            let p = self.empty[i] as usize;
            if !self.is_eye(p, color as u8) && self.is_legal(p, color as u8) {
                return p;
            }
            left -= 1;
            let j = left as usize;
            let q = self.empty[j];
            self.empty[i] = q;
            self.empty[j] = p as u16;
            self.at[p] = j as u16;
            self.at[q as usize] = i as u16;
        }
        0
    }

    pub fn clear_ko(&mut self) {
        self.ko = 0;
    }

    /// Black stones less white ones.
    pub fn balance(&self) -> i32 {
        let count = |c: u8| self.stones.iter().filter(|&&s| s == c).count() as i32;
        count(1) - count(2)
    }
}
