// All tasks, and those that use what `@plimsoll/pool/worker` gives them.
import { receiveContext, task } from '@plimsoll/pool/worker';
import { block, log } from '../log.js';
import { storage } from '../tasks.js';

export * from '../tasks.js';

receiveContext({ store: storage });

/** Ends when it hears of its abort. */
export const tidy = (label: string): Promise<void> =>
  new Promise((resolve) => {
    task.signal.addEventListener('abort', () => {
      log('tidied');
      resolve();
    });
    log(`began ${label}`);
  });

/** Looks without a pause whether it is aborted. */
export function loop(label: string): void {
  log(`began ${label}`);
  const until = Date.now() + 2000;
  while (!task.aborted && Date.now() < until) block(1);
  if (task.aborted) log('loop saw');
}

export const everywhere = (): void => log('ran everywhere');
