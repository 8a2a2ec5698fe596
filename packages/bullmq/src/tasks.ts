import type { AnyModule, NameOf, Proxied, ResultOf, TaskOf } from '@plimsoll/pool';
import type { FleetMapOptions, FleetProxyOptions, FleetRunOptions } from './options.js';

/** What runs tasks, on threads of this process or on a fleet: code that uses this need not know which. */
export interface Tasks<Module = AnyModule> {
  /** Where tasks run. */
  readonly kind: 'threads' | 'fleet';
  /** Tasks can be run: the task module is loaded, or Redis is reached. */
  readonly ready: Promise<void>;
  /** Tasks whose promise was settled. */
  readonly completed: number;
  /** Runs a task, and gives what its function gives. Rejects, and never throws. */
  run<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: FleetRunOptions & { readonly name?: Name | null | undefined },
  ): Promise<ResultOf<Module, Name>>;
  /** The exported functions as if they were here. */
  proxy<Of = Module>(options?: FleetProxyOptions): Proxied<Of>;
  /** Runs a task for each item, with a bound on how many are in memory. */
  map<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    items: Iterable<TaskOf<Module, Name>> | AsyncIterable<TaskOf<Module, Name>>,
    options?: FleetMapOptions & { readonly name?: Name | null | undefined },
  ): AsyncIterableIterator<ResultOf<Module, Name>, undefined>;
  /** Refuses further tasks, and waits for those that were submitted. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
