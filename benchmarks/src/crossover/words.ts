/** `10 µs`, `1 ms`. */
export const lengthText = (microseconds: number): string =>
  microseconds < 1000 ? `${microseconds} µs` : `${microseconds / 1000} ms`;

/** One digit: more would be false. `about 20 µs`. */
export function crossoverText(microseconds: number): string {
  if (microseconds === 0) return '1 µs or less';
  if (!Number.isFinite(microseconds)) return 'more than 10 ms';
  return `about ${lengthText(Number(microseconds.toPrecision(1)))}`;
}
