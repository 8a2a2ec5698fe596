import { PoolError } from '../errors.js';
import type { HostRequest } from '../shared/calls.js';
import { Encoder } from '../shared/codec/encode.js';
import { restore, type Thrown } from '../shared/error-record.js';
import { askHost, awaitAnswer, isAnswered, tooLate } from '../shared/host-call.js';
import { FLAGS, PAYLOAD } from '../shared/layout.js';
import { copyWords, describe, slotCapacity } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { isMovable, unwrap } from '../shared/move.js';
import { slotAt } from '../shared/table.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import { uncloneable, unreadable } from '../shared/uncloneable.js';
import type { Channel } from './channel.js';
import { spinnerOf } from './spin.js';
import { canBlock } from './thread.js';

export type HostCalls = ReturnType<typeof hostCallsOf>;

/** A task, or the code of a stream, that calls host functions. */
export interface Caller {
  readonly slots: ReadonlySet<number>;
  /** Ends its unanswered calls. Without a reason, they are rejected because the task is over. */
  readonly calls: Set<(reason?: unknown) => void>;
}

type Settle = (value: unknown, isFailed: boolean) => void;

export function hostCallsOf(channel: Channel) {
  const { table, index, hostTimeout } = channel;
  const { layout, words } = table;
  const encoder = new Encoder();
  const pending = new Map<number, Settle>();
  let last = 0;
  /** The number of the call that blocks this thread. */
  let awaited = 0;
  const spinner = spinnerOf(table, -(index + 1), () => isAnswered(table, index, awaited), 4);
  channel.onAnswer = (number, isFailed, payload) => {
    const settle = pending.get(number);
    if (settle === undefined) return;
    try {
      const value = channel.read(payload);
      settle(isFailed ? restore(value as Thrown) : value, isFailed);
    } catch (reason) {
      settle(unreadable('answer', reason), true);
    }
  };

  function slotOf({ slots }: Caller, name: string): number {
    const [slot] = slots;
    if (slot === undefined) throw tooLate(name);
    return slot;
  }

  function post(number: number, payload: message.Payload, transfer: message.TransferList): void {
    channel.post(['payload', ~number, 0, payload], transfer);
  }

  function call(caller: Caller, [name, items]: HostRequest): Promise<unknown> {
    const promise = new Promise((resolve, reject) => {
      const slot = slotOf(caller, name);
      const number = ++last;
      const { args, transfer } = unmoved(items);
      try {
        post(number, { value: [name, args] }, transfer);
      } catch (cause) {
        throw uncloneable('arguments', args, cause, '[1]');
      }
      channel.post(['call', number, slot, channel.sequenceOf(slot)]);
      const settle: Settle = (value, isFailed) => {
        timers.clearTimeout(timer);
        pending.delete(number);
        caller.calls.delete(end);
        if (isFailed) reject(value);
        else resolve(value);
      };
      const end = (reason: unknown = tooLate(name)): void => {
        // No unhandled rejection if the task did not await the call.
        promise.catch(() => {});
        settle(reason, true);
      };
      const timer =
        hostTimeout > LONGEST_TIMER
          ? undefined
          : timers.setTimeout(() => settle(timeout(name, hostTimeout), true), hostTimeout);
      pending.set(number, settle);
      caller.calls.add(end);
    });
    return promise;
  }

  function callSync(caller: Caller, [name, items]: HostRequest): unknown {
    if (!canBlock) {
      const what = `host.sync.${name}() would wait for this thread itself`;
      throw new PoolError('PLIMSOLL_POOL_DEADLOCK', `${what}, on which a pool for tests runs its workers`);
    }
    const slot = slotOf(caller, name);
    const { args, transfer } = unmoved(items);
    const number = ++last;
    try {
      write(slot, number, [name, args], transfer);
    } catch (cause) {
      throw uncloneable('arguments', args, cause, '[1]');
    }
    awaited = number;
    askHost(table, index, slot, number);
    channel.wakeHost();
    if (!spinner.spin()) {
      spinner.sleeps();
      const end = awaitAnswer(table, index, number, hostTimeout);
      spinner.woken();
      if (end !== 'answered') throw timeout(name, hostTimeout, end === 'unread');
    }
    return read(slot);
  }

  /** Writes a request to the slot, or posts it. Never to the result ring, which is freed in the order of task ends. */
  function write(slot: number, number: number, request: HostRequest, transfer: message.TransferList): void {
    const base = slotAt(layout, slot);
    const encoded = transfer.length > 0 ? undefined : encoder.encode(request);
    if (encoded !== undefined && encoded.externals === undefined && encoded.length <= slotCapacity(layout)) {
      copyWords(encoded, encoded.length, table, base + PAYLOAD);
      const flags = message.IN_SLOT | (encoded.encodingFlags << message.ENCODING_FLAGS);
      describe(table, base, flags, encoded.length, 0);
      return;
    }
    post(number, { value: request }, transfer);
    describe(table, base, message.IN_PORT, 0, ~number);
  }

  /** @throws the error of the host function */
  function read(slot: number): unknown {
    const base = slotAt(layout, slot);
    const flags = words[base + FLAGS] as number;
    let value: unknown;
    try {
      if ((flags & message.PLACE_MASK) < message.IN_PORT) value = channel.decode(base);
      else {
        channel.readAll();
        value = channel.read(channel.payload(slot) as message.Payload);
      }
    } catch (reason) {
      throw unreadable('answer', reason);
    }
    if ((flags & message.FAILED) !== 0) throw restore(value as Thrown);
    return value;
  }

  return { call, callSync };
}

function timeout(name: string, milliseconds: number, isUnread = false): PoolError {
  const message = `host.${name}() got no answer within ${milliseconds} ms`;
  const cause = isUnread ? ': the host has not read the call, so its thread is blocked' : '';
  return new PoolError('PLIMSOLL_POOL_HOST_TIMEOUT', message + cause);
}

function unmoved(items: readonly unknown[]): { args: readonly unknown[]; transfer: message.TransferList } {
  if (!items.some(isMovable)) return { args: items, transfer: [] };
  const moved = items.map(unwrap);
  return { args: moved.map(({ value }) => value), transfer: moved.flatMap(({ transfer }) => transfer) };
}
