//! Reusable memory that only grows.

/// Return the first `len` elements of a buffer, growing it if necessary.
pub(super) fn grown<T: Clone + Default>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    if buffer.len() < len {
        buffer.resize(len, T::default());
    }
    &mut buffer[..len]
}

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;

/// Return the part of a buffer that starts at its first cache line boundary.
pub(super) fn aligned(buffer: &[f32]) -> &[f32] {
    &buffer[buffer.as_ptr().align_offset(LINE)..]
}

/// Return `len` elements from the first cache line boundary on, growing the buffer if
/// necessary.
pub(super) fn aligned_mut(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    grown(buffer, len + LINE / size_of::<f32>());
    let at = buffer.as_ptr().align_offset(LINE);
    &mut buffer[at..at + len]
}
