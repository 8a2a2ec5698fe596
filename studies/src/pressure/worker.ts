/** Keeps this thread busy for so many milliseconds. */
export default function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
