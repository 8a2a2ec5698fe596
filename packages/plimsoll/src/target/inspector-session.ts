import { WebSocket } from 'ws';

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

/** The session is over before an answer came: Node closed the inspector, or ended. */
export class SessionClosed extends Error {}

/** Nothing came back in time: a debugger has stopped the program, or its main thread is in a call that does not return. */
export class NoAnswer extends Error {}

export class InspectorSession {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer | null) => void>();
  #lastId = 0;

  static async open(url: string, timeoutMs: number): Promise<InspectorSession> {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: timeoutMs });
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
      if (answer.id !== undefined) this.#settle(answer.id, answer);
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      for (const id of [...this.#waiting.keys()]) this.#settle(id, null);
    });
  }

  /**
   * The value of an expression in the main thread of the process, also while that thread is in a loop that does not end.
   *
   * @param awaitPromise the value is a promise, and its outcome is meant; that needs a turn of the event loop.
   */
  async evaluate(expression: string, timeoutMs: number, awaitPromise = false): Promise<unknown> {
    const id = ++this.#lastId;
    const params = { expression, awaitPromise, returnByValue: true };
    const answer = await new Promise<Answer | null | undefined>((resolve) => {
      const timer = setTimeout(() => this.#settle(id, undefined), timeoutMs);
      this.#waiting.set(id, (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
      if (this.#socket.readyState !== WebSocket.OPEN) this.#settle(id, null);
      else this.#socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params }));
    });
    if (answer === null) throw new SessionClosed('the inspector is closed');
    if (answer === undefined) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    const thrown = answer.result?.exceptionDetails;
    if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result?.result?.value;
  }

  close(): void {
    this.#socket.terminate();
  }

  #settle(id: number, answer: Answer | null | undefined): void {
    const settle = this.#waiting.get(id) as ((outcome: Answer | null | undefined) => void) | undefined;
    this.#waiting.delete(id);
    settle?.(answer);
  }
}
