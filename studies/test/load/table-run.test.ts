import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { createRandom, PlimsollError } from '@plimsoll/lab';
import type { LoadPlan, Table } from '#studies/load/options.js';
import { measureTable, type TableContext } from '#studies/load/table-run.js';
import type { Target } from '#studies/load/target/target.js';

const nothing = {
  operationsMs: null,
  operationFailures: 0,
  firstFailure: null,
  endedAt: null,
  cpuSeconds: null,
  maxRssBytes: 2 ** 20,
  eventLoopDelayMs: null,
  died: 0,
  observedThreads: [],
  problems: [],
};

/** Servers of this process that answer after some milliseconds, and say what is done to them. */
function stage(
  delayMs: (size: number) => number = () => 1,
  finish: (size: number, slice: number) => void = () => {},
) {
  const log: string[] = [];
  const slices = new Map<number, number>();
  let alive = 0;
  let most = 0;
  const start = async (size: number): Promise<Target> => {
    const server = createServer((_, response) => {
      log.push(`request ${size}`);
      setTimeout(() => response.end(), delayMs(size));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    most = Math.max(most, ++alive);
    log.push(`start ${size}`);
    let isOpen = true;
    return {
      url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      bystander: null,
      died: new Promise(() => {}),
      begin: () => void log.push(`begin ${size}`),
      finish: async () => {
        slices.set(size, (slices.get(size) ?? 0) + 1);
        finish(size, slices.get(size) as number);
        return nothing;
      },
      close: async () => {
        if (isOpen) alive--;
        isOpen = false;
        await new Promise((resolve) => server.close(resolve));
        return null;
      },
    };
  };
  return { start, log, alive: () => alive, most: () => most };
}

const table: Table = {
  mode: 'command',
  instances: 1,
  traffic: { name: 'own', kind: 'closed', parallel: 2, requests: 3 },
};
const SIZES = [2, 4, 64];
/** So many generations, however long they take. */
const ONE_BY_ONE = { isolated: true, timeMs: null } as const;
const options: LoadPlan = {
  target: { kind: 'command', command: ['none'], url: new URL('http://127.0.0.1:0/'), bystander: null },
  cases: [table.traffic],
  sizes: SIZES,
  baseline: 4,
  isolated: false,
  timeMs: 15_000,
  blocks: 10,
  seed: 1,
  deadlineMs: 10_000,
};

function contextOf(
  start: TableContext['start'],
  given: Partial<LoadPlan> = {},
  threads = 1000,
): TableContext {
  return {
    guardian: undefined as never,
    random: createRandom(1),
    signal: new AbortController().signal,
    options: { ...options, ...given },
    environment: {
      limits: { pidsHeadroom: threads },
      cpu: { effectiveCpus: 2 },
    } as TableContext['environment'],
    start,
    onGeneration: () => {},
  };
}

describe('a table of a load', () => {
  test('every block gives each size and the twin one slice, and every generation has fresh servers', async () => {
    const { start, log, alive, most } = stage((size) => (size === 4 ? 1 : 8));
    const { outcome, slices } = await measureTable(table, contextOf(start, { timeMs: 1500 }), null);
    assert.ok(outcome.generations >= 1 && outcome.rounds.length > 0, outcome.stop);
    for (let generation = 0; generation < outcome.generations; generation++)
      for (let block = 0; block < slices.blocks; block++) {
        const of = outcome.rounds.filter((round) => round.generation === generation && round.block === block);
        assert.deepEqual(of.map(({ arm }) => String(arm)).sort(), ['2', '4', '64', 'twin']);
      }
    // One more for the trial.
    assert.equal(log.filter((line) => line.startsWith('start')).length, 1 + 4 * outcome.generations);
    assert.deepEqual([alive(), most()], [0, 4]);
  });

  test('a slower size is found, and the answer ends it', async () => {
    // Long against what timers of a busy machine are late; where it is held up, it takes more generations.
    const { start } = stage((size) => (size === 2 ? 120 : 40));
    const results: Parameters<TableContext['onGeneration']>[1][] = [];
    const context: TableContext = {
      ...contextOf(start, { sizes: [2, 4], ...ONE_BY_ONE, blocks: 40 }),
      onGeneration: (_, known) => results.push(known),
    };
    const { outcome } = await measureTable(table, context, null);
    assert.equal(outcome.stop, 'settled');
    assert.ok(outcome.generations >= 4);
    assert.equal(results.length, outcome.generations);
    const result = results.at(-1);
    assert.equal(result?.recommended, 4);
    assert.ok((result?.comparisons.get(2)?.ratio ?? 0) > 1);
  });

  test('a size whose server fails is lost with its reason, and the others go on', async () => {
    const { start, alive } = stage(undefined, (size, slice) => {
      if (size === 64 && slice > 3) throw new PlimsollError('PLIMSOLL_TARGET_DIED', 'it died');
    });
    const { outcome } = await measureTable(table, contextOf(start, { ...ONE_BY_ONE, blocks: 5 }), null);
    assert.deepEqual([...outcome.lost.keys()], [64]);
    assert.notEqual(outcome.stop, 'failed');
    assert.equal(outcome.rounds.at(-1)?.arm === 64, false);
    assert.equal(alive(), 0);
  });

  test('without the baseline nothing can be told', async () => {
    const { start, alive } = stage(undefined, (size, slice) => {
      if (size === 4 && slice > 6) throw new PlimsollError('PLIMSOLL_TARGET_DIED', 'it died');
    });
    const { outcome } = await measureTable(table, contextOf(start, { ...ONE_BY_ONE, blocks: 5 }), null);
    assert.equal(outcome.stop, 'failed');
    assert.match(String(outcome.error), /it died/);
    assert.equal(alive(), 0);
  });

  test('isolated: one server at a time, with the whole traffic', async () => {
    const { start, most } = stage();
    const context = contextOf(start, { ...ONE_BY_ONE, blocks: 2 });
    const { outcome, slices } = await measureTable(table, context, null);
    assert.deepEqual([outcome.generations, outcome.rounds.length, most()], [2, 8, 1]);
    assert.deepEqual(slices.traffic, { kind: 'closed', parallel: 2, requests: 3 });
  });

  test('every process of a cluster is warm before its first slice', async () => {
    const { start, log } = stage();
    const cluster: Table = { ...table, instances: 3 };
    await measureTable(cluster, contextOf(start, { ...ONE_BY_ONE, blocks: 1 }), null);
    const begins = log.flatMap((line, index) => (line.startsWith('start') ? [index] : []));
    for (const begin of begins) {
      const rest = log.slice(begin + 1);
      const slice = rest.findIndex((line, index) => line.startsWith('begin') && index > rest.indexOf(line));
      assert.equal(rest.slice(0, slice).filter((line) => line.startsWith('request')).length, 6, `${rest}`);
    }
  });

  test('an open loop sends the same at every size of a block, and something else in the next one', async () => {
    const { start } = stage();
    const open: Table = { ...table, traffic: { name: 'open', kind: 'open', rate: 100, durationMs: 200 } };
    const { outcome } = await measureTable(open, contextOf(start, { ...ONE_BY_ONE, blocks: 3 }), null);
    const sent = new Map<string, number[]>();
    for (const { generation, block, result } of outcome.rounds) {
      const place = `${generation} ${block}`;
      sent.set(place, [...(sent.get(place) ?? []), result.sent]);
    }
    for (const ofBlock of sent.values()) assert.equal(new Set(ofBlock).size, 1, `${ofBlock}`);
    assert.ok(new Set([...sent.values()].flat()).size > 1, `${[...sent.values()]}`);
  });

  test('an interrupted one keeps its slices and leaves no server; continued, it takes complete generations over', async () => {
    const { start, alive } = stage();
    const controller = new AbortController();
    const context: TableContext = {
      ...contextOf(start, { ...ONE_BY_ONE, blocks: 5 }),
      signal: controller.signal,
      onGeneration: ({ outcome }) => {
        if (outcome.generations === 2) controller.abort();
      },
    };
    const cut = await measureTable(table, context, null);
    assert.deepEqual([cut.outcome.stop, cut.outcome.generations, alive()], ['interrupted', 2, 0]);
    const rest = await measureTable(table, contextOf(start, { ...ONE_BY_ONE, blocks: 5 }), cut);
    assert.ok(rest.outcome.generations > 2);
    assert.deepEqual(rest.outcome.rounds.slice(0, 8), cut.outcome.rounds);
    assert.ok(rest.outcome.rounds.slice(8).every(({ generation }) => generation >= 2));
  });
});
