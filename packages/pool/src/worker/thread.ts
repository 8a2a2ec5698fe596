/** Taken before a worker file can put a fake in its place: vitest's `process.exit` throws. */
export const { nextTick } = process;
export const exit: (code: number) => never = process.exit.bind(process);

/** May a task block this thread until its host has answered? */
export const canBlock: boolean = true;

const { _tickCallback } = process as { _tickCallback?: () => void };

/**
 * Runs the microtasks and ticks that are queued, and reports unhandled rejections, as Node does between two callbacks of its own:
 * `runNextTicks`, which it keeps under this name. Does nothing inside a microtask.
 *
 * @throws what a tick throws
 */
export const runMicrotasks: () => void = isQuiet(_tickCallback) ? _tickCallback : () => {};

/** With `--pending-deprecation` Node warns of it when it is called, or throws. */
function isQuiet(fn: (() => void) | undefined): fn is () => void {
  return fn !== undefined && fn.name !== 'deprecated';
}

/**
 * What this thread has printed and its host has not taken yet. A process may end once the last promise is settled, and what has not
 * left the worker by then is lost; so a task is reported after its output.
 */
const streams = [process.stdout, process.stderr];
/** Taken before worker files can replace it. */
const writes = streams.map((stream) => stream.write.bind(stream));

export function isOutputPending(): boolean {
  for (const stream of streams) if (isPending(stream)) return true;
  return false;
}

const isPending = (stream: NodeJS.WriteStream): boolean => stream.writableLength > 0 && stream.writable;

/** Resolves when the host has taken everything that was printed before. */
export async function outputTaken(): Promise<void> {
  const pending = writes.filter((_, place) => isPending(streams[place] as NodeJS.WriteStream));
  await Promise.all(pending.map((write) => new Promise<void>((resolve) => write('', () => resolve()))));
}
