import { usage } from '../errors.js';
import { countPool } from '../host/process-pool.js';
import { commandOf, environmentOf, familyOf, isGone, isNodeProcess, parentOf } from '../host/processes.js';
import { listNames, listNumbers, readLink, readText } from '../host/read.js';
import { type EarlierThreads, threadActivities } from '../host/thread-activity.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import {
  type RescueStatus,
  rescueSchema,
  type SeenProcess,
  type SeenThread,
} from '../results/pool-activity.js';
import { doingOf, isBusy, targetOf } from './doing.js';
import { rolesOf } from './roles.js';

/** The text of a program follows, not its name. */
const EVALUATES = /^(-e|-p|-pe|--eval|--print)$/;
const SEARCH_MS = 5000;
const NODE = /(^|\/)node(js)?$/;
/** The file without a name into which a rescue of `@plimsoll/monitor` writes what it does. */
const RESCUE = /\/plimsoll-rescue-[^/]+\/status \(deleted\)$/;

const nodeProcesses = (root = '/'): number[] =>
  (listNumbers(root, '/proc') ?? []).filter((pid) => isNodeProcess(pid, root));

export class Observer {
  readonly #root: string;
  readonly #rescues = new Map<number, { readonly file: number | undefined; readonly atMs: number }>();
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
    const doings = threads.map((thread) =>
      doingOf(thread, before?.threads.get(thread.tid) ?? null, elapsedMs, (blocked) =>
        targetOf(pid, blocked, this.#root),
      ),
    );
    const parked = doings.filter(({ what }) => what === 'parked').length;
    const count = countPool(pid, size, this.#root, threads);
    // libuv's counter does not include parked threads.
    const counted = count === null ? 0 : count.threads + (count.by === 'memory' ? parked : 0);
    const roles = rolesOf(pid, threads, counted, this.#root);
    const seen = doings.map((doing, index): SeenThread => {
      const { tid, name } = threads[index] as (typeof threads)[number];
      return { tid, name, role: roles.get(tid) ?? 'other', doing };
    });
    return {
      ...{ pid, ppid: parentOf(pid, this.#root), program: this.#programOf(pid), size },
      ...{ threads: counted - parked, parked, countedBy: count?.by ?? null },
      busy: seen.filter(({ role, doing }) => role === 'pool' && isBusy(doing)).length,
      rescue: this.#rescueOf(pid, atMs),
      ...{ tellsCalls: threads.every(({ tellsCalls }) => tellsCalls), seen },
    };
  }

  /** A server may have thousands of open files, so they are not searched at each look. */
  #rescueOf(pid: number, atMs: number): RescueStatus | null {
    const known = this.#rescues.get(pid);
    const status = this.#statusIn(pid, known?.file);
    if (status !== null || (known !== undefined && atMs - known.atMs < SEARCH_MS)) return status;
    const files = listNumbers(this.#root, `/proc/${pid}/fd`) ?? [];
    const file = files.findLast((each) => this.#isRescue(pid, each));
    this.#rescues.set(pid, { file, atMs });
    return this.#statusIn(pid, file);
  }

  #isRescue(pid: number, file: number): boolean {
    return RESCUE.test(readLink(this.#root, `/proc/${pid}/fd/${file}`) ?? '');
  }

  /** `null` when the file is closed, or is being written. */
  #statusIn(pid: number, file: number | undefined): RescueStatus | null {
    if (file === undefined || !this.#isRescue(pid, file)) return null;
    try {
      const status = JSON.parse(readText(this.#root, `/proc/${pid}/fd/${file}`) ?? '');
      return rescueSchema.safeParse({ last: null, ...status }).data ?? null;
    } catch {
      return null;
    }
  }

  #programOf(pid: number): string {
    const words = commandOf(pid, this.#root);
    return words
      .map((word, index) => (EVALUATES.test(words[index - 1] ?? '') ? '…' : word))
      .slice(NODE.test(words[0] ?? '') ? 1 : 0)
      .join(' ');
  }
}

/** A plimsoll top, or the npx that runs it. */
const TOP = /(?:^|\/| )(?:plimsoll(?:\.js)?|plimsoll\/dist\/cli\/main\.js) top(?: |$)/;

/** One look at the chosen processes, without this one. */
export function lookAt(observer: Observer, of: number | string | undefined): SeenProcess[] {
  if (listNames('/', '/proc/self/task') === null)
    throw usage(
      'top needs /proc, which only Linux has; on other systems use plimsoll trace or @plimsoll/monitor',
    );
  const all = nodeProcesses().filter((pid) => pid !== process.pid);
  const family = typeof of === 'number' ? familyOf(of, all) : all;
  const seen = family
    .flatMap((pid) => observer.look(pid) ?? [])
    .filter(({ pid, program }) => pid === of || !TOP.test(program));
  const chosen = typeof of === 'string' ? seen.filter(({ program }) => program.includes(of)) : seen;
  if (chosen.length > 0) return chosen.toSorted((a, b) => b.busy - a.busy || a.pid - b.pid);
  if (of === undefined) throw usage('no Node.js process is running here');
  if (typeof of === 'string') throw usage(`no Node.js process has ${JSON.stringify(of)} in its command line`);
  throw usage(isGone(of) ? `there is no process ${of}` : `process ${of} is not a Node.js process`);
}
