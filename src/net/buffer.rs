//! Memory that is used again and only grows.

/// The beginning of a buffer, which is made at least this long.
pub(super) fn grown<T: Clone + Default>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    if buffer.len() < len {
        buffer.resize(len, T::default());
    }
    &mut buffer[..len]
}

/// Bytes of a line of the processor's cache.
const LINE: usize = 64;

/// What of a buffer begins with a line of the cache.
pub(super) fn aligned(buffer: &[f32]) -> &[f32] {
    &buffer[buffer.as_ptr().align_offset(LINE)..]
}

/// So much of a buffer, from the beginning of a line of the cache on; it is made long enough.
pub(super) fn aligned_mut(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    grown(buffer, len + LINE / size_of::<f32>());
    let at = buffer.as_ptr().align_offset(LINE);
    &mut buffer[at..at + len]
}
