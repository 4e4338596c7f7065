/* What the machine can do: the best plain loop over distances, and multiply-adds from registers. */
#include <stdint.h>

typedef double Vector __attribute__((vector_size(32)));
enum { N_CHAINS = 12 };

/* Squared distances of one centre to n points in columns, d = 2 or 5, `times` times over. */
void distances(const double *restrict points, int64_t n, int64_t d, const double *restrict center,
               double *restrict out, int64_t times) {
    for (int64_t i = 0; i < times; i++) {
        if (d == 2) {
            const double x = center[0], y = center[1];
            for (int64_t s = 0; s < n; s++) {
                const double u = points[s] - x, v = points[n + s] - y;
                out[s] = u * u + v * v;
            }
        } else if (d == 5) {
            const double *restrict p = points, *restrict c = center;
            for (int64_t s = 0; s < n; s++) {
                const double u = p[s] - c[0], v = p[n + s] - c[1], w = p[2 * n + s] - c[2];
                const double x = p[3 * n + s] - c[3], y = p[4 * n + s] - c[4];
                out[s] = u * u + v * v + w * w + x * x + y * y;
            }
        }
        __asm__ volatile("" : : "r"(out) : "memory"); /* keep every round */
    }
}

/* `times` rounds of independent multiply-adds; 2 * 4 * N_CHAINS operations a round. */
double multiply_adds(int64_t times) {
    Vector x[N_CHAINS];
    for (int j = 0; j < N_CHAINS; j++) x[j] = (Vector){1.0, 1.1, 1.2, 1.3} * (j + 1);
    const Vector a = {0.999, 0.998, 0.997, 0.996}, b = {1e-3, 2e-3, 3e-3, 4e-3};
    for (int64_t i = 0; i < times; i++)
        for (int j = 0; j < N_CHAINS; j++) x[j] = x[j] * a + b;
    double total = 0.0;
    for (int j = 0; j < N_CHAINS; j++) total += x[j][0] + x[j][1] + x[j][2] + x[j][3];
    return total;
}
