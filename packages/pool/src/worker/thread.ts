/** Saved before a worker file can replace them: vitest's `process.exit` throws. */
export const { nextTick } = process;
export const exit: (code: number) => never = process.exit.bind(process);

/** False in pools for tests, whose host is on this thread. */
export const canBlock: boolean = true;

const { _tickCallback } = process as { _tickCallback?: () => void };

/**
 * Node's `runNextTicks`: runs queued microtasks and ticks, and reports unhandled rejections. Does nothing in a microtask.
 * @throws what a tick throws
 */
export const runMicrotasks: () => void = isQuiet(_tickCallback) ? _tickCallback : () => {};

/** False for the stub of `--pending-deprecation`, which warns or throws when it is called. */
function isQuiet(fn: (() => void) | undefined): fn is () => void {
  return fn !== undefined && fn.name !== 'deprecated';
}

/**
 * A process may end once its last promise has settled, and lose output that the host has not taken. So tasks are
 * reported after their output.
 */
const streams = [process.stdout, process.stderr];
const writes = streams.map((stream) => stream.write.bind(stream));

export function isOutputPending(): boolean {
  for (const stream of streams) if (isPending(stream)) return true;
  return false;
}

const isPending = (stream: NodeJS.WriteStream): boolean => stream.writableLength > 0 && stream.writable;

export async function outputTaken(): Promise<void> {
  const pending = writes.filter((_, place) => isPending(streams[place] as NodeJS.WriteStream));
  await Promise.all(pending.map((write) => new Promise<void>((resolve) => write('', () => resolve()))));
}
