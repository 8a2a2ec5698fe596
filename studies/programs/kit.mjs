// What the programs share: what they are told, silence before the work, and what they tell.
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `report` is the file that is written, `inputs` the folder that is read, `scratch` one that may be written to, `count` how
 * many units of work to do.
 */
export const { report, inputs, scratch, count } = JSON.parse(process.argv[2]);

const tell = (what) => writeFileSync(report, JSON.stringify(what));

/** A recorder needs a moment to start, and loading a program is no part of its work. */
const SILENCE_MS = 400;

/** Tells the port; the server ends with its process. */
export const serve = (server) =>
  server.listen(0, '127.0.0.1', () => tell({ port: server.address().port, pid: process.pid }));

/** Without plimsoll/mark a unit is just done. */
const { mark } = await import('plimsoll/mark').catch(() => ({ mark: (_, run) => run() }));

/** Does `units` pieces of work, so many at a time, and tells how long each took, and all of them. */
export async function work(name, units, inFlight, run) {
  await sleep(SILENCE_MS);
  const beganAt = Date.now();
  const begun = performance.now();
  const unitsMs = [];
  let next = 0;
  const worker = async () => {
    while (next < units) {
      const unit = next++;
      const started = performance.now();
      await mark(name, () => run(unit));
      unitsMs.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  tell({ beganAt, makespanMs: performance.now() - begun, unitsMs });
}
