import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PlimsollError } from '@plimsoll/lab';
import type { WorkerMeasurement, WorkerMessage, WorkerOrder } from '../server/messages.js';

/** A worker of the sample server, as its controller sees it. */
export class ControlledWorker {
  readonly #socket: Socket;
  #answer: ((measurement: WorkerMeasurement | null) => void) | null = null;
  /** Settles when its connection has closed. */
  readonly ended: Promise<void>;
  pid: number | null = null;
  alive = true;
  ready: { readonly port: number; readonly observedThreads: number | null } | null = null;
  failure: { readonly code: string | null; readonly message: string } | null = null;

  constructor(socket: Socket, onChange: (worker: ControlledWorker) => void) {
    this.#socket = socket;
    socket.on('error', () => {});
    this.ended = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('close', () => {
      this.alive = false;
      this.#answer?.(null);
      onChange(this);
    });
    const lines = createInterface({ input: socket });
    // It passes on the socket's: a worker that is killed before it has read an order resets the connection.
    lines.on('error', () => {});
    lines.on('line', (line) => {
      this.#take(JSON.parse(line) as WorkerMessage);
      onChange(this);
    });
  }

  #take(message: WorkerMessage): void {
    if (message.type === 'started') this.pid = message.pid;
    else if (message.type === 'ready') this.ready = message;
    else if (message.type === 'failed') this.failure = message;
    else this.#answer?.(message.measurement);
  }

  begin(): void {
    this.#order({ type: 'begin' });
  }

  /** What it measured; `null` when it died. */
  finish(): Promise<WorkerMeasurement | null> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      if (!this.alive) resolve(null);
      else this.#order({ type: 'finish' });
    });
  }

  rest(): void {
    this.#order({ type: 'rest' });
  }

  #order(order: WorkerOrder): void {
    if (this.alive) this.#socket.write(`${JSON.stringify(order)}\n`);
  }

  disconnect(): void {
    this.#socket.destroy();
  }
}

/** Where the workers of one sample server report, however they were started; when it closes they end themselves. */
export class Control {
  readonly path: string;
  readonly workers: ControlledWorker[] = [];
  readonly #server: Server;
  #check = (): void => {};

  private constructor(path: string, onStarted: (pid: number) => void) {
    this.path = path;
    const known = new Set<ControlledWorker>();
    this.#server = createServer((socket) => {
      const worker = new ControlledWorker(socket, (changed) => {
        if (changed.pid !== null && !known.has(changed)) {
          known.add(changed);
          onStarted(changed.pid);
        }
        this.#check();
      });
      this.workers.push(worker);
    });
  }

  /**
   * @param onStarted is told the process id of every worker as soon as it runs.
   * @throws {PlimsollError} PLIMSOLL_NO_DIRECTORY when the directory's name is too long for a socket in it.
   */
  static async open(directory: string, onStarted: (pid: number) => void): Promise<Control> {
    const path = process.platform === 'win32' ? `\\\\.\\pipe\\${directory}` : join(directory, 'control.sock');
    const control = new Control(path, onStarted);
    try {
      await new Promise<void>((resolve, reject) =>
        control.#server.once('error', reject).listen(path, resolve),
      );
    } catch (error) {
      throw new PlimsollError(
        'PLIMSOLL_NO_DIRECTORY',
        `cannot listen on a socket in ${directory} (${(error as NodeJS.ErrnoException).code}); set TMPDIR to a directory with a shorter name`,
        { cause: error },
      );
    }
    return control;
  }

  /** Settles when so many workers are ready; rejects when one of them has failed or ended. */
  ready(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#check = () => {
        const lost = this.workers.find(({ failure, alive }) => failure !== null || !alive);
        if (lost !== undefined) reject(new WorkerLost(lost));
        else if (this.workers.filter(({ ready }) => ready !== null).length >= count) resolve();
      };
      this.#check();
    });
  }

  async close(): Promise<void> {
    this.#check = () => {};
    for (const worker of this.workers) worker.disconnect();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A worker failed, or ended without a word, before it was ready. */
export class WorkerLost extends Error {
  readonly worker: ControlledWorker;

  constructor(worker: ControlledWorker) {
    super(worker.failure?.message ?? 'a worker ended before it was ready');
    this.worker = worker;
  }
}
