import { isMainThread, receiveMessageOnPort } from 'node:worker_threads';
import { host, move } from '@plimsoll/pool/worker';
import { user } from './stores.mjs';

// Tasks of random programs that meet others: by functions of the host which submit these, or by ports.

/** Milliseconds, or turns without threads, after which what must come does not come any more. */
const LATE = 15_000;
const LATE_TURNS = 200_000;

const wrong = (message) => Object.assign(new Error(message), { isWrong: true });

/** The function always answers, and what it waits for always has a worker, so only the pool can have kept it. */
function judge(call, { id, storesId }, { answer, error }) {
  if (error?.code === 'PLIMSOLL_POOL_HOST_TIMEOUT' || error?.isWrong)
    throw wrong(`host.${call}(${id}): ${error}`);
  if (error === undefined && answer !== id) throw wrong(`host.${call}(${id}) gave ${answer}`);
  if (storesId && user.getStore() !== id) throw wrong(`the store of ${id} is ${user.getStore()}`);
  return { id };
}

export async function meets(task) {
  const { id, call } = task;
  return judge(
    call,
    task,
    await host[call](id).then(
      (answer) => ({ answer }),
      (error) => ({ error }),
    ),
  );
}

export function meetsBlocking(task) {
  const { id, call } = task;
  try {
    return judge(call, task, { answer: host.sync[call](id) });
  } catch (error) {
    if (error.isWrong) throw error;
    return judge(call, task, { error });
  }
}

/** Ends when something comes through its port, or through the one by which the host says that nothing will. */
export async function waits({ id, port, end }) {
  const hasCome = await (isMainThread ? polled : heard)([port, end]);
  for (const each of [port, end]) each.close();
  if (!hasCome) throw wrong(`nothing has come to ${id}`);
  return { id };
}

function heard(ports) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LATE, false);
    const come = () => {
      clearTimeout(timer);
      resolve(true);
    };
    for (const port of ports) port.once('message', come);
  });
}

/** In the same number of turns each time. */
async function polled(ports) {
  for (let turn = 0; turn < LATE_TURNS; turn++) {
    if (ports.some((port) => receiveMessageOnPort(port) !== undefined)) return true;
    await new Promise(setImmediate);
  }
  return false;
}

export function says({ id, port }) {
  port.postMessage(id);
  port.close();
  return { id };
}

/** Its result takes long to read. */
export const large = ({ id, length }) => ({
  id,
  list: Array.from({ length }, (_, item) => `item ${item} of ${id}`),
});
export const stored = () => ({ id: user.getStore() });
/** Others are shorter. */
export function busy({ id, milliseconds }) {
  if (!isMainThread) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  return { id };
}
export const measured = (id, buffer) => ({ id, length: buffer.byteLength });
export const moved = (buffer) => move(buffer);
export function shares({ id, shared }) {
  Atomics.add(shared, 0, 1);
  return { id };
}
export async function lengths(items) {
  let sum = 0;
  for await (const { byteLength } of items) sum += byteLength;
  return sum;
}
