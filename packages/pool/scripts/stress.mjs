// Random tasks, values, faults and deaths over one pool after another. Every promise must settle exactly once, with the right
// value (checked by checksums, both ways), the task's own error or a coded one of the pool; only as many tasks may be lost as
// workers died; pools must end and leave no thread behind.
// Usage: npm run stress:pool -- [SECONDS] [SEED] [--load=CPUS]
// Or so many random programs of everything with everything, from a seed on, without threads or with them:
// npm run stress:pool -- --programs=COUNT [SEED] [--real]
import { parseArgs } from 'node:util';
import { runPrograms } from './stress/programs.mjs';
import { stress } from './stress/run.mjs';

export { stress };

const MINUTE = 60_000;

/** Prints what happens every minute, and the sum of it at the end; the exit code says whether all of it was right. */
export async function main(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      load: { type: 'string' },
      programs: { type: 'string' },
      real: { type: 'boolean', default: false },
    },
  });
  if (values.programs !== undefined) {
    await programs(Number(values.programs), Number(positionals[0] ?? 0), values.real);
    return;
  }
  const [seconds, seed, load] = [
    positionals[0] ?? 60,
    positionals[1] ?? Date.now() % 2 ** 31,
    values.load ?? Infinity,
  ];
  for (const number of [seconds, seed, load]) {
    if (!(Number(number) > 0)) throw new RangeError(`${number} is not a number above 0`);
  }
  console.log(`seed ${seed}, ${seconds} seconds`);
  let timer;
  const result = await stress({
    seconds: Number(seconds),
    seed: Number(seed),
    load: Number(load),
    onStart: (stateOf) => {
      timer = setInterval(() => console.log(progress(stateOf())), MINUTE);
    },
  });
  clearInterval(timer);
  const { right, ...counts } = result;
  console.log(JSON.stringify(right));
  console.log(JSON.stringify({ seed: Number(seed), ...counts }));
  const { wrong, twice, pending, leftThreads } = result;
  process.exitCode = wrong + twice + pending + leftThreads > 0 ? 1 : 0;
}

async function programs(count, first, isReal) {
  if (!(count > 0 && first >= 0))
    throw new RangeError('--programs=COUNT and SEED must be numbers from 1 and from 0 on');
  const onProgress = (done, wrong) => console.log(`${done} programs, ${wrong} wrong`);
  const { seconds, wrong } = await runPrograms({ count, first, isReal, onProgress });
  for (const { seed, faults, log } of wrong.slice(0, 20))
    console.log(`seed ${seed}: ${faults[0]}\n  ${log.join(' ')}`);
  console.log(
    JSON.stringify({ programs: count, first, isReal, wrong: wrong.length, seconds: Math.round(seconds) }),
  );
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function progress({ ledger, pools, left }) {
  const { settled, lost, wrong, twice } = ledger;
  const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
  const minutes = Math.ceil(Math.max(0, left) / MINUTE);
  const good = `${settled} tasks, ${pools} pools, ${lost} lost with workers`;
  return `${good}, ${wrong + twice} wrong; ${megabytes} MB, ${minutes} min left`;
}
