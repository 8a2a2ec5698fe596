import { type ReadyWorkload, type RunContext, timed } from './workload.js';

/** What a user's workload module may export. */
export interface WorkloadModule {
  /** One round of the work; it is timed from its call until its promise settles. */
  default(context: ModuleContext): Promise<unknown> | unknown;
  /** How many operations one call does; 1 when absent. */
  operations?: number;
  /** It owns something that two processes cannot have at a time, such as a port: sizes are then measured one after another. */
  isolated?: boolean;
  /** Called once before the first round, not timed. */
  setup?(context: ModuleContext): Promise<unknown> | unknown;
  /** Called once after the last round, not timed. */
  teardown?(context: ModuleContext): Promise<unknown> | unknown;
}

/** What plimsoll passes to every function of a workload module. */
export interface ModuleContext extends Omit<RunContext, 'names'> {
  /** Operations that one call should do: `--ops`, or what the module exports. */
  readonly operations: number;
  /** The value of `--scale`; a module may multiply the cost of its operations by it. */
  readonly scale: number;
}

/** A module that cannot be a workload; the message says what is missing. */
export class BadModule extends Error {
  override readonly name = 'BadModule';
}

function check(exports: Record<string, unknown>): WorkloadModule {
  const { default: run, operations, isolated } = exports;
  if (run === undefined) {
    const names = Object.keys(exports).join(', ') || 'nothing';
    throw new BadModule(
      `its default export must be an async function, but it has none (it exports ${names})`,
    );
  }
  if (typeof run !== 'function')
    throw new BadModule(`its default export must be an async function, but it is ${typeof run}`);
  for (const name of ['setup', 'teardown']) {
    const value = exports[name];
    if (value !== undefined && typeof value !== 'function')
      throw new BadModule(`its export ${name} must be a function, not ${typeof value}`);
  }
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
 * @throws {BadModule} when its exports are not those of a workload; whatever the module itself throws.
 */
export async function prepareModule(
  url: string,
  options: { operations: number | null; scale: number },
  context: RunContext,
): Promise<ReadyWorkload> {
  const module = check(await import(url));
  const operations = options.operations ?? module.operations ?? 1;
  const given: ModuleContext = {
    // It may change between calls.
    get size() {
      return context.size;
    },
    directory: context.directory,
    operations,
    scale: options.scale,
  };
  await module.setup?.(given);
  return {
    operations,
    isolated: module.isolated === true,
    round: (_, record) =>
      timed(record, async () => {
        await module.default(given);
      }),
    async close() {
      await module.teardown?.(given);
    },
  };
}
