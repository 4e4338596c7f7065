/* The local sampler in C: the yardstick of bench_update.py.
 *
 * The same moves, the same random numbers drawn in the same order and the same arrays as
 * driftlaw.inference.local, written the way one writes C: pointers, structs, static functions.
 * Rows of distances lie `capacity` apart, points stand in columns.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { WALK, JUMP, BIRTH, DEATH };
enum { REJECTED, ACCEPTED, IDLE };
enum { LOSS, LOG_LOCATION, LOG_STEP };

static const double PRIOR_SHARE = 0.5, WANTED_ACCEPTANCE = 0.35, ROUNDING = 1e-12;
static const double WALK_SHARE = 0.5, JUMP_SHARE = 0.2, RESIZE_SHARE = 0.3;

typedef struct {
    /* sizes */
    int64_t d, capacity, max_centers, n_burn, n_kept, n_configurations, anchor_room;
    /* target: rate, log q(k), uniform on a ball */
    double rate, radius, log_volume;
    const double *log_counts, *ball_center;
    /* window */
    const double *points;
    const int64_t *n;
    /* chain */
    int64_t *k;
    double *centers, *numbers, *distances, *nearest;
    uint64_t *random;
    double *trial_center, *trial_distances, *trial_nearest;
    double *anchors;
    /* record */
    int64_t *kept_k;
    double *kept_centers, *kept_loss, *kept_counts, *trace_k, *trace_loss;
    int64_t *tally;
} Sampler;

/* Where new centres come from during one update. */
typedef struct {
    int64_t n;
    double half_width;
} Arrival;

static inline uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next_word(uint64_t *s) {
    const uint64_t word = rotl(s[0] + s[3], 23) + s[0];
    const uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotl(s[3], 45);
    return word;
}

static inline double uniform(uint64_t *s) {
    return ((double)(next_word(s) >> 11) + 0.5) * 0x1.0p-53;
}

static inline int64_t below(uint64_t *s, int64_t n) {
    const int64_t i = (int64_t)(uniform(s) * (double)n);
    return i < n - 1 ? i : n - 1;
}

static void fill_normal(uint64_t *s, double *restrict out, int64_t d) {
    for (int64_t i = 0; i < d; i += 2) {
        double a, b, square;
        do {
            a = 2.0 * uniform(s) - 1.0;
            b = 2.0 * uniform(s) - 1.0;
            square = a * a + b * b;
        } while (square >= 1.0);
        const double factor = sqrt(-2.0 * log(square) / square);
        out[i] = a * factor;
        if (i + 1 < d) out[i + 1] = b * factor;
    }
}

static bool is_inside(const Sampler *p, const double *center) {
    double square = 0.0;
    for (int64_t a = 0; a < p->d; a++) {
        const double gap = center[a] - p->ball_center[a];
        square += gap * gap;
    }
    return square <= p->radius * p->radius;
}

static void draw_location(const Sampler *p, double *restrict out) {
    fill_normal(p->random, out, p->d);
    double square = 0.0;
    for (int64_t a = 0; a < p->d; a++) square += out[a] * out[a];
    const double factor = p->radius * pow(uniform(p->random), 1.0 / (double)p->d) / sqrt(square);
    for (int64_t a = 0; a < p->d; a++) out[a] = p->ball_center[a] + factor * out[a];
}

static void draw_arrival(const Sampler *p, const Arrival *arrival, double *restrict out) {
    if (uniform(p->random) < PRIOR_SHARE) {
        draw_location(p, out);
        return;
    }
    const int64_t s = below(p->random, arrival->n);
    for (int64_t a = 0; a < p->d; a++)
        out[a] = p->anchors[a * p->anchor_room + s] +
                 arrival->half_width * (2.0 * uniform(p->random) - 1.0);
}

/* Log-density of draw_arrival; center lies inside the ball. */
static double log_q_arrival(const Sampler *p, const Arrival *arrival, const double *center) {
    int64_t covering = 0;
    for (int64_t s = 0; s < arrival->n; s++) {
        double widest = 0.0;
        for (int64_t a = 0; a < p->d; a++)
            widest = fmax(widest, fabs(center[a] - p->anchors[a * p->anchor_room + s]));
        covering += widest <= arrival->half_width;
    }
    const double from_prior = log(PRIOR_SHARE) - p->log_volume;
    if (covering == 0) return from_prior;
    const double near = log((1.0 - PRIOR_SHARE) * (double)covering / (double)arrival->n) -
                        (double)p->d * log(2.0 * arrival->half_width);
    const double top = fmax(near, from_prior);
    return top + log(exp(near - top) + exp(from_prior - top));
}

static double move_probability(int move, int64_t k, int64_t max_centers) {
    double resize = 0.5 * RESIZE_SHARE;
    if (max_centers == 1)
        resize = 0.0;
    else if (k == 1 || k == max_centers)
        resize = RESIZE_SHARE;
    if (move == BIRTH) return k < max_centers ? resize : 0.0;
    if (move == DEATH) return k > 1 ? resize : 0.0;
    const double share = move == WALK ? WALK_SHARE : JUMP_SHARE;
    return max_centers > 1 ? share : share / (WALK_SHARE + JUMP_SHARE);
}

static int draw_move(const Sampler *p) {
    double u = uniform(p->random);
    for (int move = 0; move < DEATH; move++) {
        u -= move_probability(move, *p->k, p->max_centers);
        if (u < 0.0) return move;
    }
    return *p->k > 1 ? DEATH : WALK;
}

static double log_q_birth(const Sampler *p, const Arrival *arrival, const double *center,
                          int64_t k) {
    return log(move_probability(BIRTH, k, p->max_centers) / (double)(k + 1)) +
           log_q_arrival(p, arrival, center);
}

static double log_q_death(const Sampler *p, int64_t k) {
    return log(move_probability(DEATH, k, p->max_centers) / (double)k);
}

static void squared_distances(const Sampler *p, const double *center, double *restrict out) {
    const int64_t n = *p->n, d = p->d;
    const double *restrict points = p->points;
    if (d == 1) {
        const double x = center[0];
        for (int64_t s = 0; s < n; s++) out[s] = (points[s] - x) * (points[s] - x);
        return;
    }
    for (int64_t a = 0; a + 1 < d; a += 2) {
        const double x = center[a], y = center[a + 1];
        const double *restrict px = points + a * p->capacity, *restrict py = px + p->capacity;
        if (a == 0)
            for (int64_t s = 0; s < n; s++)
                out[s] = (px[s] - x) * (px[s] - x) + (py[s] - y) * (py[s] - y);
        else
            for (int64_t s = 0; s < n; s++)
                out[s] += (px[s] - x) * (px[s] - x) + (py[s] - y) * (py[s] - y);
    }
    if (d % 2 == 1) {
        const double x = center[d - 1];
        const double *restrict px = points + (d - 1) * p->capacity;
        for (int64_t s = 0; s < n; s++) out[s] += (px[s] - x) * (px[s] - x);
    }
}

static void copy(double *restrict out, const double *restrict other, int64_t n) {
    for (int64_t s = 0; s < n; s++) out[s] = other[s];
}

/* Fold the minimum of `first` and all rows but that of `slot` into the trial row; sum it. */
static double fold_others(const Sampler *p, const double *first, int64_t slot) {
    const int64_t n = *p->n, k = *p->k;
    double *out = p->trial_nearest;
    int64_t rows[3], j = slot == 0;
    double total = -1.0;
    while (j < k) {
        int64_t n_rows = 0;
        for (; j < k && n_rows < 3; j++)
            if (j != slot) rows[n_rows++] = j;
        if (n_rows == 0) break;
        for (int64_t i = n_rows; i < 3; i++) rows[i] = rows[i - 1];
        const double *a = p->distances + rows[0] * p->capacity;
        const double *b = p->distances + rows[1] * p->capacity;
        const double *c = p->distances + rows[2] * p->capacity;
        total = 0.0;
#pragma GCC ivdep
        for (int64_t s = 0; s < n; s++) {
            const double least = fmin(fmin(first[s], a[s]), fmin(b[s], c[s]));
            out[s] = least;
            total += least;
        }
        first = out;
    }
    return total;
}

static double score_replacing(const Sampler *p, int64_t slot) {
    squared_distances(p, p->trial_center, p->trial_distances);
    if (*p->k > 1) return fold_others(p, p->trial_distances, slot);
    double total = 0.0;
    const double *restrict from = p->trial_distances;
    double *restrict out = p->trial_nearest;
    for (int64_t s = 0; s < *p->n; s++) {
        out[s] = from[s];
        total += from[s];
    }
    return total;
}

static double score_adding(const Sampler *p) {
    squared_distances(p, p->trial_center, p->trial_distances);
    const double *restrict from = p->trial_distances, *restrict nearest = p->nearest;
    double *restrict out = p->trial_nearest;
    double total = 0.0;
    for (int64_t s = 0; s < *p->n; s++) {
        const double least = fmin(nearest[s], from[s]);
        out[s] = least;
        total += least;
    }
    return total;
}

static double score_removing(const Sampler *p, int64_t slot) {
    return fold_others(p, p->distances + (slot == 0 ? p->capacity : 0), slot);
}

static void put_center(const Sampler *p, int64_t slot) {
    copy(p->centers + slot * p->d, p->trial_center, p->d);
    copy(p->distances + slot * p->capacity, p->trial_distances, *p->n);
    copy(p->nearest, p->trial_nearest, *p->n);
}

static void drop_center(const Sampler *p, int64_t slot) {
    const int64_t last = *p->k - 1;
    if (slot != last) {
        copy(p->centers + slot * p->d, p->centers + last * p->d, p->d);
        copy(p->distances + slot * p->capacity, p->distances + last * p->capacity, *p->n);
    }
    copy(p->nearest, p->trial_nearest, *p->n);
    *p->k = last;
}

static bool accept(const Sampler *p, int64_t k, double loss, double located, double log_q_ratio) {
    double *numbers = p->numbers;
    const double here =
        p->log_counts[*p->k - 1] + numbers[LOG_LOCATION] - p->rate * numbers[LOSS];
    const double there = p->log_counts[k - 1] + located - p->rate * loss;
    if (!(log(uniform(p->random)) < there - here + log_q_ratio)) return false;
    numbers[LOSS] = loss;
    numbers[LOG_LOCATION] = located;
    return true;
}

static int try_replacing(const Sampler *p, const Arrival *arrival, int move) {
    const int64_t slot = below(p->random, *p->k);
    double *old = p->centers + slot * p->d, *new = p->trial_center;
    if (move == WALK) {
        const double step = exp(p->numbers[LOG_STEP]) / sqrt(2.0 * p->rate * (double)*p->n);
        fill_normal(p->random, new, p->d);
        for (int64_t a = 0; a < p->d; a++) new[a] = old[a] + step * new[a];
    } else {
        draw_arrival(p, arrival, new);
    }
    if (!is_inside(p, new)) return REJECTED;
    double log_q_ratio = 0.0;
    if (move != WALK) log_q_ratio = log_q_arrival(p, arrival, old) - log_q_arrival(p, arrival, new);
    const double before = p->numbers[LOSS], loss = score_replacing(p, slot);
    if (!accept(p, *p->k, loss, p->numbers[LOG_LOCATION], log_q_ratio)) return REJECTED;
    put_center(p, slot);
    return fabs(loss - before) <= ROUNDING * before ? IDLE : ACCEPTED;
}

static int try_birth(const Sampler *p, const Arrival *arrival) {
    const int64_t k = *p->k;
    draw_arrival(p, arrival, p->trial_center);
    if (!is_inside(p, p->trial_center)) return REJECTED;
    const double forward = log_q_birth(p, arrival, p->trial_center, k);
    const double backward = log_q_death(p, k + 1);
    const double located = p->numbers[LOG_LOCATION] - p->log_volume;
    if (!accept(p, k + 1, score_adding(p), located, backward - forward)) return REJECTED;
    *p->k = k + 1;
    put_center(p, k);
    return ACCEPTED;
}

static int try_death(const Sampler *p, const Arrival *arrival) {
    const int64_t k = *p->k, slot = below(p->random, k);
    const double forward = log_q_death(p, k);
    const double backward = log_q_birth(p, arrival, p->centers + slot * p->d, k - 1);
    const double located = p->numbers[LOG_LOCATION] + p->log_volume;
    if (!accept(p, k - 1, score_removing(p, slot), located, backward - forward)) return REJECTED;
    drop_center(p, slot);
    return ACCEPTED;
}

static Arrival choose_anchors(const Sampler *p) {
    const int64_t n = *p->n, room = p->anchor_room;
    const Arrival arrival = {n < room ? n : room, sqrt(1.5 / p->rate)};
    for (int64_t i = 0; i < arrival.n; i++) {
        const int64_t s = n <= room ? i : below(p->random, n);
        for (int64_t a = 0; a < p->d; a++)
            p->anchors[a * room + i] = p->points[a * p->capacity + s];
    }
    return arrival;
}

static void keep(const Sampler *p, int64_t i) {
    const int64_t m = p->n_configurations, k = *p->k, row = (i + 1) * m / p->n_kept - 1;
    p->trace_k[i] = (double)k;
    p->trace_loss[i] = p->numbers[LOSS];
    if ((i + 1) * m / p->n_kept <= i * m / p->n_kept) return;
    double *counts = p->kept_counts + row * p->max_centers;
    const double *restrict nearest = p->nearest;
    p->kept_k[row] = k;
    p->kept_loss[row] = p->numbers[LOSS];
    copy(p->kept_centers + row * p->max_centers * p->d, p->centers, k * p->d);
    for (int64_t j = 0; j < p->max_centers; j++) {
        const double *restrict distances = p->distances + j * p->capacity;
        double total = 0.0;
        if (j < k)
            for (int64_t s = 0; s < *p->n; s++) total += distances[s] == nearest[s] ? 1.0 : 0.0;
        counts[j] = total;
    }
}

static void adapt(const Sampler *p, int outcome, int64_t i) {
    if (outcome == IDLE) return;
    const double gain = (outcome == ACCEPTED) - WANTED_ACCEPTANCE;
    p->numbers[LOG_STEP] += gain * 5.0 / (10.0 + (double)i);
}

static void run_once(const Sampler *p) {
    for (int i = 0; i < 10; i++) p->tally[i] = 0;
    const Arrival arrival = choose_anchors(p);
    for (int64_t i = 0; i < p->n_burn + p->n_kept; i++) {
        const int move = draw_move(p);
        int outcome;
        if (move == BIRTH)
            outcome = try_birth(p, &arrival);
        else if (move == DEATH)
            outcome = try_death(p, &arrival);
        else
            outcome = try_replacing(p, &arrival, move);
        p->tally[2 * move]++;
        p->tally[2 * move + 1] += outcome != REJECTED;
        if (i >= p->n_burn)
            keep(p, i - p->n_burn);
        else if (move == WALK)
            adapt(p, outcome, i);
    }
}

/* Update the chain `times` times at one window. */
void run_local(const Sampler *p, int64_t times) {
    for (int64_t i = 0; i < times; i++) run_once(p);
}
