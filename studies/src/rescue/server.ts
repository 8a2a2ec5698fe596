// The server that is measured: /login hashes, /file reads a file, and whatever a phase says hangs beside. It listens on a socket of
// the file system, which processes in another network reach as well.
import { execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { lookup } from 'node:dns';
import { closeSync, open, openSync, readFile, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { watchLoopDelay } from '@plimsoll/lab/child';
import { type PoolRescue, rescueThreadPool, threadPool } from '@plimsoll/monitor';
import { FILE_BYTES, ITERATIONS, type Phase, RESCUED } from './phases.js';

/** What a server says after a slice. */
export interface Said {
  /** 99th percentile of its event-loop delay over the slice, in milliseconds. */
  readonly loopP99Ms: number;
  readonly size: number | null;
  /** Milliseconds from the start of the phase's hang to the first threads more; null: none. */
  readonly rescuedMs: number | null;
  readonly cpuSeconds: number;
}

async function main(arm: string, folder: string): Promise<void> {
  const rescue: PoolRescue | null =
    arm === RESCUED ? await rescueThreadPool({ size: 4, max: Number(process.env.UV_THREADPOOL_SIZE) }) : null;
  const file = join(folder, 'file');
  writeFileSync(file, 'x'.repeat(FILE_BYTES));
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  let hung = 0;
  let hungAt = 0;
  let rescuedMs: number | null = null;
  rescue?.on('grow', ({ at }) => {
    rescuedMs ??= at - hungAt;
  });

  async function enter({ hang, count }: Phase, names: readonly string[]): Promise<void> {
    while (hung > 0) {
      // What was opened meanwhile comes to its end; a lookup ends when it is answered.
      closeSync(openSync(fifo, 'r+'));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    rescuedMs = null;
    hungAt = Date.now();
    for (hung = 0; hung < count; hung++) {
      const end = (): number => hung--;
      if (hang === 'lookups') lookup(names[hung % names.length] ?? 'localhost', { family: 4 }, end);
      else
        open(fifo, 'r', (_, reader) => {
          closeSync(reader);
          end();
        });
    }
  }

  let loop = watchLoopDelay();
  const bodyOf = async (request: IncomingMessage): Promise<string> => {
    let body = '';
    for await (const chunk of request) body += chunk;
    return body;
  };
  createServer(async (request, response) => {
    switch (request.url) {
      case '/login':
        return pbkdf2('password', 'salt', ITERATIONS, 64, 'sha512', () => response.end('ok'));
      case '/file':
        return readFile(file, (_, bytes) => response.end(bytes));
      case '/enter': {
        const { phase, names } = JSON.parse(await bodyOf(request)) as { phase: Phase; names: string[] };
        await enter(phase, names);
        return response.end('ok');
      }
      case '/begin':
        loop = watchLoopDelay();
        return response.end('ok');
      default: {
        const { user, system } = process.cpuUsage();
        const said: Said = {
          ...{ loopP99Ms: loop.stop().p99, size: threadPool.size ?? null, rescuedMs },
          cpuSeconds: (user + system) / 1e6,
        };
        return response.end(JSON.stringify(said));
      }
    }
  }).listen(join(folder, 'socket'), () => process.send?.('listening'));
  process.on('disconnect', () => process.exit());
}

const [, , arm = '', folder = ''] = process.argv;
await main(arm, folder);
