import { workerData } from '@plimsoll/pool';

export const greet = (name) => `${workerData.greeting}, ${name}! (${process.env.LANGUAGE})`;

export function hoard() {
  const kept = [];
  for (;;) kept.push(new Array(1000).fill(kept.length));
}
