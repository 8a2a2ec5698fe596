import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFleet, createTasks, type Fleet, FleetError, type Tasks } from '@plimsoll/bullmq';

interface Module {
  default(value: number): number;
  resize(image: { width: number }): Promise<string>;
  sum(a: number, b: number): number;
  readonly version: string;
}

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

/** Compiled, and never called. */
async function forFleet(fleet: Fleet<Module>): Promise<void> {
  same<Awaited<ReturnType<typeof fleet.run<'resize'>>>, string>(true);
  const doubled: number = await fleet.run(2);
  const name: string = await fleet.run({ width: 1 }, { name: 'resize', priority: 1, jobId: 'a' });
  for await (const each of fleet.map([{ width: 1 }], { name: 'resize', ordered: false }))
    same<typeof each, string>(true);
  for await (const each of fleet.map([1, 2])) same<typeof each, number>(true);
  const proxy = fleet.proxy();
  const sum: number = await proxy.sum(1, 2);
  const other: boolean = await fleet.proxy<{ isOdd(value: number): boolean }>().isOdd(1);
  const job = fleet.job({ width: 1 }, { name: 'resize' });
  same<typeof job.queueName, string>(true);
  // @ts-expect-error the default function takes a number
  await fleet.run('2');
  // @ts-expect-error the module has no such function
  await fleet.run(2, { name: 'rotate' });
  // @ts-expect-error resize takes an object with a width
  await fleet.run({ height: 1 }, { name: 'resize' });
  // @ts-expect-error what is no function cannot be called
  await fleet.run(1, { name: 'version' });
  // @ts-expect-error the items are those of resize
  fleet.map([1], { name: 'resize' });
  // @ts-expect-error items of a loop have no jobId
  fleet.map([1], { jobId: 'a' });
  // @ts-expect-error the calls of a proxy have names of their own
  fleet.proxy({ name: 'sum' });
  // @ts-expect-error sum takes two numbers
  await proxy.sum(1);
  // @ts-expect-error the result is a number
  const wrong: string = await fleet.run(2);
  // @ts-expect-error a transfer list means nothing on another machine
  await fleet.run(2, { transferList: [] });
  void [doubled, name, sum, other, wrong];
}

/** Compiled, and never called. */
async function forTasks(): Promise<void> {
  const tasks: Tasks<Module> = createTasks<Module>({
    filename: 'a',
    fleet: process.env.REDIS_URL && { queue: 'q' },
  });
  const name: string = await tasks.run({ width: 1 }, { name: 'resize', timeout: 1 });
  const sum: number = await tasks.proxy().sum(1, 2);
  for await (const each of tasks.map([1], { attempts: 2 })) same<typeof each, number>(true);
  same<typeof tasks.kind, 'threads' | 'fleet'>(true);
  // @ts-expect-error the module has no such function
  await tasks.run(1, { name: 'rotate' });
  // @ts-expect-error streams are only the pool's
  tasks.stream(1);
  // @ts-expect-error a fleet has a queue
  createTasks({ filename: 'a', fleet: {} });
  const untyped = createTasks({ filename: 'a' });
  const unknown: unknown = await untyped.run({ any: 1 }, { name: 'anything' });
  // @ts-expect-error what comes back is for the caller to judge
  const text: string = await untyped.run(1);
  void [name, sum, unknown, text];
}

test('fleets and tasks are typed by their module', () => {
  assert.equal(typeof forFleet, 'function');
  assert.equal(typeof forTasks, 'function');
  // @ts-expect-error a queue has a name
  const unnamed = (): unknown => createFleet({});
  assert.throws(unnamed, TypeError);
  const error: unknown = new FleetError('PLIMSOLL_FLEET_LOST', 'gone');
  if (error instanceof FleetError) same<typeof error.code extends string ? true : false, true>(true);
});
