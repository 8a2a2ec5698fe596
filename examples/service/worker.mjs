import { existsSync, writeFileSync } from 'node:fs';
import { task } from '@plimsoll/pool/worker';
import { user } from './storages.mjs';

let rules;
const visits = new Map();

/** Once in each worker, before its first task. */
export const setup = async () => {
  rules = { version: 1, word: 'error' };
};
/** Before the worker ends. */
export const dispose = () => visits.clear();

export const loadRules = (next) => {
  rules = next;
  return rules.version;
};

/** Several arguments, generic like any function, and the caller's store. */
export const greet = async (word, name) => `${word}, ${name}: asked by ${user.getStore()}`;

export const lengthOf = (line) => line.length;

/** An item is made when the caller asks for it. */
export function* scan(lines) {
  for (const line of lines) if (line.includes(rules.word)) yield line;
}

/** Tasks with the same key come to the same worker, so this counts right. */
export const visit = (who) => {
  visits.set(who, (visits.get(who) ?? 0) + 1);
  return visits.get(who);
};

/** A loop that never returns to the event loop sees that it shall end. */
export const search = () => {
  while (!task.aborted);
  return 'gave up by itself';
};

/** Ends its worker, once. */
export const flaky = (marker) => {
  if (existsSync(marker)) return 'done at the second try';
  writeFileSync(marker, '');
  return process.exit(1);
};
