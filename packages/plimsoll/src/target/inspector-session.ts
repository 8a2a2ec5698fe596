import type { WebSocket } from 'ws';

interface Answer {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    readonly exceptionDetails?: {
      readonly text: string;
      readonly exception?: { readonly description?: string };
    };
  };
}

/** The session ended before an answer came: Node closed the inspector, or ended. */
export class SessionClosed extends Error {}

/** A debugger has stopped the program, or its main thread is in a call that does not return. */
export class NoAnswer extends Error {}

export class InspectorSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer | Error) => void>();
  #lastId = 0;

  static async open(url: string, timeoutMs: number): Promise<InspectorSession> {
    const ws = await import('ws');
    const socket = new ws.WebSocket(url, { perMessageDeflate: false, handshakeTimeout: timeoutMs });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', (error) => reject(new SessionClosed(error.message)));
    });
    return new InspectorSession(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      for (const settle of this.#waiting.values()) settle(CLOSED);
    });
  }

  /** Even while the main thread is in an endless loop; to await a promise needs a turn of its event loop. */
  async evaluate(expression: string, timeoutMs: number, awaitPromise = false): Promise<unknown> {
    const id = ++this.#lastId;
    const params = { expression, awaitPromise, returnByValue: true };
    let timer: NodeJS.Timeout | undefined;
    const answer = await new Promise<Answer | Error>((resolve) => {
      timer = setTimeout(() => resolve(new NoAnswer(`no answer within ${timeoutMs} ms`)), timeoutMs);
      this.#waiting.set(id, resolve);
      if (this.#socket.readyState !== this.#socket.OPEN) resolve(CLOSED);
      else this.#socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    });
    clearTimeout(timer);
    this.#waiting.delete(id);
    if (answer instanceof Error) throw answer;
    const thrown = answer.result?.exceptionDetails;
    if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result?.result?.value;
  }

  close(): void {
    this.#socket.terminate();
  }
}

const CLOSED = new SessionClosed('the inspector is closed');
