//! What happens to the outputs of a layer while they are still in registers.

use super::lanes::Lanes;
use crate::net::Activation;
use std::marker::PhantomData;

/// Where the points of a board lie in a buffer, in points.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Of each point, rows of the board one after the other.
    pub(super) at: Vec<u32>,
    /// One more than the largest.
    pub(super) end: usize,
}

impl Rows {
    /// The points as they come.
    pub fn dense(area: usize) -> Rows {
        Rows {
            at: (0..area as u32).collect(),
            end: area,
        }
    }

    /// The points of a board of `size` (columns, rows) within rows of `pitch`
    /// points and a border.
    pub fn padded(size: (usize, usize), pitch: usize, border: usize) -> Rows {
        let at = |i: usize| (i / size.0 + border) * pitch + i % size.0 + border;
        let at: Vec<u32> = (0..size.0 * size.1).map(|i| at(i) as u32).collect();
        let end = at.last().map_or(0, |&last| last as usize + 1);
        Rows { at, end }
    }
}

/// A scale and a bias for each channel, and an activation.
#[derive(Clone, Copy, Debug)]
pub struct Affine<'a> {
    /// By channel, padded.
    pub scale: &'a [f32],
    /// By channel, padded.
    pub bias: &'a [f32],
    /// What comes after.
    pub activation: Activation,
}

/// Add to a trunk or store in it, and write what the next layer needs.
pub struct Finish<'a> {
    /// Channels, padded.
    pub(super) channels: usize,
    area: usize,
    trunk: *mut f32,
    add: bool,
    scale: *const f32,
    bias: *const f32,
    activation: Activation,
    out: *mut f32,
    rows: *const u32,
    life: PhantomData<(&'a mut f32, &'a u32)>,
}

impl<'a> Finish<'a> {
    /// For outputs of so many channels, padded, on a board of so many points.
    ///
    /// `trunk`, points one after the other, takes the outputs, or their sum with
    /// what it holds if told to add. `then` is applied to that, and the result
    /// written to a buffer at the given rows.
    ///
    /// # Panics
    /// If a slice is too short.
    pub fn new(
        channels: usize,
        area: usize,
        trunk: Option<(&'a mut [f32], bool)>,
        then: Option<(Affine<'a>, &'a mut [f32], &'a Rows)>,
    ) -> Finish<'a> {
        let mut finish = Finish {
            channels,
            area,
            trunk: std::ptr::null_mut(),
            add: false,
            scale: std::ptr::null(),
            bias: std::ptr::null(),
            activation: Activation::Identity,
            out: std::ptr::null_mut(),
            rows: std::ptr::null(),
            life: PhantomData,
        };
        if let Some((trunk, add)) = trunk {
            assert!(trunk.len() >= area * channels);
            finish.trunk = trunk.as_mut_ptr();
            finish.add = add;
        }
        if let Some((affine, out, rows)) = then {
            assert!(affine.scale.len() >= channels && affine.bias.len() >= channels);
            assert!(rows.at.len() >= area && out.len() >= rows.end * channels);
            finish.scale = affine.scale.as_ptr();
            finish.bias = affine.bias.as_ptr();
            finish.activation = affine.activation;
            finish.out = out.as_mut_ptr();
            finish.rows = rows.at.as_ptr();
        }
        finish
    }

    pub(super) fn activation(&self) -> Activation {
        self.activation
    }

    /// The number of points.
    pub(super) fn area(&self) -> usize {
        self.area
    }

    /// A vector of outputs from channel `c` of a point.
    ///
    /// # Safety
    /// The point is on the board, the channels exist, and `ACT` is the activation.
    #[inline(always)]
    pub(super) unsafe fn point<V: Lanes, const ACT: usize>(&self, point: usize, c: usize, v: V) {
        // SAFETY: `new` has checked the lengths.
        unsafe {
            let mut v = v;
            if !self.trunk.is_null() {
                let p = self.trunk.add(point * self.channels + c);
                if self.add {
                    v = v.add(V::load(p));
                }
                v.store(p);
            }
            if !self.out.is_null() {
                let scale = V::load(self.scale.add(c));
                let bias = V::load(self.bias.add(c));
                let row = *self.rows.add(point) as usize;
                let v = v.mul_add(scale, bias).activate(kind::<ACT>());
                v.store(self.out.add(row * self.channels + c));
            }
        }
    }
}

/// Run the body with a constant that is the number of an activation: loops are
/// compiled for each.
macro_rules! for_activation {
    ($activation:expr, $act:ident => $body:expr) => {{
        use crate::net::Activation;
        match $activation {
            Activation::Identity => {
                const $act: usize = Activation::Identity as usize;
                $body
            }
            Activation::Relu => {
                const $act: usize = Activation::Relu as usize;
                $body
            }
            Activation::Mish => {
                const $act: usize = Activation::Mish as usize;
                $body
            }
            Activation::Silu => {
                const $act: usize = Activation::Silu as usize;
                $body
            }
        }
    }};
}
pub(super) use for_activation;

/// The activation of a number.
const fn kind<const ACT: usize>() -> Activation {
    match ACT {
        0 => Activation::Identity,
        1 => Activation::Relu,
        2 => Activation::Mish,
        _ => Activation::Silu,
    }
}

/// Finish outputs that lie in rows of `stride` numbers.
///
/// # Safety
/// There is a row for each point with the finish's channels.
#[inline(always)]
pub unsafe fn finish<V: Lanes>(outputs: *const f32, stride: usize, finish: &Finish<'_>) {
    for_activation!(finish.activation, ACT => {
        for point in 0..finish.area {
            for c in (0..finish.channels).step_by(V::N) {
                // SAFETY: see above.
                unsafe {
                    let v = V::load(outputs.add(point * stride + c));
                    finish.point::<V, ACT>(point, c, v);
                }
            }
        }
    });
}

/// Sum rows of weights for each point.
///
/// # Safety
/// The rows of the lists exist; `ends` has an end within the lists for each point.
#[inline(always)]
pub unsafe fn gather<V: Lanes>(
    first: *const f32,
    weights: *const f32,
    lists: &[u32],
    ends: &[u32],
    finish: &Finish<'_>,
) {
    let mut begin = 0;
    for (point, &end) in ends.iter().enumerate() {
        // SAFETY: see above.
        unsafe {
            let rows = lists.get_unchecked(begin..end as usize);
            begin = end as usize;
            for c in (0..finish.channels).step_by(V::N) {
                let mut sum = V::load(first.add(c));
                for &row in rows {
                    sum = sum.add(V::load(weights.add(row as usize * finish.channels + c)));
                }
                for_activation!(finish.activation, ACT => {
                    finish.point::<V, ACT>(point, c, sum);
                });
            }
        }
    }
}

/// Sum and maximum of each channel over all points.
///
/// # Safety
/// `area` points of `channels` numbers; room for `channels` sums and maxima.
#[inline(always)]
pub unsafe fn pool<V: Lanes>(
    input: *const f32,
    area: usize,
    channels: usize,
    sum: *mut f32,
    max: *mut f32,
) {
    for c in (0..channels).step_by(V::N) {
        // SAFETY: see above.
        unsafe {
            let mut s = V::splat(0.0);
            let mut m = V::load(input.add(c));
            for point in 0..area {
                let v = V::load(input.add(point * channels + c));
                s = s.add(v);
                m = m.max(v);
            }
            s.store(sum.add(c));
            m.store(max.add(c));
        }
    }
}
