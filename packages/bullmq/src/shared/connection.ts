import type { Socket } from 'node:net';
import { badRange, badType, LONGEST_TIMER, messageOf, timers } from '@plimsoll/pool/internal';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { FleetError } from '../errors.js';
import type { QueuePlace } from './keys.js';

/**
 * Redis or Valkey: a URL (`redis://:password@host:6379/0`, `rediss://` for TLS), options of ioredis, or a client of ioredis, which is
 * duplicated and stays the caller's.
 */
export type Connection = string | URL | RedisOptions | Redis | Cluster;
export type Client = Redis | Cluster;

const LONGEST_PAUSE = 1000;
/** BullMQ's blocking commands need the first, and a link waits for a connection while commands wait for it. */
const ALWAYS = { maxRetriesPerRequest: null, lazyConnect: false, enableOfflineQueue: true };
/** After a failover the address may lead to another Redis, which a connection that stays open does not find. */
const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY');
/** It reconnects within a second; BullMQ's own may take twenty. */
const USUAL = {
  ...ALWAYS,
  reconnectOnError,
  retryStrategy: (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE),
};

/** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
function clientOf(connection: unknown): Client {
  if (connection === undefined) return new Redis(USUAL);
  const url = connection instanceof URL ? connection.href : connection;
  if (typeof url === 'string') {
    if (!/^rediss?:\/\//.test(url)) throw badRange('options.connection', hidden(url), URL_FORM);
    return new Redis(url, USUAL);
  }
  if (typeof connection !== 'object' || connection === null || Array.isArray(connection)) {
    throw badType('options.connection', connection, `${URL_FORM}, options of ioredis or a client of ioredis`);
  }
  if (!isClient(connection)) return new Redis({ ...USUAL, ...(connection as RedisOptions), ...ALWAYS });
  if (!('nodes' in connection)) {
    const { reconnectOnError: decides } = connection.options;
    return connection.duplicate({ ...ALWAYS, reconnectOnError: decides ?? reconnectOnError });
  }
  const redisOptions = { ...connection.options.redisOptions, maxRetriesPerRequest: null };
  return connection.duplicate([], { lazyConnect: false, redisOptions });
}

/** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
function checkedClient(connection: unknown, place: string): Client {
  const client = clientOf(connection).on('error', () => {});
  try {
    const { keyPrefix } = client.options;
    if (keyPrefix)
      throw badRange('options.connection.keyPrefix', keyPrefix, "left out: the option 'prefix' is for that");
    if ('nodes' in client && !/\{[^}]+\}/.test(place))
      throw badRange('options.prefix', place, "a text with braces in a cluster, such as '{images}'");
    return client;
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

const URL_FORM = 'a URL such as redis://127.0.0.1:6379';
/** It may be a URL with a password, and this is printed. */
const hidden = (text: string): string => text.replace(/\/\/.*@/s, '//…@');
const isClient = (value: object): value is Client =>
  typeof (value as Client).duplicate === 'function' && typeof (value as Client).disconnect === 'function';

/** Milliseconds. */
const SHORTEST_BEAT = 250;
const LONGEST_BEAT = 2500;
const bytesReadBy = (client: Client): number | undefined =>
  'stream' in client ? (client.stream as Socket | undefined)?.bytesRead : undefined;

/** What has come while this thread was busy is read before somebody decides that nothing came. */
const afterReading = (decide: () => void): void => void timers.setImmediate(decide);

export interface LinkOptions extends QueuePlace {
  readonly connection: unknown;
  readonly offlineTimeout: number;
}

/** What an owner of a link hears of it. */
export interface LinkListener {
  /** It is there, again after `offline`. */
  online(): void;
  /** It is gone, and looked for. */
  offline(reason: unknown): void;
  /** It has been gone for too long; still looked for. */
  lost(reason: FleetError): void;
}

interface Waiter {
  resolve(): void;
  reject(reason: FleetError): void;
}

/** Puts a client and all that are made of it, also by BullMQ, into a set. The link tells of their failures. */
function tracked<Of extends Client>(client: Of, all: Set<Client>): Of {
  all.add(client.on('error', () => {}));
  const duplicate = client.duplicate.bind(client) as (...options: unknown[]) => Of;
  return Object.assign(client, { duplicate: (...options: unknown[]) => tracked(duplicate(...options), all) });
}

/**
 * Ends a connection at once, and what waits for its answers. ioredis alone would not do that to a client which
 * waits for its next attempt to connect; then what BullMQ does when it closes never ends, and keeps the process.
 */
function end(client: Client): void {
  if (client.status === 'reconnecting') void client.connect().catch(() => {});
  client.disconnect();
}

/** The connection to Redis, and how long it has been gone. Nothing waits for one that does not come. */
export class Link {
  readonly client: Client;
  readonly #offlineTimeout: number;
  /** Milliseconds between two looks for answers. */
  readonly #beat: number;
  readonly #listener: LinkListener;
  readonly #clients = new Set<Client>();
  readonly #waiters = new Set<Waiter>();
  readonly #commands = new Set<(reason: FleetError) => void>();
  #timer: ReturnType<typeof timers.setTimeout> | undefined;
  #heart: ReturnType<typeof timers.setTimeout> | undefined;
  #isOnline = false;
  #isClosed = false;
  #lastFailure: unknown;
  #lost: FleetError | undefined;

  /** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
  constructor({ connection, offlineTimeout, prefix, queue }: LinkOptions, listener: LinkListener) {
    this.#offlineTimeout = offlineTimeout;
    this.#beat = Math.min(Math.max(offlineTimeout / 4, SHORTEST_BEAT), LONGEST_BEAT);
    this.#listener = listener;
    this.client = tracked(checkedClient(connection, `${prefix}:${queue}`), this.#clients);
    this.client.on('error', (error: Error) => this.#onError(error));
    this.client.on('ready', () => this.#onReady());
    this.client.on('close', () => this.#onGone(this.#lastFailure ?? new Error('Connection is closed')));
    this.#wait(offlineTimeout);
    this.#listen();
  }

  get isOnline(): boolean {
    return this.#isOnline;
  }

  /** Resolves when Redis can be used. Rejects with FleetError UNAVAILABLE or REFUSED, at once while it is lost. */
  usable(): Promise<void> {
    if (this.#isOnline) return Promise.resolve();
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => this.#waiters.add({ resolve, reject }));
  }

  /** What a command gives. Rejects as `usable` does, also when Redis is lost before its answer. */
  answer<Value>(command: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#commands.add(reject);
      command
        .finally(() => this.#commands.delete(reject))
        .then(resolve, (error: unknown) => reject(codedError(error)));
    });
  }

  /** Ends every connection that was made of this one. */
  close(): void {
    this.#isClosed = true;
    this.#isOnline = false;
    timers.clearTimeout(this.#timer);
    timers.clearTimeout(this.#heart);
    this.#fail(unavailable('this connection was closed before', undefined));
    for (const client of this.#clients) end(client);
  }

  #wait(milliseconds: number): void {
    if (milliseconds > LONGEST_TIMER) return;
    this.#timer ??= timers.setTimeout(
      () => afterReading(() => !this.#isOnline && this.#lose()),
      milliseconds,
    );
  }

  /** A Redis that stands still, or whose packets are dropped, leaves the connection open: only an answer tells. */
  #listen(): void {
    const { client } = this;
    let isAnswered = false;
    const onAnswer = (): void => {
      isAnswered = true;
      if (!this.#isOnline && client.status === 'ready') this.#onReady();
    };
    if (client.status === 'ready') client.ping().then(onAnswer, onAnswer);
    const before = bytesReadBy(client);
    this.#heart = timers.setTimeout(() => {
      afterReading(() => {
        if (this.#isClosed) return;
        // An answer may stand behind a large one.
        if (!isAnswered && bytesReadBy(client) === before) this.#onSilence();
        this.#listen();
      });
    }, this.#beat);
  }

  #onSilence(): void {
    this.#onGone(new Error(`Redis has not answered for ${this.#beat} ms`), this.#offlineTimeout - this.#beat);
    // Another connection may lead to it, and need not wait for what TCP sends again after minutes.
    if (this.#lost !== undefined && this.client.status === 'ready')
      for (const client of this.#clients) client.disconnect(true);
  }

  #onError(error: Error): void {
    this.#lastFailure = error;
    // A connection that Redis itself refuses is not a matter of time.
    if (!this.#isOnline && error.name === 'ReplyError') this.#lose(refused(error));
  }

  #onReady(): void {
    timers.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOnline = true;
    this.#lost = undefined;
    for (const waiter of this.#waiters) waiter.resolve();
    this.#waiters.clear();
    this.#listener.online();
  }

  #onGone(reason: unknown, wait = this.#offlineTimeout): void {
    if (this.#isClosed || !this.#isOnline) return;
    this.#isOnline = false;
    this.#lastFailure = reason;
    this.#wait(Math.max(0, wait));
    this.#listener.offline(reason);
  }

  #lose(reason = unavailable(`for ${this.#offlineTimeout} ms (offlineTimeout)`, this.#lastFailure)): void {
    if (this.#lost !== undefined || this.#isClosed) return;
    this.#lost = reason;
    this.#fail(reason);
    this.#listener.lost(reason);
  }

  #fail(reason: FleetError): void {
    for (const { reject } of this.#waiters) reject(reason);
    for (const reject of this.#commands) reject(reason);
    this.#waiters.clear();
    this.#commands.clear();
  }
}

const unavailable = (how: string, cause: unknown): FleetError =>
  new FleetError(
    'PLIMSOLL_FLEET_UNAVAILABLE',
    `Redis cannot be reached: ${cause === undefined ? '' : `${messageOf(cause)}; `}${how}`,
    { cause },
  );

const refused = (cause: Error): FleetError =>
  new FleetError('PLIMSOLL_FLEET_REFUSED', `Redis refuses this client: ${cause.message}`, { cause });

/** What Redis answers to a command that it does not carry out becomes a coded error. */
export const codedError = (error: unknown): unknown =>
  (error as Error | null)?.name === 'ReplyError' ? refused(error as Error) : error;
