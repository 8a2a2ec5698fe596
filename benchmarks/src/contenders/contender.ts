import type { Transferable } from 'node:worker_threads';

/** The tasks of `tasks/`. */
export type TaskName = 'add' | 'echo' | 'busy' | 'pass-on' | 'carry';

/** These transfer what they return, which every library spells differently. */
const SPELLED: readonly TaskName[] = ['pass-on', 'carry'];

export interface Setup {
  readonly task: TaskName;
  /** Workers, from the first to the last moment: no contender starts or stops any while it is measured. */
  readonly threads: number;
}

/**
 * A pool at work. Thin on purpose: what is measured is the library's call and nothing around it. There is no `close`: the
 * process is killed with everything in it once it has answered, so that no slow farewell can spoil a run.
 */
export interface OpenPool {
  run(task: unknown, transfer?: readonly Transferable[]): PromiseLike<unknown>;
  /** Results in the order of the items, so many of which are under way; where the library has it. */
  readonly map?: (items: Iterable<unknown>, concurrency: number) => AsyncIterable<unknown>;
}

/** What each module of this folder exports. */
export interface Contender {
  open(setup: Setup): OpenPool;
}

/** The module of a task; `library` chooses the spelling where there are several. */
export function taskUrl(task: TaskName, library: string): URL {
  return new URL(
    SPELLED.includes(task) ? `../tasks/${task}/${library}.js` : `../tasks/${task}.js`,
    import.meta.url,
  );
}
