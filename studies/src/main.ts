// `npm run study [-- NAME… options]`: arguments in, exit code out. 0 measured, 2 bad input, 4 something measured failed, 130
// interrupted. Without a name: the studies of worker pools.
import { PlimsollError, usage } from '@plimsoll/lab';
import { CommandFailed } from './common/cli.js';
import { COMMANDS, POOL_STUDIES } from './common/studies.js';

const names = Object.keys(COMMANDS);

/** The studies that are named, first of all, and what is left for each of them. */
function split(args: readonly string[]): { chosen: readonly string[]; rest: readonly string[] } {
  const found = args.findIndex((arg) => !names.includes(arg));
  const end = found === -1 ? args.length : found;
  const [first] = args;
  if (end === 0 && first !== undefined && !first.startsWith('-'))
    throw usage(`there is no study ${JSON.stringify(first)}; there are ${names.join(', ')}`);
  return {
    chosen: end === 0 ? POOL_STUDIES : args.slice(0, end),
    rest: args.slice(end),
  };
}

async function main(args: readonly string[]): Promise<number> {
  const { chosen, rest } = split(args);
  let worst = 0;
  for (const [name, load] of Object.entries(COMMANDS)) {
    if (!chosen.includes(name)) continue;
    const command = await load();
    const code = await command.run(rest);
    if (code === 130) return code;
    worst = Math.max(worst, code);
  }
  return worst;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof PlimsollError || error instanceof CommandFailed)) throw error;
  process.stderr.write(`study: ${error.message}\n`);
  process.exitCode = error.exitCode;
}
