import type { Socket } from 'node:net';
import type { News, Order, Pool, Refusal, Replies, Sample } from '../child/messages.cjs';
import ring from '../child/ring.cjs';
import wire from '../child/wire.cjs';
import { eachRecord, type ProcessLog } from './figures.js';

/** The agent of a process is there; the process began to use its pool, which was resized in the middle of something; it is gone. */
export type Event = 'hello' | 'joined' | 'gone';

/** `null`: the process is gone; `undefined`: it does not answer. */
type Answer<Reply> = { reply?: Reply; refusal?: Refusal } | null | undefined;

const MOST_SAMPLES = 2_000;
const ANSWER_MS = 5_000;

export class Connection implements ProcessLog {
  readonly routes = new Map<number, string>();
  samples: Sample[] = [];
  pid: number | null = null;
  /** As it said last. */
  pool: Pool | null = null;
  completed = 0;
  /** Requests since the window began that ended, and those of them that failed. */
  ended = 0;
  failed = 0;
  #begunAt = 0;
  readonly #socket: Socket;
  readonly #answers = new Map<number, (answer: Answer<unknown>) => void>();
  #ids = 0;

  constructor(socket: Socket, on: (event: Event, connection: Connection) => void) {
    this.#socket = socket;
    const news = new wire.FrameReader<News>((one, records) => this.#hear(one, records, on));
    socket.on('data', (piece: Buffer) => news.push(piece));
    socket.on('error', () => {});
    socket.once('close', () => {
      for (const answer of this.#answers.values()) answer(null);
      on('gone', this);
    });
  }

  get open(): number {
    return this.samples.at(-1)?.open.length ?? 0;
  }

  get serves(): boolean {
    return this.completed > 0 || this.open > 0;
  }

  async ask<Do extends keyof Replies>(order: Omit<Order, 'id'> & { do: Do }, ms = ANSWER_MS) {
    if (this.#socket.destroyed) return null;
    const id = ++this.#ids;
    const answer = await new Promise<Answer<unknown>>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), ms);
      this.#answers.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#socket.write(wire.frame({ ...order, id }));
    });
    this.#answers.delete(id);
    return answer as Answer<Replies[Do]>;
  }

  /** Begin a window: earlier samples are forgotten, but for one, from which CPU time is counted. */
  begin(at: number): void {
    this.samples = this.samples.slice(-1);
    [this.#begunAt, this.ended, this.failed] = [at, 0, 0];
    void this.ask({ do: 'begin' });
  }

  async stop(ms: number): Promise<void> {
    await this.ask({ do: 'stop' }, ms);
    this.#socket.destroy();
  }

  #hear(news: News, records: Float64Array, on: (event: Event, connection: Connection) => void): void {
    if (news.type === 'sample') {
      const sample = { ...news, records };
      this.samples.push(sample);
      eachRecord([sample], (_, end, kind) => this.#count(end, kind));
      // Longer than any window, should nobody measure for a while.
      if (this.samples.length > MOST_SAMPLES) this.samples.splice(0, MOST_SAMPLES / 2);
    } else if (news.type === 'route') this.routes.set(news.route, news.name);
    else if (news.type === 'reply') this.#answers.get(news.id)?.(news);
    else {
      if (news.type === 'hello') ({ pid: this.pid, pool: this.pool } = news);
      on(news.type, this);
    }
  }

  #count(end: number, kind: number): void {
    if (kind === ring.KIND.turn) return;
    this.completed++;
    if (end < this.#begunAt || kind === ring.KIND.aborted) return;
    this.ended++;
    if (kind === ring.KIND.failed) this.failed++;
  }
}
