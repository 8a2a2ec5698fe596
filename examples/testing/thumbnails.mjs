/** What is to be tested: it gets its pool, so a test can give it another one. */
export const thumbnail = (pool, image) =>
  pool.run(image, { name: 'resize', retry: { on: ['crash'], max: 2, backoff: 60_000 } });
