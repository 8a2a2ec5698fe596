import { threadId } from 'node:worker_threads';
import { WorkerError } from '../errors.js';
import type { LifecycleHooks } from '../shared/messages.js';
import { messageOf } from '../shared/untrusted.js';

type HookOf = (name: string) => Promise<unknown>;

export type Lifecycle = ReturnType<typeof lifecycleOf>;

/**
 * What worker files do once in each worker: `setup()` before their first task, `dispose()` before the worker ends, or as they are called.
 *
 * @param onDispose there is something to dispose of
 */
export function lifecycleOf(names: LifecycleHooks, onDispose: () => void) {
  const entered = new Map<string, Promise<void>>();
  const disposals: (() => unknown)[] = [];

  async function setUp(hookOf: HookOf): Promise<void> {
    const setup = names.setup === undefined ? undefined : await hookOf(names.setup);
    if (typeof setup === 'function') await setup();
    const dispose = names.dispose === undefined ? undefined : await hookOf(names.dispose);
    if (typeof dispose !== 'function') return;
    disposals.push(dispose as () => unknown);
    onDispose();
  }

  return {
    /** A file has been loaded for a task. Rejects if its `setup()` fails, each time that it is asked. */
    async enter(filename: string, taskName: string, hookOf: HookOf): Promise<void> {
      const entry = entered.get(filename) ?? setUp(hookOf);
      entered.set(filename, entry);
      try {
        await entry;
      } catch (cause) {
        const message = `setup() of ${filename} failed: ${messageOf(cause)}`;
        const context = { threadId, taskName, filename };
        throw new WorkerError('PLIMSOLL_POOL_START_FAILED', message, context, { cause });
      }
    },

    /** Disposes of all files, the last one first, whatever others throw. Rejects with the first error. */
    async dispose(): Promise<void> {
      const errors: unknown[] = [];
      for (const dispose of disposals.splice(0).reverse()) {
        try {
          await dispose();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
