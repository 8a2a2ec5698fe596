import type { Socket } from 'node:net';
import type { News, Order, Sample, Waits } from '../child/messages.cjs';
import ring from '../child/ring.cjs';
import wire from '../child/wire.cjs';
import type { ProcessLog } from './figures.js';

type Reply = Extract<News, { readonly id: number }>;

/** The agent of a process is there; the process began to use its pool, which was resized in the middle of something; it is gone. */
export type Event = 'hello' | 'joined' | 'gone';

const MOST_SAMPLES = 2_000;
const ANSWER_MS = 5_000;

export class Connection implements ProcessLog {
  readonly routes = new Map<number, string>();
  samples: Sample[] = [];
  pid: number | null = null;
  completed = 0;
  readonly #socket: Socket;
  readonly #replies = new Map<number, (reply: Reply | null) => void>();
  #ids = 0;
  #isGone = false;

  constructor(socket: Socket, on: (event: Event, connection: Connection) => void) {
    this.#socket = socket;
    const reader = new wire.FrameReader(
      (news) => this.#hear(news, on),
      (sample) => {
        this.samples.push(sample);
        this.completed += ring.requestsIn(sample.records);
        // Longer than any window, should nobody measure for a while.
        if (this.samples.length > MOST_SAMPLES) this.samples.splice(0, MOST_SAMPLES / 2);
      },
    );
    socket.on('data', (piece: Buffer) => reader.push(piece));
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#isGone = true;
      for (const reply of this.#replies.values()) reply(null);
      this.#replies.clear();
      on('gone', this);
    });
  }

  get serves(): boolean {
    return this.completed > 0 || (this.samples.at(-1)?.open.length ?? 0) > 0;
  }

  stay(): void {
    this.#send({ do: 'stay' });
  }

  /** A window: what was told before is forgotten. */
  begin(at: number): void {
    const first = this.samples.findIndex((sample) => sample.at >= at);
    // One from before stays: CPU is counted from it.
    this.samples = first === -1 ? this.samples.slice(-1) : this.samples.slice(Math.max(0, first - 1));
    this.#send({ do: 'begin' });
  }

  /** @returns `null` when it is gone, `undefined` when it does not answer. */
  async resize(size: number, ms: number): Promise<Reply | null | undefined> {
    return this.#ask((id) => ({ do: 'resize', id, size }), ms);
  }

  async state(): Promise<Extract<Reply, { type: 'state' }> | null> {
    const reply = await this.#ask((id) => ({ do: 'state', id }), ANSWER_MS);
    return reply?.type === 'state' ? reply : null;
  }

  async waits(): Promise<Waits> {
    const reply = await this.#ask((id) => ({ do: 'end', id }), ANSWER_MS);
    return reply?.type === 'waits' ? reply : { fast: null, slow: null };
  }

  async stop(ms: number): Promise<void> {
    if (this.#isGone) return;
    await this.#ask((id) => ({ do: 'stop', id }), ms);
    this.#socket.destroy();
  }

  #hear(news: News, on: (event: Event, connection: Connection) => void): void {
    if (news.type === 'hello') this.pid = news.pid;
    if (news.type === 'hello' || news.type === 'joined') on(news.type, this);
    else if (news.type === 'route') this.routes.set(news.route, news.name);
    else {
      this.#replies.get(news.id)?.(news);
      this.#replies.delete(news.id);
    }
  }

  #ask(order: (id: number) => Order, ms: number): Promise<Reply | null | undefined> {
    if (this.#isGone) return Promise.resolve(null);
    const id = ++this.#ids;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#replies.delete(id);
        resolve(undefined);
      }, ms);
      this.#replies.set(id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
      this.#send(order(id));
    });
  }

  #send(order: Order): void {
    if (!this.#isGone) this.#socket.write(`${JSON.stringify(order)}\n`);
  }
}
