import { AsyncLocalStorage } from 'node:async_hooks';
import { receiveContext } from '@plimsoll/pool/worker';

/** What travels with tasks of random programs: the id of the task. */
export const user = new AsyncLocalStorage();
receiveContext({ user });
