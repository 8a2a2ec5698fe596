import { threadId } from 'node:worker_threads';
import { WorkerError } from '../errors.js';
import type { LifecycleHooks } from '../shared/messages.js';
import { messageOf } from '../shared/untrusted.js';

type HookOf = (name: string) => Promise<unknown>;

export type Lifecycle = ReturnType<typeof lifecycleOf>;

/** Runs the hooks of worker files, once per worker. @param onDispose called when a file has a `dispose` hook */
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
    /** Runs `setup()` once. If it fails, every call rejects with WorkerError PLIMSOLL_POOL_START_FAILED. */
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

    /** Calls all `dispose()` hooks, the latest first, even if some fail. Rejects with the first error. */
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
