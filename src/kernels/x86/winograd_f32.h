/* Winograd's transforms with channels in the lanes, see kernels/winograd.h. Each is done
 * along columns, then along rows; what lies between stays in L1. Included by one file a
 * CPU level, which defines LEVEL(name). */
#include "kernels/winograd.h"
#include "kernels/x86/vec.h"

static const float r2 = 1.41421356f;

/* o = B^T d for six values. */
V_INLINE void in_six(const vf d[6], vf o[6]) {
    vf even = v_fnma(v_set(2), d[2], d[4]), odd = v_mul(v_set(r2), d[1]);
    odd = v_sub(v_mul(v_set(r2 / 2), d[3]), odd);
    o[0] = v_add(v_fnma(v_set(2.5f), d[2], d[4]), d[0]);
    o[1] = v_add(even, odd);
    o[2] = v_sub(even, odd);
    even = v_fnma(v_set(0.5f), d[2], d[4]);
    odd = v_fnma(v_set(r2 / 2), d[1], v_mul(v_set(r2), d[3]));
    o[3] = v_add(even, odd);
    o[4] = v_sub(even, odd);
    o[5] = v_add(v_fnma(v_set(2.5f), d[3], d[5]), d[1]);
}

/* o = A^T p: four values of six. */
V_INLINE void out_six(const vf p[6], vf o[4]) {
    vf s = v_add(p[1], p[2]), d = v_sub(p[1], p[2]);
    vf t = v_add(p[3], p[4]), e = v_sub(p[3], p[4]);
    o[0] = v_add(p[0], v_add(s, t));
    o[1] = v_fma(v_set(r2 / 2), d, v_mul(v_set(r2), e));
    o[2] = v_fma(v_set(0.5f), s, v_mul(v_set(2), t));
    o[3] = v_add(v_fma(v_set(r2 / 4), d, v_mul(v_set(2 * r2), e)), p[5]);
}

V_INLINE void in_four(const vf d[6], vf o[6]) {
    o[0] = v_sub(d[0], d[2]);
    o[1] = v_add(d[1], d[2]);
    o[2] = v_sub(d[2], d[1]);
    o[3] = v_sub(d[3], d[1]);
}

V_INLINE void out_four(const vf p[6], vf o[4]) {
    o[0] = v_add(p[0], v_add(p[1], p[2]));
    o[1] = v_add(v_sub(p[1], p[2]), p[3]);
}

V_INLINE void in_line(int n, const vf *d, vf *o) {
    if (n == 6)
        in_six(d, o);
    else
        in_four(d, o);
}

V_INLINE void out_line(int n, const vf *p, vf *o) {
    if (n == 6)
        out_six(p, o);
    else
        out_four(p, o);
}

/* `lanes` channels of one window. */
V_INLINE void in_lanes(int n, const float *const *pixel, size_t c, size_t lanes, float *v,
                       size_t step) {
    vf half[36], line[6], o[6];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            line[i] = v_load_part(pixel[i * n + j] + c, lanes);
        in_line(n, line, o);
        for (int i = 0; i < n; i++)
            half[i * n + j] = o[i];
    }
    for (int i = 0; i < n; i++) {
        in_line(n, half + i * n, o);
        for (int j = 0; j < n; j++)
            v_store_part(v + (size_t)(i * n + j) * step + c, lanes, o[j]);
    }
}

V_INLINE void in_all(int n, const float *const *pixel, size_t channels, float *v,
                     size_t step) {
    size_t c = 0;
    for (; c + VN <= channels; c += VN)
        in_lanes(n, pixel, c, VN, v, step);
    if (c < channels)
        in_lanes(n, pixel, c, channels - c, v, step);
}

/* The value is the second operand of max and min: the one kept when it is NaN. */
V_INLINE vf activate(vf v, const hst__act *act) {
    if (act->kind == HST__ACT_RELU)
        return v_max(v_zero(), v);
    if (act->kind == HST__ACT_CLIP)
        return v_min(v_set(act->b), v_max(v_set(act->a), v));
    if (act->kind == HST__ACT_LEAKY_RELU)
        return v_pick(v_lt(v, v_zero()), v_mul(v, v_set(act->a)), v);
    return v;
}

V_INLINE void out_lanes(int n, const hst__winograd_out_args *a, size_t c, size_t lanes) {
    const int m = n - 2;
    vf half[24], line[6], o[4];
    const vf alpha = v_set(a->alpha);
    const vf bias = a->bias ? v_load_part(a->bias + c, lanes) : v_zero();
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            line[i] = v_load_part(a->product + (size_t)(i * n + j) * a->step + c, lanes);
        out_line(n, line, o);
        for (int i = 0; i < m; i++)
            half[i * n + j] = o[i];
    }
    for (int i = 0; i < m; i++) {
        out_line(n, half + i * n, o);
        for (int j = 0; j < m; j++) {
            int at = i * m + j;
            if (!a->pixel[at])
                continue;
            vf y = v_fma(o[j], alpha, bias);
            if (a->addend)
                y = v_add(y, v_load_part(a->addend[at] + c, lanes));
            v_store_part(a->pixel[at] + c, lanes, activate(y, &a->act));
        }
    }
}

V_INLINE void out_all(int n, const hst__winograd_out_args *a) {
    size_t c = 0;
    for (; c + VN <= a->channels; c += VN)
        out_lanes(n, a, c, VN);
    if (c < a->channels)
        out_lanes(n, a, c, a->channels - c);
}

static void in_2(const float *const *pixel, size_t channels, float *v, size_t step) {
    in_all(4, pixel, channels, v, step);
}
static void in_4(const float *const *pixel, size_t channels, float *v, size_t step) {
    in_all(6, pixel, channels, v, step);
}
static void out_2(const hst__winograd_out_args *a) { out_all(4, a); }
static void out_4(const hst__winograd_out_args *a) { out_all(6, a); }

const hst__winograd_f32 LEVEL(hst__winograd_f32)[2] = {{2, 4, in_2, out_2},
                                                       {4, 6, in_4, out_4}};
