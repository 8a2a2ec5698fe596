/** Chooses among what could happen next. */
export interface Order {
  /** One of so many, by its place. */
  pick(count: number): number;
}

/** What has waited for longest comes first. */
export const FIRST: Order = { pick: () => 0 };

/** Any comes next, but for a seed it is always the same. A generator by Tommy Ettinger, "mulberry32". */
export function shuffled(seed: number): Order {
  let state = seed | 0;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { pick: (count) => Math.floor(random() * count) };
}
