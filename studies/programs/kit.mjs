// What the programs share: what they are told, how a server says that it listens, and how a command works off its units.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** `inputs` is the folder that is read, `scratch` one that may be written to, `count` how many units of work to do. */
const told = JSON.parse(process.argv[2]);
export const { inputs, count } = told;

/** Each process writes to a folder that nothing has written to, and removes it. */
export const scratch = mkdtempSync(join(told.scratch, 'run-'));
const clean = () => rmSync(scratch, { recursive: true, force: true });
process.once('exit', clean);
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0));

/** The port comes by the environment; the server ends with its process. */
export const serve = (server) => server.listen(Number(process.env.PORT), '127.0.0.1');

/** Does `units` pieces of work, so many at a time. */
export async function work(units, inFlight, run) {
  let next = 0;
  const worker = async () => {
    while (next < units) await run(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}
