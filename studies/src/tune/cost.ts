import { LiveTarget, startCommand } from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import { scratch } from '../common/paths.js';
import { PROGRAMS, type ServerProgram } from './catalogue.js';
import { openPlace } from './place.js';
import { BASELINE } from './plan.js';
import type { CostPair, TuneStudyResult } from './result.js';
import { freePort, untilItListens } from './truth.js';

const PLANS = {
  full: { starts: 8, slices: 4, seconds: 0.5 },
  quick: { starts: 2, slices: 1, seconds: 0.3 },
} as const;
type CostPlan = (typeof PLANS)[keyof typeof PLANS];
const ARRIVE_MS = 30_000;

/** Answers with two words: of all servers the one whose requests cost least, and counting them most. */
const HELLO: ServerProgram = {
  name: 'hello',
  kind: 'server',
  what: 'answers with two words',
  packages: [],
  input: 'none',
  heldOut: false,
  requests: { paths: ['/'], connections: 20 },
};
const SERVERS = [HELLO, ...['express-bcrypt', 'fastify-static'].map((name) => named(name))];

function named(name: string): ServerProgram {
  return PROGRAMS.find((program): program is ServerProgram => program.name === name) as ServerProgram;
}

/** Throughput of servers with an idle controller in them, beside the same servers without, in alternating slices. */
export async function measureCost(
  effort: TuneStudyResult['effort'],
  directory: string,
  cycle: LifeCycle,
): Promise<CostPair[]> {
  const results: CostPair[] = [];
  for (const program of SERVERS) {
    process.stderr.write(`tune: cost, ${program.name}\n`);
    results.push(await pairsOf(program, PLANS[effort], directory, cycle));
  }
  return results;
}

/** Two processes of the same program differ by some per cent, whatever is in them: each pair is of fresh ones. */
async function pairsOf(
  program: ServerProgram,
  plan: CostPlan,
  directory: string,
  cycle: LifeCycle,
): Promise<CostPair> {
  const without: number[] = [];
  const withController: number[] = [];
  const place = await openPlace(program, directory, scratch('tune'), cycle);
  try {
    for (let start = 0; start < plan.starts; start++) {
      const pair = await pairOf(program, plan, place.command, cycle);
      without.push(pair.without);
      withController.push(pair.withController);
    }
    return { server: program.name, without, withController };
  } finally {
    await place.close();
  }
}

async function pairOf(
  program: ServerProgram,
  { slices, seconds }: CostPlan,
  command: readonly [string, ...string[]],
  { guardian, signal }: LifeCycle,
): Promise<{ without: number; withController: number }> {
  const target = await LiveTarget.listen(guardian.temporaryDirectory());
  const start = async (variables: Record<string, string>) => {
    const port = await freePort();
    const running = await startCommand(command, { ...variables, PORT: String(port) }, 'nowhere', guardian);
    return { port, running };
  };
  const plain = await start({ UV_THREADPOOL_SIZE: String(BASELINE) });
  const controlled = await start(target.variables(BASELINE));
  try {
    await target.arrived(ARRIVE_MS, signal);
    const rateOf = async ({ port }: { port: number }): Promise<number> => {
      signal.throwIfAborted();
      return requestsPerSecond(program, port, seconds);
    };
    for (const { port } of [plain, controlled]) await untilItListens(port, signal);
    for (const server of [plain, controlled]) await rateOf(server);
    let [without, withController] = [0, 0];
    for (let slice = 0; slice < slices; slice++) {
      // Whoever goes first in one slice goes second in the next.
      for (const server of slice % 2 === 0 ? [plain, controlled] : [controlled, plain]) {
        const rate = (await rateOf(server)) / slices;
        if (server === plain) without += rate;
        else withController += rate;
      }
    }
    return { without, withController };
  } finally {
    await target.close();
    await plain.running.close();
    await controlled.running.close();
  }
}

async function requestsPerSecond(
  { requests }: ServerProgram,
  port: number,
  seconds: number,
): Promise<number> {
  const { paths, connections, method = 'GET', headers = {}, body } = requests;
  // Not for every study: it takes a while to load.
  const { default: autocannon } = await import('autocannon');
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: paths.map((path) => ({
      path,
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
    })),
  });
  if (result.errors + result.non2xx > 0) throw new Error(`${result.errors + result.non2xx} requests failed`);
  return result.requests.total / result.duration;
}
