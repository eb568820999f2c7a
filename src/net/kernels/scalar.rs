//! Plain versions of the kernels, which the fast ones must agree with.

use crate::net::Activation;

/// Apply an activation.
pub fn activate(x: f32, kind: Activation) -> f32 {
    match kind {
        Activation::Identity => x,
        Activation::Relu => x.max(0.0),
        Activation::Mish => x * x.exp().ln_1p().tanh(),
        Activation::Silu => x / (1.0 + (-x).exp()),
    }
}

/// Compute `out[r][o] = Σᵢ a[r][i] · b[i][o]`, without padding.
pub fn multiply(rows: usize, inputs: usize, outputs: usize, a: &[f32], b: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; rows * outputs];
    for r in 0..rows {
        for o in 0..outputs {
            let products =
                (0..inputs).map(|i| f64::from(a[r * inputs + i]) * f64::from(b[i * outputs + o]));
            out[r * outputs + o] = products.sum::<f64>() as f32;
        }
    }
    out
}

/// Convolve `input[y][x][i]` with `weights[y][x][i][o]`, with zeros around the
/// board. `size` and `filter` are (columns, rows).
pub fn convolve(
    size: (usize, usize),
    filter: (usize, usize),
    dilation: (usize, usize),
    channels: (usize, usize),
    input: &[f32],
    weights: &[f32],
) -> Vec<f32> {
    let (inputs, outputs) = channels;
    let mut out = vec![0.0; size.0 * size.1 * outputs];
    for (point, sums) in out.chunks_exact_mut(outputs).enumerate() {
        let (px, py) = (point % size.0, point / size.0);
        for fy in 0..filter.1 {
            for fx in 0..filter.0 {
                let x = (px + fx * dilation.0).checked_sub(filter.0 / 2 * dilation.0);
                let y = (py + fy * dilation.1).checked_sub(filter.1 / 2 * dilation.1);
                let (Some(x), Some(y)) = (x.filter(|&x| x < size.0), y.filter(|&y| y < size.1))
                else {
                    continue;
                };
                for i in 0..inputs {
                    let v = input[(y * size.0 + x) * inputs + i];
                    let row = ((fy * filter.0 + fx) * inputs + i) * outputs;
                    for (sum, w) in sums.iter_mut().zip(&weights[row..row + outputs]) {
                        *sum += v * w;
                    }
                }
            }
        }
    }
    out
}

/// Compute sum and maximum of each channel over all points of `input[point][channel]`.
pub fn pool(input: &[f32], channels: usize) -> (Vec<f32>, Vec<f32>) {
    let mut sum = vec![0.0; channels];
    let mut max = vec![f32::NEG_INFINITY; channels];
    for point in input.chunks_exact(channels) {
        for c in 0..channels {
            sum[c] += point[c];
            max[c] = max[c].max(point[c]);
        }
    }
    (sum, max)
}

/// Divide a row by its root mean square.
pub fn rms_norm(row: &[f32], epsilon: f32) -> Vec<f32> {
    let squares: f32 = row.iter().map(|x| x * x).sum();
    let root = (squares / row.len() as f32 + epsilon).sqrt();
    row.iter().map(|x| x / root).collect()
}

/// Turn scores into weights that sum to 1.
pub fn softmax(scores: &[f32]) -> Vec<f32> {
    let most = scores.iter().copied().fold(f32::MIN, f32::max);
    let powers: Vec<f32> = scores.iter().map(|s| (s - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|p| p / sum).collect()
}
