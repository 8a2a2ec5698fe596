import { host } from '@plimsoll/pool/worker';

// What the tasks of random programs call on the host, and what they check of the answers.

/** Functions of the host, by what must become of their calls: the codes or names of errors; null: the argument comes back. */
export const CALLS = {
  back: null,
  backLater: null,
  own: null,
  fails: 'RangeError',
  failsLater: 'RangeError',
  oddAnswer: 'PLIMSOLL_POOL_UNCLONEABLE',
  missing: 'PLIMSOLL_POOL_NO_HOST_FUNCTION',
  never: 'PLIMSOLL_POOL_HOST_TIMEOUT',
  /** A task that may wait for this one, or be refused for whatever reason. */
  nests: undefined,
  aborts: null,
};

/** May come of any call: virtual time passes by leaps, a task is asked to end, and a worker in process cannot block. */
const ANYWAY = ['PLIMSOLL_POOL_HOST_TIMEOUT', 'PLIMSOLL_POOL_ABORTED', 'PLIMSOLL_POOL_TIMEOUT'];

/** @throws when the answer, or the error, is not what must come */
function judge(name, id, answer, error, more = []) {
  const expected = CALLS[name];
  const codes = [error?.code, error?.name];
  if (expected === undefined || codes.some((code) => [...ANYWAY, ...more].includes(code))) return;
  if (expected === null ? error === undefined && answer === id : codes.includes(expected)) return;
  throw Object.assign(new Error(`host.${name}(${id}) gave ${answer}, ${error?.stack}`), { isWrong: true });
}

export async function calls(task) {
  const { id, call = 'back', odd } = task;
  if (odd) await host.back(() => id).catch((error) => judge('oddAnswer', id, undefined, error));
  let answer;
  let failure;
  try {
    answer = await host[call](id);
  } catch (error) {
    failure = error;
  }
  judge(call, id, answer, failure);
  return { id };
}

/** As above, and blocks its thread. */
export function blocks({ id, call = 'back' }) {
  let answer;
  let failure;
  try {
    answer = host.sync[call](id);
  } catch (error) {
    failure = error;
  }
  judge(call, id, answer, failure, ['PLIMSOLL_POOL_DEADLOCK']);
  return { id };
}

/** Calls of tasks that are over, by their ids: gone when they are settled. Only in this thread. */
export const left = new Map();

/** Ends before its calls. */
export function leaves({ id }) {
  let open = 2;
  left.set(id, open);
  const end = () => {
    if (--open === 0) left.delete(id);
  };
  host.never(id).then(end, end);
  host.back(id).then(end, end);
  return { id };
}

export async function* callingItems(task) {
  for (let item = 0; item < (task?.length ?? 5); item++) {
    // Answered while no task runs, perhaps.
    const early = host.backLater(item);
    early.catch(() => {});
    yield item;
    judge('backLater', item, ...(await outcome(early)));
  }
}

const outcome = (promise) =>
  promise.then(
    (answer) => [answer],
    (error) => [undefined, error],
  );
