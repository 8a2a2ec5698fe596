import { closeSync, constants, open, openSync } from 'node:fs';

/**
 * Occupy a pool thread per FIFO without using CPU: open(2) for reading waits in the kernel until somebody opens the FIFO
 * for writing. The queue is first in, first out, so whatever is submitted from now on waits behind them, whether the
 * threads have already arrived there or not.
 */
export function blockPool(fifos: readonly string[]): void {
  for (const fifo of fifos)
    open(fifo, 'r', (error, file) => {
      if (error !== null) throw error;
      closeSync(file);
    });
}

const RETRY_MS = 1;

export async function release(fifos: readonly string[]): Promise<void> {
  for (const fifo of fifos) {
    while (!openedForWriting(fifo)) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function openedForWriting(fifo: string): boolean {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    // Nobody reads it yet: its thread has not arrived.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return false;
    throw error;
  }
}
