import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface RegularClient {
  /** Ask at regular moments for so long. */
  begin(ms: number): void;
  /** Milliseconds from the moment each request was due to its answer. */
  end(): Promise<number[]>;
}

/** A client in a process of its own, so that nothing that holds up this one's event loop holds up the asking. */
export async function requestRegularly(port: number): Promise<RegularClient> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL('../child/http-client-process.js', import.meta.url)),
    [String(port)],
    { execArgv: [] },
  );
  await once(child, 'message');
  const answered = once(child, 'message') as Promise<[number[]]>;
  // Unhandled only until `end` is awaited.
  answered.catch(() => {});
  let begun = false;
  return {
    begin(ms) {
      begun = true;
      child.send({ ms });
    },
    async end() {
      if (!begun) {
        child.kill();
        return [];
      }
      const [latencies] = await answered;
      if (child.connected) child.disconnect();
      return latencies;
    },
  };
}
