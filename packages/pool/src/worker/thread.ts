/** Saved before a worker file can replace them: vitest's `process.exit` throws. */
export const { nextTick } = process;
export const exit: (code: number) => never = process.exit.bind(process);

/** False in pools for tests, whose host is on this thread. */
export const canBlock: boolean = true;

const { _tickCallback } = process as { _tickCallback?: () => void };

/**
 * Node's `runNextTicks`: runs queued microtasks and ticks and reports unhandled rejections, as between two of
 * Node's own callbacks. Does nothing inside a microtask.
 * @throws what a tick throws
 */
export const runMicrotasks: () => void = isQuiet(_tickCallback) ? _tickCallback : () => {};

/** False for the stub of `--pending-deprecation`, which warns or throws when it is called. */
function isQuiet(fn: (() => void) | undefined): fn is () => void {
  return fn !== undefined && fn.name !== 'deprecated';
}

/**
 * Output in these streams is lost if the process ends before the host has taken it, as it may once the last promise
 * has settled. So a task is reported after its output.
 */
const streams = [process.stdout, process.stderr];
/** Saved before a worker file can replace it. */
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
