"""The polynomials of the expansions: minimax fits by Remez' second algorithm on a Chebyshev grid.

usage: minimax.py [NAME ...]    prints coefficients, highest power first, and the largest weighted error

Coefficients are rounded to the type one after another, the others fitted anew each time. Needs mpmath.
"""

import sys

import mpmath as mp

LN2 = None  # set once the precision is


def rounded(x, bits):
    m, e = mp.frexp(mp.mpf(x))
    return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)


def remez(target, weight, basis):
    """Minimises max |weight (target - sum c_i basis_i)| over the grid."""
    n, points = len(basis), len(target)
    at = [int((points - 1) * (1 - mp.cos(mp.pi * k / n)) / 2) for k in range(n + 1)]
    for k in range(1, n + 1):
        at[k] = max(at[k], at[k - 1] + 1)
    for _ in range(60):
        system, right = mp.matrix(n + 1, n + 1), mp.matrix(n + 1, 1)
        for row, j in enumerate(at):
            for i in range(n):
                system[row, i] = basis[i][j] * weight[j]
            system[row, n] = (-1) ** row
            right[row] = target[j] * weight[j]
        solution = mp.lu_solve(system, right)
        c, level = [solution[i] for i in range(n)], abs(solution[n])
        error = [(target[j] - sum(c[i] * basis[i][j] for i in range(n))) * weight[j] for j in range(points)]
        extrema = []
        for j in range(points):
            if extrema and (error[j] > 0) == (error[extrema[-1]] > 0):
                if abs(error[j]) > abs(error[extrema[-1]]):
                    extrema[-1] = j
            else:
                extrema.append(j)
        while len(extrema) > n + 1:
            low = min(range(len(extrema)), key=lambda k: abs(error[extrema[k]]))
            if len(extrema) == n + 2:
                extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
            elif low in (0, len(extrema) - 1):
                extrema.pop(low)
            else:
                other = low + 1 if abs(error[extrema[low + 1]]) < abs(error[extrema[low - 1]]) else low - 1
                for k in sorted((low, other), reverse=True):
                    extrema.pop(k)
        if len(extrema) < n + 1 or extrema == at or max(map(abs, error)) <= level * (1 + mp.mpf(10) ** -6):
            break
        at = extrema
    return c


def fit(f, degree, low, high, weight, bits, first=()):
    """f ~ c_0 + ... + c_degree x^degree on [low, high]; `first` are the first coefficients if they are given."""
    points = 1500 if bits == 24 else 600
    low, high = mp.mpf(low), mp.mpf(high)
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / points) for i in range(points)]
    powers = [[x ** k for x in grid] for k in range(degree + 1)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    c = [mp.mpf(x) for x in first]
    while len(c) <= degree:
        left = [values[j] - sum(c[k] * powers[k][j] for k in range(len(c))) for j in range(points)]
        c.append(rounded(remez(left, weights, powers[len(c):])[0], bits))
    error = max(abs((values[j] - sum(c[k] * powers[k][j] for k in range(len(c)))) * weights[j]) for j in range(points))
    return c, error


def interpolation(f, degree, low, high, bits):
    """The same at Chebyshev's nodes, for smooth f of about constant size: no weights, but it always converges."""
    n = degree + 1
    low, high = mp.mpf(low), mp.mpf(high)
    x = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (k + mp.mpf(1) / 2) / n) for k in range(n)]
    # Newton's divided differences, then powers.
    c = [f(a) for a in x]
    for k in range(1, n):
        for j in range(n - 1, k - 1, -1):
            c[j] = (c[j] - c[j - 1]) / (x[j] - x[j - k])
    p = [mp.mpf(0)] * n
    for k in range(n - 1, -1, -1):
        p = [(p[j - 1] if j else 0) - x[k] * p[j] for j in range(n)]
        p[0] += c[k]
    p = [rounded(a, bits) for a in p]
    grid = [low + (high - low) * mp.mpf(k) / 997 for k in range(998)]
    return p, max(abs(mp.polyval(p[::-1], a) / f(a) - 1) for a in grid)


def fits():
    """Name -> arguments of fit. F64 has 53 bits."""
    half = LN2 / 2
    root = mp.sqrt
    eighth32, eighth64 = (mp.pi / 4) ** 2 * mp.mpf('1.012'), (mp.pi / 4) ** 2 * mp.mpf('1.0001')
    tiny = mp.mpf('1e-9')

    def even(f):  # an odd function of sqrt(y), over sqrt(y)
        return lambda y: f(root(y)) / root(y)

    exp_rest = lambda r: (mp.exp(r) - 1 - r) / r ** 2
    expm1_half = lambda r: (mp.expm1(2 * r) / 2 - r) / r ** 2
    exp2 = lambda t: mp.mpf(2) ** t
    sin1, tan1, atan1 = ((lambda y, g=even(g): (g(y) - 1) / y) for g in (mp.sin, mp.tan, mp.atan))
    erfc_log = lambda t: mp.log(mp.erfc(t), 2)
    erfc_weight = lambda t: mp.erfc(t) * LN2 / mp.erf(t)
    erf_slope = lambda y: even(mp.erf)(y) - 1
    erf_weight = lambda y: 1 / even(mp.erf)(y)
    s_max = (root(2) - 1) / (root(2) + 1)
    return {
        'exp.f32': (mp.exp, 6, -half * mp.mpf('1.0002'), half * mp.mpf('1.0002'), lambda r: 1 / mp.exp(r), 24, (1, 1)),
        'exp.f64': (exp_rest, 9, -half * mp.mpf('1.00001'), half * mp.mpf('1.0000101'),
                    lambda r: r * r / mp.exp(r), 53),
        'expm1.f64': (exp_rest, 10, -half * mp.mpf('1.00001'), half * mp.mpf('1.0000101'),
                      lambda r: abs(r * r / mp.expm1(r)), 53),
        'expm1.f32': (exp_rest, 4, -half * mp.mpf('1.0002'), half * mp.mpf('1.00021'),
                      lambda r: abs(r * r / mp.expm1(r)), 24),
        'exp2.f64': (lambda t: (exp2(t) - 1) / t, 10, mp.mpf('-.50001'), mp.mpf('.500011'),
                     lambda t: abs(t) / exp2(t), 53),
        'exp2.erf.f32': (exp2, 5, mp.mpf('-.5002'), mp.mpf('.5001'), lambda t: 1 / exp2(t), 24),
        'exp2.pow.f32': (exp2, 6, mp.mpf('-.50001'), mp.mpf('.500011'), lambda t: 1 / exp2(t), 53),
        'log.f32': (lambda f: (mp.log1p(f) - f + f * f / 2) / f ** 3, 7, mp.mpf(-1) / 4, mp.mpf(1) / 2,
                    lambda f: f * f, 24),
        'log.f64': (lambda z: (2 * even(mp.atanh)(z) - 2) / z, 7, mp.mpf('1e-12'), mp.mpf('.0401'), lambda z: z / 2, 53),
        'log2.pow.f32': (lambda f: mp.log1p(f) / f / LN2, 11, root(mp.mpf('.5')) - 1 - mp.mpf('1e-6'),
                         root(2) - 1 + mp.mpf('1.1e-6'), lambda f: f * LN2 / mp.log1p(f), 53),
        'log2.pow.f64': (lambda z: (even(mp.atanh)(z) - 1 - z / 3) / z ** 2, 6, tiny, s_max ** 2 * mp.mpf('1.0001'),
                         lambda z: z ** 2, 53),
        'sin.f32': (even(mp.sin), 3, tiny, eighth32, lambda y: 1 / even(mp.sin)(y), 24, (1,)),
        'sin.f64': (sin1, 5, tiny, eighth64, lambda y: y / even(mp.sin)(y), 53),
        'cos.f32': (lambda y: mp.cos(root(y)), 4, tiny, eighth32, lambda y: 1 / mp.cos(root(y)), 24, (1, -.5)),
        'cos.f64': (lambda y: (mp.cos(root(y)) - 1 + y / 2) / y ** 2, 5, mp.mpf('1e-6'), eighth64,
                    lambda y: y * y / mp.cos(root(y)), 53),
        'tan.f32': (tan1, 6, tiny, (mp.pi / 4) ** 2 * mp.mpf('1.016'), lambda y: y / even(mp.tan)(y), 24),
        'tan.f64': (tan1, 13, tiny, eighth64, lambda y: y / even(mp.tan)(y), 53),
        'tanh.f32': (expm1_half, 5, -half / 4 * mp.mpf('1.0005'), half * 3 / 4 * mp.mpf('1.0005'),
                     lambda r: abs(r ** 2 / (mp.expm1(2 * r) / 2)), 24),
        'tanh.f64': (expm1_half, 9, -half / 4 * mp.mpf('1.0001'), half * 3 / 4 * mp.mpf('1.0001'),
                     lambda r: abs(r ** 2 / (mp.expm1(2 * r) / 2)), 53),
        'erf.f32': (erf_slope, 5, tiny, mp.mpf('.85') ** 2, erf_weight, 24),
        'erf.f64': (erf_slope, 11, tiny, 1, erf_weight, 53),
        'erfc.f32': (erfc_log, 6, mp.mpf('.85'), mp.mpf('3.95'), erfc_weight, 24),
        'erfc.f64': (erfc_log, 16, 1, mp.mpf('5.95'), erfc_weight, 53),
        'atan.f32': (atan1, 7, tiny, 1, lambda y: y / even(mp.atan)(y), 24),
        'atan.f64': (atan1, 18, tiny, 1, lambda y: y / even(mp.atan)(y), 53),
        # m y^3 of the guess y for m^(-1/3) is in this range.
        'cbrt.f32': (lambda c: c ** (-mp.mpf(1) / 3), 2, mp.mpf('.66692644'), mp.mpf('.79058845'),
                     lambda c: c ** (mp.mpf(1) / 3), 24),
        'cbrt.f64': (lambda c: c ** (-mp.mpf(1) / 3), 3, mp.mpf('.66692644'), mp.mpf('.79058845'),
                     lambda c: c ** (mp.mpf(1) / 3), 24),
        'sinh.f32': (lambda y: (even(mp.sinh)(y) - 1) / y, 3, tiny, 1, lambda y: y / even(mp.sinh)(y), 24),
        'sinh.f64': (lambda y: (even(mp.sinh)(y) - 1) / y, 7, tiny, 1, lambda y: y / even(mp.sinh)(y), 53),
    }


def interpolations():
    """Those of src/builder/special_functions.cc."""
    root = mp.sqrt

    def erfcx_scaled(a):  # (1 + 2x) e^(x^2) erfc(x), x = a (1 + t) / (1 - t)
        return lambda t, x=lambda t: a * (1 + t) / (1 - t): (1 + 2 * x(t)) * mp.exp(x(t) ** 2) * mp.erfc(x(t))

    def erf_inv(w):  # erfinv(x) / x for w = -log(1 - x^2), by Newton's method on log erfc
        x2 = -mp.expm1(-w)
        rest = mp.exp(-w) / (1 + root(x2))  # 1 - x
        y = root(mp.pi) / 2 * root(x2) if w < 1 else root(w)
        for _ in range(60):
            e = mp.erfc(y)
            step = mp.log(e / rest) * e * root(mp.pi) / 2 * mp.exp(y * y)
            y += step
            if abs(step) < mp.mpf(2) ** -150 * y:
                break
        return y / root(x2)

    def stirling(z):  # the rest of Stirling's formula for log gamma(x), times x = 1 / sqrt(z)
        x = 1 / root(z)
        return (mp.loggamma(x) - (x - mp.mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x

    def i1e(t):  # e^-x I1(x) / x, x = 4 (1 + t)
        return mp.exp(-4 * (1 + t)) * mp.besseli(1, 4 * (1 + t)) / (4 * (1 + t))

    def i0e(t):
        return mp.exp(-4 * (1 + t)) * mp.besseli(0, 4 * (1 + t))

    def i1e_far(z):  # e^-x I1(x) sqrt(x), x = 8 / z
        return mp.exp(-8 / z) * mp.besseli(1, 8 / z) * root(8 / z)

    def i0e_far(z):
        return mp.exp(-8 / z) * mp.besseli(0, 8 / z) * root(8 / z)

    near32, far32 = (lambda u: erf_inv(u + mp.mpf('2.5'))), (lambda u: erf_inv((u + 3) ** 2))
    near64, far64 = (lambda u: erf_inv(u + mp.mpf('3.125'))), (lambda u: erf_inv((u + mp.mpf('3.25')) ** 2))
    last64 = lambda u: erf_inv((u + 5) ** 2)
    tiny = mp.mpf('1e-3')
    return {
        'erfcx.f32': (erfcx_scaled(2), 10, mp.mpf('-.6001'), mp.mpf('.675'), 24),
        'erfcx.f64': (erfcx_scaled(4), 23, mp.mpf('-.77778'), mp.mpf('.75'), 53),
        'erf_inv.near.f32': (near32, 9, mp.mpf('-2.4999'), mp.mpf('2.5'), 24),
        'erf_inv.far.f32': (far32, 9, root(5) - 3, mp.mpf('1.02'), 24),
        'erf_inv.near.f64': (near64, 23, mp.mpf('-3.12499'), mp.mpf('3.125'), 53),
        'erf_inv.far.f64': (far64, 20, mp.mpf('-.75'), mp.mpf('.75'), 53),
        'erf_inv.last.f64': (last64, 18, mp.mpf('-1'), mp.mpf('1.03'), 53),
        'lgamma.f64': (lambda t: mp.loggamma(2 + t) / t, 20, mp.mpf('-.5'), mp.mpf('.5000001'), 53),
        'stirling.f64': (stirling, 7, mp.mpf('1e-9'), mp.mpf(1) / 64, 53),
        'i0e.near.f32': (i0e, 15, -1 + tiny / 100, 1, 24),
        'i0e.near.f64': (i0e, 30, -1 + tiny / 100, 1, 53),
        'i1e.near.f32': (i1e, 15, -1 + tiny / 100, 1, 24),
        'i1e.near.f64': (i1e, 30, -1 + tiny / 100, 1, 53),
        'i0e.far.f32': (i0e_far, 6, tiny, 1, 24),
        'i0e.far.f64': (i0e_far, 24, tiny, 1, 53),
        'i1e.far.f32': (i1e_far, 6, tiny, 1, 24),
        'i1e.far.f64': (i1e_far, 24, tiny, 1, 53),
    }


def main():
    global LN2
    mp.mp.prec = 400
    LN2 = mp.log(2)
    table, smooth = fits(), interpolations()
    for name in sys.argv[1:] or [*table, *smooth]:
        c, error = interpolation(*smooth[name]) if name in smooth else fit(*table[name])
        print(f'{name}: 2^{float(mp.log(error, 2)):.1f}')
        for x in reversed(c):
            print('   ', float(x).hex())


main()
