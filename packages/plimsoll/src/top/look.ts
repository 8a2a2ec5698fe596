import { countPool } from '../host/process-pool.js';
import { commandOf, environmentOf, isNodeProcess, parentOf } from '../host/processes.js';
import { listNumbers } from '../host/read.js';
import { type EarlierThreads, threadActivities } from '../host/thread-activity.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import type { Doing, RescueStatus, SeenProcess, SeenThread } from '../results/pool-activity.js';
import { doingOf, isBusy } from './doing.js';
import { rescueStatus, statusFileOf } from './rescue.js';
import { rolesOf } from './roles.js';
import { targetOf } from './target.js';

/** What follows is a program's text, and no name of one. */
const EVALUATES = /^(-e|-p|-pe|--eval|--print)$/;
const SEARCH_MS = 5000;
const NODE = /(^|\/)node(js)?$/;

export const nodeProcesses = (root = '/'): number[] =>
  (listNumbers(root, '/proc') ?? []).filter((pid) => isNodeProcess(pid, root));

export class Observer {
  readonly #root: string;
  readonly #rescues = new Map<number, { readonly file: number | null; readonly atMs: number }>();
  readonly #before = new Map<number, { atMs: number; threads: EarlierThreads }>();

  constructor(root = '/') {
    this.#root = root;
  }

  look(pid: number, atMs: number = performance.now()): SeenProcess | null {
    const before = this.#before.get(pid);
    const threads = threadActivities(pid, this.#root, before?.threads);
    if (threads === null || threads.length === 0) {
      this.#before.delete(pid);
      this.#rescues.delete(pid);
      return null;
    }
    const elapsedMs = before === undefined ? 0 : atMs - before.atMs;
    this.#before.set(pid, { atMs, threads: new Map(threads.map((thread) => [thread.tid, thread])) });
    const size = poolSizeOf(environmentOf(pid, this.#root)?.('UV_THREADPOOL_SIZE') ?? null);
    const doing = threads.map((thread) =>
      doingOf(thread, before?.threads.get(thread.tid) ?? null, elapsedMs, (blocked) =>
        targetOf(pid, blocked, this.#root),
      ),
    );
    const parked = doing.filter(({ what }) => what === 'parked').length;
    const count = countPool(pid, size, this.#root, threads);
    // libuv's own counter is without them.
    const there = count === null ? 0 : count.threads + (count.by === 'memory' ? parked : 0);
    const roles = rolesOf(pid, threads, there, this.#root);
    const seen = threads.map(
      ({ tid, name }, index): SeenThread => ({
        ...{ tid, name, role: roles.get(tid) ?? 'other' },
        doing: doing[index] as Doing,
      }),
    );
    const pool = seen.filter(({ role }) => role === 'pool');
    return {
      ...{ pid, ppid: parentOf(pid, this.#root), program: this.#programOf(pid), size },
      ...{ threads: there - parked, parked, countedBy: count?.by ?? null },
      busy: pool.filter(({ doing }) => isBusy(doing)).length,
      rescue: this.#rescueOf(pid, atMs),
      ...{ tellsCalls: threads.every(({ tellsCalls }) => tellsCalls), seen },
    };
  }

  /** A server may have thousands of files, so they are not looked through each time. */
  #rescueOf(pid: number, atMs: number): RescueStatus | null {
    const known = this.#rescues.get(pid);
    const status = typeof known?.file === 'number' ? rescueStatus(pid, known.file, this.#root) : null;
    if (status !== null || (known !== undefined && atMs - known.atMs < SEARCH_MS)) return status;
    const file = statusFileOf(pid, this.#root);
    this.#rescues.set(pid, { file, atMs });
    return file === null ? null : rescueStatus(pid, file, this.#root);
  }

  #programOf(pid: number): string {
    const words = commandOf(pid, this.#root);
    return words
      .map((word, index) => (EVALUATES.test(words[index - 1] ?? '') ? '…' : word))
      .slice(NODE.test(words[0] ?? '') ? 1 : 0)
      .join(' ');
  }
}
