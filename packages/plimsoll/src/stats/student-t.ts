/** ln Γ(x) for x > 0 (Lanczos; Numerical Recipes 6.1), to about 2e-10. */
function logGamma(x: number): number {
  const series = LANCZOS.reduce(
    (sum, coefficient, index) => sum + coefficient / (x + index + 1),
    1.000000000190015,
  );
  return (x + 0.5) * Math.log(x + 5.5) - (x + 5.5) + Math.log((2.5066282746310007 * series) / x);
}
const LANCZOS = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3,
  -5.395239384953e-6,
];

const MOST_TERMS = 500;

/** The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes 6.4). */
function betaFraction(a: number, b: number, x: number): number {
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let term = 1; term <= MOST_TERMS; term++) {
    const even = (term * (b - term) * x) / ((a + 2 * term - 1) * (a + 2 * term));
    const odd = (-(a + term) * (a + b + term) * x) / ((a + 2 * term) * (a + 2 * term + 1));
    for (const factor of [even, odd]) {
      d = 1 / (1 + factor * d);
      c = 1 + factor / c;
      value *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  return value;
}

/** The regularised incomplete beta function I_x(a, b). */
function regularisedBeta(a: number, b: number, x: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(a, b, x)) / a
    : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

/** P(|T| > |t|) for Student's t with `df` degrees of freedom: 0.05 for 2.776 with 4. */
export const studentTwoSidedP = (t: number, df: number): number =>
  Number.isFinite(t) ? regularisedBeta(df / 2, 0.5, df / (df + t * t)) : 0;

/** The t that |T| exceeds with probability `p`, above 0 and below 1: the critical value of a two-sided test. */
export const studentCritical = (p: number, df: number): number =>
  whereFallsTo(p, (t) => studentTwoSidedP(t, df), 1, 1e-9);

/** The argument at which a function that falls from 0 on comes down to a value, to so small a share of itself. */
export function whereFallsTo(
  value: number,
  of: (argument: number) => number,
  guess: number,
  precision: number,
): number {
  let low = 0;
  let high = guess;
  while (of(high) > value) high *= 2;
  while (high - low > precision * high) {
    const middle = (low + high) / 2;
    if (of(middle) > value) low = middle;
    else high = middle;
  }
  return high;
}
