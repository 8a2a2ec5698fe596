import { AsyncLocalStorage } from 'node:async_hooks';
import { receiveContext } from '@plimsoll/pool/worker';

/** Who asks. Registered in each worker that loads this, so that it comes with the task. */
export const user = new AsyncLocalStorage();
receiveContext({ user });
