/* 3x3 convolutions of channels-last bfloat16 images and their gradients by Winograd's method
 * F(m x m, 3 x 3) (Lavin and Gray 2016) for processors with AVX-512 BF16; m is OUT.
 *
 * An image is cut into tiles of OUT x OUT outputs, each with the TILE x TILE inputs it depends
 * on, with zeros around the board. With d a tile of one input channel and g a filter,
 *
 *     outputs = A^T [(G g G^T) * (B^T d B)] A,
 *
 * so that the sum over channels becomes a matrix product for each of the TILE^2 points. The
 * gradient of the filters is G^T [sum over tiles (B^T d B) * (A e A^T)] G, e the gradients of
 * a tile's outputs. What goes into products is rounded to bfloat16, sums are single precision.
 *
 * Channels are multiples of 16. winograd.py compiles this file for both values of OUT. */

#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* BLOCK transformed tiles fit into the second-level cache next to the filters. CHANNELS is the
 * maximum number of channels. */
enum { TILE = OUT + 2, POINTS = TILE * TILE, LANES = 16, ROWS = 4, BLOCK = 48, CHANNELS = 1024 };

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")

/* Distance between the points of a block's tiles, in numbers. One cache line is added: points at a
 * distance of whole pages would share a few lines of the cache. */
#define STRIDE(channels) ((long)BLOCK * (channels) + 32)

typedef struct {
    int images, height, width;
} Boards;

/* One dimension of the transforms. The matrices come from polynomials evaluated at 0, P, -P, Q (for
 * tiles of four also -Q) and infinity. Row k of B^T has the coefficients of the product of x - r
 * over all finite points r except the k-th (the last row: over all of them). Column k of A^T has the
 * powers of point k. G has these powers over the product of the differences from the other points.
 * Terms that P and -P share are computed once. Of the points tried, these lose least by rounding:
 * the error of the outputs is 1 % of their standard deviation. */
#define V(x) _mm512_set1_ps(x)
#define PLUS(a, b) _mm512_add_ps(a, b)
#define MINUS(a, b) _mm512_sub_ps(a, b)
#define TIMES(a, f) _mm512_mul_ps(a, V(f))
#define PLUS_TIMES(a, b, f) _mm512_fmadd_ps(b, V(f), a)

#if OUT == 3
#define P 0.75f
#define Q 1.5f
#define N1 (2 * P * P * (P - Q))
#define N2 (2 * P * P * (P + Q))
#define N3 (Q * (Q * Q - P * P))
static const float G[TILE][3] = {{1 / (P * P * Q), 0, 0},
                                 {1 / N1, P / N1, P * P / N1},
                                 {-1 / N2, P / N2, -P * P / N2},
                                 {1 / N3, Q / N3, Q * Q / N3},
                                 {0, 0, 1}};

/* B^T d */
INLINE void input_line(__m512 o[TILE], const __m512 d[TILE]) {
    __m512 p = PLUS_TIMES(d[3], d[2], -Q), q = PLUS_TIMES(d[2], d[1], -Q);
    o[0] = PLUS_TIMES(p, PLUS_TIMES(d[1], d[0], -Q), -P * P);
    o[1] = PLUS_TIMES(p, q, P);
    o[2] = PLUS_TIMES(p, q, -P);
    o[3] = PLUS_TIMES(d[3], d[1], -P * P);
    o[4] = PLUS_TIMES(PLUS_TIMES(d[4], d[3], -Q), q, -P * P);
}

/* A^T m */
INLINE void output_line(__m512 o[OUT], const __m512 m[TILE]) {
    __m512 s = PLUS(m[1], m[2]), d = MINUS(m[1], m[2]);
    o[0] = PLUS(PLUS(m[0], m[3]), s);
    o[1] = PLUS_TIMES(TIMES(d, P), m[3], Q);
    o[2] = PLUS_TIMES(PLUS_TIMES(m[4], s, P * P), m[3], Q * Q);
}

/* A e */
INLINE void gradient_line(__m512 o[TILE], const __m512 e[OUT]) {
    __m512 t = PLUS_TIMES(e[0], e[2], P * P);
    o[0] = e[0];
    o[1] = PLUS_TIMES(t, e[1], P);
    o[2] = PLUS_TIMES(t, e[1], -P);
    o[3] = PLUS_TIMES(PLUS_TIMES(e[0], e[1], Q), e[2], Q * Q);
    o[4] = e[2];
}
#elif OUT == 4
#define P 0.625f
#define Q 1.25f
#define N1 (2 * P * P * (P * P - Q * Q))
#define N2 (2 * Q * Q * (Q * Q - P * P))
static const float G[TILE][3] = {{1 / (P * P * Q * Q), 0, 0},
                                 {1 / N1, P / N1, P * P / N1},
                                 {1 / N1, -P / N1, P * P / N1},
                                 {1 / N2, Q / N2, Q * Q / N2},
                                 {1 / N2, -Q / N2, Q * Q / N2},
                                 {0, 0, 1}};

INLINE void input_line(__m512 o[TILE], const __m512 d[TILE]) {
    __m512 p = PLUS_TIMES(d[4], d[2], -Q * Q), q = PLUS_TIMES(d[3], d[1], -Q * Q);
    __m512 r = PLUS_TIMES(d[4], d[2], -P * P), t = PLUS_TIMES(d[3], d[1], -P * P);
    o[0] = PLUS_TIMES(PLUS_TIMES(d[4], d[2], -P * P - Q * Q), d[0], P * P * Q * Q);
    o[1] = PLUS_TIMES(p, q, P);
    o[2] = PLUS_TIMES(p, q, -P);
    o[3] = PLUS_TIMES(r, t, Q);
    o[4] = PLUS_TIMES(r, t, -Q);
    o[5] = PLUS_TIMES(PLUS_TIMES(d[5], d[3], -P * P - Q * Q), d[1], P * P * Q * Q);
}

INLINE void output_line(__m512 o[OUT], const __m512 m[TILE]) {
    __m512 s = PLUS(m[1], m[2]), d = MINUS(m[1], m[2]);
    __m512 t = PLUS(m[3], m[4]), e = MINUS(m[3], m[4]);
    o[0] = PLUS(m[0], PLUS(s, t));
    o[1] = PLUS_TIMES(TIMES(d, P), e, Q);
    o[2] = PLUS_TIMES(TIMES(s, P * P), t, Q * Q);
    o[3] = PLUS_TIMES(PLUS_TIMES(m[5], d, P * P * P), e, Q * Q * Q);
}

INLINE void gradient_line(__m512 o[TILE], const __m512 e[OUT]) {
    __m512 p = PLUS_TIMES(e[0], e[2], P * P), q = PLUS_TIMES(TIMES(e[1], P), e[3], P * P * P);
    __m512 r = PLUS_TIMES(e[0], e[2], Q * Q), t = PLUS_TIMES(TIMES(e[1], Q), e[3], Q * Q * Q);
    o[0] = e[0];
    o[1] = PLUS(p, q);
    o[2] = MINUS(p, q);
    o[3] = PLUS(r, t);
    o[4] = MINUS(r, t);
    o[5] = e[3];
}
#endif

INLINE __m512 widened(__m256i x) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}

/* Both dimensions, columns first: GET(y, x) reads a point, PUT(i, j, v) takes one. */
#define TRANSFORM(line, TO, FROM, GET, PUT)                                                        \
    do {                                                                                           \
        __m512 half[TO][FROM];                                                                     \
        UNROLL for (int x = 0; x < FROM; x++) {                                                    \
            __m512 in[FROM], out[TO];                                                              \
            UNROLL for (int y = 0; y < FROM; y++) in[y] = GET(y, x);                               \
            line(out, in);                                                                         \
            UNROLL for (int i = 0; i < TO; i++) half[i][x] = out[i];                               \
        }                                                                                          \
        for (int i = 0; i < TO; i++) {                                                             \
            __m512 out[TO];                                                                        \
            line(out, half[i]);                                                                    \
            UNROLL for (int j = 0; j < TO; j++) PUT(i, j, out[j]);                                 \
        }                                                                                          \
    } while (0)

INLINE __m256i rounded(__m512 x) { return (__m256i)_mm512_cvtneps_pbh(x); }

static long tiles_of(Boards b) {
    return (long)b.images * ((b.width + OUT - 1) / OUT) * ((b.height + OUT - 1) / OUT);
}

/* Addresses of the `side` x `side` points of a tile in an image of `channels` channels. The first
 * point is `shift` rows and columns before the tile's outputs. Points off the board get
 * `elsewhere`. */
INLINE void points_of(uint16_t **at, int side, int shift, Boards b, int channels, long tile,
                      const uint16_t *images, uint16_t *elsewhere) {
    int across = (b.width + OUT - 1) / OUT, down = (b.height + OUT - 1) / OUT;
    long image = tile / (across * down);
    int top = tile / across % down * OUT - shift, left = tile % across * OUT - shift;
    for (int y = top; y < top + side; y++)
        for (int x = left; x < left + side; x++, at++) {
            int on = y >= 0 && y < b.height && x >= 0 && x < b.width;
            long point = (image * b.height + y) * b.width + x;
            *at = on ? (uint16_t *)images + point * channels : elsewhere;
        }
}

/* Points off the board: zeros to read, and room for unused outputs. */
static uint16_t nothing[CHANNELS];
static __thread uint16_t sink[CHANNELS];

/* Transform filters [outputs][inputs][3][3] to [POINTS][inputs / 2][outputs][2]. For the gradient
 * of the inputs (`backward`) they are rotated by 180 degrees and inputs and outputs are
 * exchanged. */
static void transform_filters(const float *filters, int inputs, int outputs, int backward,
                              uint16_t *to) {
    for (int o = 0; o < outputs; o++)
        for (int c = 0; c < inputs; c++) {
            long filter = backward ? (long)c * outputs + o : (long)o * inputs + c;
            const float *g = filters + filter * 9;
            float half[TILE][3];
            for (int i = 0; i < TILE; i++)
                for (int x = 0; x < 3; x++) {
                    half[i][x] = 0.0f;
                    for (int y = 0; y < 3; y++)
                        half[i][x] += G[i][y] * (backward ? g[8 - y * 3 - x] : g[y * 3 + x]);
                }
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < TILE; j++) {
                    float s = 0.0f;
                    for (int x = 0; x < 3; x++) s += half[i][x] * G[j][x];
                    __m128bh b = _mm_cvtneps_pbh(_mm_set1_ps(s));
                    long pair = ((long)(i * TILE + j) * (inputs / 2) + c / 2) * outputs + o;
                    memcpy(to + pair * 2 + c % 2, &b, 2);
                }
        }
}

/* ROWS rows of a product: sums[r][16 columns] of pairs a[r][k] with b[k][column]. `WIDE`
 * vectors of columns at once. */
#define PRODUCT(WIDE)                                                                              \
    static void product##WIDE(const uint32_t *a, long a_row, long a_step, const uint16_t *b,       \
                              long b_step, int steps, float *c, long c_row, int add) {             \
        __m512 s[ROWS][WIDE];                                                                      \
        UNROLL for (int r = 0; r < ROWS; r++)                                                      \
            UNROLL for (int w = 0; w < WIDE; w++)                                                  \
                s[r][w] = add ? _mm512_loadu_ps(c + r * c_row + w * LANES) : _mm512_setzero_ps();  \
        for (int k = 0; k < steps; k++) {                                                          \
            __m512bh v[WIDE];                                                                      \
            UNROLL for (int w = 0; w < WIDE; w++)                                                  \
                v[w] = (__m512bh)_mm512_loadu_si512(b + k * b_step + w * 2 * LANES);               \
            UNROLL for (int r = 0; r < ROWS; r++) {                                                \
                __m512bh x = (__m512bh)_mm512_set1_epi32(a[r * a_row + k * a_step]);               \
                UNROLL for (int w = 0; w < WIDE; w++)                                              \
                    s[r][w] = _mm512_dpbf16_ps(s[r][w], x, v[w]);                                  \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int r = 0; r < ROWS; r++)                                                      \
            UNROLL for (int w = 0; w < WIDE; w++)                                                  \
                _mm512_storeu_ps(c + r * c_row + w * LANES, s[r][w]);                              \
    }
PRODUCT(4)
PRODUCT(1)

/* c[rows][columns] (+)= a[row][k] b[k][column], in pairs of bfloat16. */
static void product(const uint32_t *a, long a_row, long a_step, const uint16_t *b, int steps,
                    int rows, int columns, float *c, int add) {
    for (int r = 0; r < rows; r += ROWS) {
        int o = 0;
        for (; o + 4 * LANES <= columns; o += 4 * LANES)
            product4(a + r * a_row, a_row, a_step, b + 2 * o, 2 * columns, steps,
                     c + (long)r * columns + o, columns, add);
        for (; o < columns; o += LANES)
            product1(a + r * a_row, a_row, a_step, b + 2 * o, 2 * columns, steps,
                     c + (long)r * columns + o, columns, add);
    }
}

/* Convolve the tiles from `begin` to `end` of the images `of` [images][height][width][inputs] with
 * transformed filters, into `to` [images][height][width][outputs]. `work` has
 * POINTS * (STRIDE(inputs) * 2 + STRIDE(outputs) * 4) bytes. */
INLINE void convolved(const uint16_t *of, Boards b, int inputs, int outputs,
                      const uint16_t *filters, uint16_t *to, char *work, long begin, long end) {
    uint16_t *v = (uint16_t *)work, *at[POINTS];
    float *m = (float *)(work + POINTS * STRIDE(inputs) * 2);
    for (long first = begin; first < end; first += BLOCK) {
        int count = end - first < BLOCK ? end - first : BLOCK;
        for (int t = 0; t < count; t++) {
            points_of(at, TILE, 1, b, inputs, first + t, of, nothing);
            for (int c = 0; c < inputs; c += LANES) {
#define GET(y, x) widened(_mm256_loadu_si256((const __m256i *)(at[(y) * TILE + (x)] + c)))
#define PUT(i, j, s)                                                                               \
    _mm256_storeu_si256(                                                                           \
        (__m256i *)(v + ((i) * TILE + (j)) * STRIDE(inputs) + t * inputs + c), rounded(s))
                TRANSFORM(input_line, TILE, TILE, GET, PUT);
#undef GET
#undef PUT
            }
        }
        int rows = (count + ROWS - 1) / ROWS * ROWS;
        for (int q = 0; q < POINTS; q++)
            product((uint32_t *)(v + q * STRIDE(inputs)), inputs / 2, 1,
                    filters + (long)q * inputs * outputs, inputs / 2, rows, outputs,
                    m + q * STRIDE(outputs), 0);
        for (int t = 0; t < count; t++) {
            points_of(at, OUT, 0, b, outputs, first + t, to, sink);
            for (int o = 0; o < outputs; o += LANES) {
#define GET(y, x) _mm512_loadu_ps(m + ((y) * TILE + (x)) * STRIDE(outputs) + t * outputs + o)
#define PUT(i, j, s) _mm256_storeu_si256((__m256i *)(at[(i) * OUT + (j)] + o), rounded(s))
                TRANSFORM(output_line, OUT, TILE, GET, PUT);
#undef GET
#undef PUT
            }
        }
    }
}

/* Transform `side` x `side` points of pairs of tiles to [POINTS][pair][channels][2]. A tile after
 * the last one is zero. */
#define PAIRS(NAME, side, line, shift)                                                             \
    INLINE void NAME(const uint16_t *of, Boards b, int channels, long first, int count,            \
                     uint16_t *to) {                                                               \
        for (int t = 0; t < count; t += 2) {                                                       \
            uint16_t *at[2][side * side];                                                          \
            points_of(at[0], side, shift, b, channels, first + t, of, nothing);                    \
            if (t + 1 < count)                                                                     \
                points_of(at[1], side, shift, b, channels, first + t + 1, of, nothing);            \
            else                                                                                   \
                for (int i = 0; i < side * side; i++) at[1][i] = nothing;                          \
            for (int c = 0; c < channels; c += LANES) {                                            \
                __m256i one[TILE][TILE];                                                           \
                TRANSFORM(line, TILE, side, GET_ONE, PUT_ONE);                                     \
                TRANSFORM(line, TILE, side, GET_TWO, PUT_PAIR);                                    \
            }                                                                                      \
        }                                                                                          \
    }
#define GET_TILE(k, y, x, side)                                                                    \
    widened(_mm256_loadu_si256((const __m256i *)(at[k][(y) * side + (x)] + c)))
#define PUT_ONE(i, j, s) one[i][j] = rounded(s)
#define PUT_PAIR(i, j, s)                                                                          \
    _mm512_storeu_si512(                                                                           \
        to + ((i) * TILE + (j)) * STRIDE(channels) + (t / 2 * channels + c) * 2,                   \
        _mm512_or_si512(_mm512_cvtepu16_epi32(one[i][j]),                                          \
                        _mm512_slli_epi32(_mm512_cvtepu16_epi32(rounded(s)), 16)))
#define GET_ONE(y, x) GET_TILE(0, y, x, TILE)
#define GET_TWO(y, x) GET_TILE(1, y, x, TILE)
PAIRS(pairs_of_inputs, TILE, input_line, 1)
#undef GET_ONE
#undef GET_TWO
#define GET_ONE(y, x) GET_TILE(0, y, x, OUT)
#define GET_TWO(y, x) GET_TILE(1, y, x, OUT)
PAIRS(pairs_of_gradients, OUT, gradient_line, 0)

/* Add the contribution of these tiles to the gradient of the transformed filters, `sums`
 * [POINTS][inputs][outputs]. */
INLINE void gathered(const uint16_t *of, const uint16_t *gradients, Boards b, int inputs,
                     int outputs, float *sums, char *work, long begin, long end) {
    uint16_t *v = (uint16_t *)work;
    uint16_t *e = (uint16_t *)(work + POINTS * STRIDE(inputs) * 2);
    for (long first = begin; first < end; first += BLOCK) {
        int count = end - first < BLOCK ? end - first : BLOCK;
        pairs_of_inputs(of, b, inputs, first, count, v);
        pairs_of_gradients(gradients, b, outputs, first, count, e);
        for (int q = 0; q < POINTS; q++)
            product((uint32_t *)(v + q * STRIDE(inputs)), 1, inputs,
                    e + q * STRIDE(outputs), (count + 1) / 2, inputs, outputs,
                    sums + (long)q * inputs * outputs, 1);
    }
}

/* Both functions, for common numbers of channels known at compile time and for any others. */
#define EACH(CALL)                                                                                 \
    if (inputs == 64 && outputs == 64)                                                             \
        CALL(64, 64);                                                                              \
    else                                                                                           \
        CALL(inputs, outputs);

static void convolved_any(const uint16_t *of, Boards b, int inputs, int outputs,
                          const uint16_t *filters, uint16_t *to, char *work, long begin,
                          long end) {
#define CALL(I, O) convolved(of, b, I, O, filters, to, work, begin, end)
    EACH(CALL)
#undef CALL
}

static void gathered_any(const uint16_t *of, const uint16_t *gradients, Boards b, int inputs,
                         int outputs, float *sums, char *work, long begin, long end) {
#define CALL(I, O) gathered(of, gradients, b, I, O, sums, work, begin, end)
    EACH(CALL)
#undef CALL
}

static long share(long all, int part, int parts) { return all * part / parts; }

/* to [images][height][width][outputs] = the images `of` [..][inputs] convolved with filters
 * [outputs][inputs][3][3]; With `backward`, filters are [inputs][outputs][3][3] and
 * rotated: this gives the gradient of the inputs for gradients `of`. Returns 0, or 1 if memory is
 * short. */
int convolve(const uint16_t *of, const float *filters, uint16_t *to, int images, int height,
             int width, int inputs, int outputs, int backward, int threads) {
    Boards b = {images, height, width};
    long room = POINTS * (STRIDE(inputs) * 2 + STRIDE(outputs) * 4);
    uint16_t *transformed = malloc((long)POINTS * inputs * outputs * 2);
    char *work = aligned_alloc(64, room * threads);
    int failed = !transformed || !work;
    if (!failed) {
        transform_filters(filters, inputs, outputs, backward, transformed);
#pragma omp parallel for num_threads(threads)
        for (int i = 0; i < threads; i++)
            convolved_any(of, b, inputs, outputs, transformed, to, work + room * i,
                      share(tiles_of(b), i, threads), share(tiles_of(b), i + 1, threads));
    }
    free(transformed);
    free(work);
    return failed;
}

/* to [outputs][inputs][3][3] = the gradient of the filters for images `of` and gradients of the
 * outputs. Returns 0, or 1 if memory is short. */
int filters_gradient(const uint16_t *of, const uint16_t *gradients, float *to, int images,
                     int height, int width, int inputs, int outputs, int threads) {
    Boards b = {images, height, width};
    long room = POINTS * (STRIDE(inputs) + STRIDE(outputs)) * 2;
    long area = (long)POINTS * inputs * outputs;
    float *sums = calloc(area * threads, sizeof(float));
    char *work = aligned_alloc(64, room * threads);
    int failed = !sums || !work;
    if (!failed) {
#pragma omp parallel for num_threads(threads)
        for (int i = 0; i < threads; i++)
            gathered_any(of, gradients, b, inputs, outputs, sums + area * i, work + room * i,
                     share(tiles_of(b), i, threads), share(tiles_of(b), i + 1, threads));
        for (int i = 1; i < threads; i++)
            for (long k = 0; k < area; k++) sums[k] += sums[area * i + k];
        for (int c = 0; c < inputs; c++)
            for (int o = 0; o < outputs; o++) {
                float half[3][TILE];
                for (int y = 0; y < 3; y++)
                    for (int j = 0; j < TILE; j++) {
                        half[y][j] = 0.0f;
                        for (int i = 0; i < TILE; i++) {
                            long point = i * TILE + j;
                            half[y][j] += G[i][y] * sums[(point * inputs + c) * outputs + o];
                        }
                    }
                for (int y = 0; y < 3; y++)
                    for (int x = 0; x < 3; x++) {
                        float s = 0.0f;
                        for (int j = 0; j < TILE; j++) s += half[y][j] * G[j][x];
                        to[((long)o * inputs + c) * 9 + y * 3 + x] = s;
                    }
            }
    }
    free(sums);
    free(work);
    return failed;
}
