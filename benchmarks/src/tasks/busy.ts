/** Keeps its thread busy for so many milliseconds, as parsing or rendering would. */
export default (ms: number): number => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
};
