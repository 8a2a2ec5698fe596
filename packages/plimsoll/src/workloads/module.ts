import { type ReadyWorkload, type RunContext, timed } from './workload.js';

/** What a user's workload module may export. */
export interface WorkloadModule {
  /** One round, timed from its call until its promise settles. */
  default(context: ModuleContext): Promise<unknown> | unknown;
  /** Operations of one call; by default 1. */
  operations?: number;
  /** Whether two processes cannot run it at a time, as with a port: sizes are then measured one after another. */
  isolated?: boolean;
  /** Called once before the first round, not timed. */
  setup?(context: ModuleContext): Promise<unknown> | unknown;
  /** Called once after the last round, not timed. */
  teardown?(context: ModuleContext): Promise<unknown> | unknown;
}

/** What plimsoll passes to every function of a workload module. */
export interface ModuleContext extends Omit<RunContext, 'names'> {
  /** Operations of one call: `--ops`, or what the module exports. */
  readonly operations: number;
  /** The value of `--scale`; a module may multiply the cost of its operations by it. */
  readonly scale: number;
}

/** The message says what a workload module lacks. */
export class BadModule extends Error {
  override readonly name = 'BadModule';
}

function check(exports: Record<string, unknown>): WorkloadModule {
  const { default: run, operations, isolated } = exports;
  if (typeof run !== 'function') {
    const names = Object.keys(exports).join(', ') || 'nothing';
    const found = run === undefined ? `it has none (it exports ${names})` : `it is ${typeof run}`;
    throw new BadModule(`its default export must be an async function, but ${found}`);
  }
  for (const name of ['setup', 'teardown'])
    if (!['undefined', 'function'].includes(typeof exports[name]))
      throw new BadModule(`its export ${name} must be a function, not ${typeof exports[name]}`);
  if (operations !== undefined && !(Number.isInteger(operations) && Number(operations) > 0))
    throw new BadModule(`its export operations must be a whole number from 1, not ${String(operations)}`);
  if (isolated !== undefined && typeof isolated !== 'boolean')
    throw new BadModule(`its export isolated must be true or false, not ${typeof isolated}`);
  return exports as unknown as WorkloadModule;
}

/**
 * Load a user's module and run its set-up.
 *
 * @param url file URL of the module.
 * @throws {BadModule} for wrong exports; and any error of the module.
 */
export async function prepareModule(
  url: string,
  options: { operations: number | null; scale: number },
  context: RunContext,
): Promise<ReadyWorkload> {
  const module = check(await import(url));
  const operations = options.operations ?? module.operations ?? 1;
  const moduleContext: ModuleContext = {
    // The size may change between calls.
    get size() {
      return context.size;
    },
    directory: context.directory,
    operations,
    scale: options.scale,
  };
  await module.setup?.(moduleContext);
  return {
    operations,
    isolated: module.isolated === true,
    round: (_, record) => timed(record, async () => module.default(moduleContext)),
    async close() {
      await module.teardown?.(moduleContext);
    },
  };
}
