import { workerData } from '@plimsoll/pool/worker';

export const greet = (name) => `${workerData.greeting}, ${name}! (${process.env.LANGUAGE})`;

export function hoard() {
  let kept = null;
  for (;;) kept = { kept };
}
