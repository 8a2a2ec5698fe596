import { createServer } from 'node:net';

const [LEAST, COUNT] = [10_000, 20_000];
/** Test files that run at the same time begin far from one another. */
let next = (process.pid * 16) % COUNT;

/** A port that was free a moment ago, and is below those that the kernel chooses for servers and clients that name none. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LEAST + (next++ % COUNT);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
