import { badRange, badType, messageOf, timers } from '@plimsoll/pool/internal';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { FleetError } from '../errors.js';

/**
 * Redis or Valkey: a URL (`redis://:password@host:6379/0`, `rediss://` for TLS), options of ioredis, or a client of ioredis, which is
 * duplicated and stays the caller's.
 */
export type Connection = string | RedisOptions | Redis | Cluster;
export type Client = Redis | Cluster;

const LONGEST_PAUSE = 1000;
/** BullMQ's blocking commands need the first, and a link waits for a connection. */
const ALWAYS = { maxRetriesPerRequest: null, lazyConnect: false };
/** It reconnects within a second; BullMQ's own may take twenty. */
const USUAL = {
  ...ALWAYS,
  retryStrategy: (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE),
};

/** @throws TypeError or RangeError PLIMSOLL_POOL_BAD_OPTION */
export function clientOf(connection: unknown): Client {
  if (connection === undefined) return new Redis(USUAL);
  if (typeof connection === 'string') {
    if (!/^rediss?:\/\//.test(connection)) throw badRange('options.connection', hidden(connection), URL_FORM);
    return new Redis(connection, USUAL);
  }
  if (typeof connection !== 'object' || connection === null) {
    throw badType('options.connection', connection, `${URL_FORM}, options of ioredis or a client of ioredis`);
  }
  if (!isClient(connection)) return new Redis({ ...USUAL, ...(connection as RedisOptions), ...ALWAYS });
  if (!('nodes' in connection)) return connection.duplicate(ALWAYS);
  const redisOptions = { ...connection.options.redisOptions, maxRetriesPerRequest: null };
  return connection.duplicate([], { lazyConnect: false, redisOptions });
}

const URL_FORM = 'a URL such as redis://127.0.0.1:6379';
/** It may be a URL with a password, and this is printed. */
const hidden = (text: string): string => text.replace(/\/\/.*@/s, '//…@');
const isClient = (value: object): value is Client =>
  typeof (value as Client).duplicate === 'function' && typeof (value as Client).disconnect === 'function';

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
  all.add(client);
  client.on('error', () => {});
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
  readonly #listener: LinkListener;
  readonly #clients = new Set<Client>();
  readonly #waiters = new Set<Waiter>();
  #timer: ReturnType<typeof timers.setTimeout> | undefined;
  #isOnline = false;
  #isClosed = false;
  #lastFailure: unknown;
  #lost: FleetError | undefined;

  constructor(connection: unknown, offlineTimeout: number, listener: LinkListener) {
    this.#offlineTimeout = offlineTimeout;
    this.#listener = listener;
    this.client = tracked(clientOf(connection), this.#clients);
    this.client.on('error', (error: Error) => this.#onError(error));
    this.client.on('ready', () => this.#onReady());
    this.client.on('close', () => this.#onClose());
    this.#wait();
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

  /** Ends every connection that was made of this one. */
  close(): void {
    this.#isClosed = true;
    timers.clearTimeout(this.#timer);
    this.#settle((waiter) => waiter.reject(unavailable('this was closed before that', undefined)));
    for (const client of this.#clients) end(client);
  }

  #wait(): void {
    this.#timer ??= timers.setTimeout(() => this.#lose(), this.#offlineTimeout);
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
    this.#settle((waiter) => waiter.resolve());
    this.#listener.online();
  }

  #onClose(): void {
    if (this.#isClosed || !this.#isOnline) return;
    this.#isOnline = false;
    this.#wait();
    this.#listener.offline(this.#lastFailure ?? new Error('Connection is closed'));
  }

  #lose(reason = unavailable(`for ${this.#offlineTimeout} ms (offlineTimeout)`, this.#lastFailure)): void {
    if (this.#lost !== undefined || this.#isClosed) return;
    this.#lost = reason;
    this.#settle((waiter) => waiter.reject(reason));
    this.#listener.lost(reason);
  }

  #settle(how: (waiter: Waiter) => void): void {
    for (const waiter of this.#waiters) how(waiter);
    this.#waiters.clear();
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
