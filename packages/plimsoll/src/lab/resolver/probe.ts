import { lookup } from 'node:dns/promises';

/** Look up the names of the command line and answer which of them resolve. A process of its own: it may hang. */
const names = process.argv.slice(2);
const outcomes = await Promise.allSettled(names.map((name) => lookup(name)));
const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
process.send?.({
  resolved: names.filter((_, index) => outcomes[index]?.status === 'fulfilled'),
  code: codes[0] ?? null,
});
