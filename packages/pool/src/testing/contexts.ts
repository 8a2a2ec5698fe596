import { provideContext, type TaskContext } from '../shared/task-context.js';

type Provider = () => TaskContext | undefined;

/** Those of all pools: each worker knows its own tasks, and all of them are on this thread. */
const providers = new Set<Provider>();

function current(): TaskContext | undefined {
  for (const provider of providers) {
    const context = provider();
    if (context !== undefined) return context;
  }
  return undefined;
}

/** Whoever asks `task` of `@plimsoll/pool/worker` is told by the worker whose task it is. */
export class Contexts {
  /** With what ends each: a storage that has been used costs every promise of the process something. */
  readonly #own = new Map<Provider, () => void>();

  add(provider: Provider, end: () => void = () => {}): void {
    this.#own.set(provider, end);
    providers.add(provider);
    provideContext(current);
  }

  clear(): void {
    for (const [provider, end] of this.#own) {
      providers.delete(provider);
      end();
    }
    this.#own.clear();
  }
}
