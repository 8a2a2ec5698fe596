/** Names that are counted apart; all others are counted together. */
const MOST_NAMES = 256;
const REST = '';
/** Its multiples are spread over the unit interval as evenly as can be, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Which requests are sampled: of each name every n-th, and the names begin at different places, so that a client that asks
 * for ten things in turn is not always sampled at the same one.
 *
 * @param share of all requests, from 0 to 1.
 */
function sampler(share: number): (name: string) => boolean {
  if (!(share < 1)) return () => true;
  const sums = new Map<string, number>();
  return (name) => {
    const key = sums.has(name) || sums.size < MOST_NAMES ? name : REST;
    const sum = (sums.get(key) ?? (sums.size * GOLDEN) % 1) + share;
    sums.set(key, sum % 1);
    return sum >= 1;
  };
}

export = sampler;
