import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Guardian } from '#plimsoll/lab/guardian.js';
import { openTraffic, type Traffic } from '#plimsoll/tune/traffic/open.js';
import {
  type TrafficSource,
  trafficSource,
  trafficText,
  type UrlRequests,
} from '#plimsoll/tune/traffic/source.js';
import { fixture, until } from '../support/cli.js';
import { freePort } from '../support/port.js';

const node = process.execPath;
const linux = process.platform === 'linux' ? {} : { skip: 'looks for processes in /proc' };

interface Arrival {
  readonly atMs: number;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Scene {
  readonly arrivals: Arrival[];
  readonly traffic: Traffic;
  readonly pauses: () => number;
  readonly port: number;
  readonly mostOpen: () => number;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const ok: Answer = (_, response) => void response.end('ok');

/** A server, and traffic to it while `work` looks on. */
async function underTraffic(
  source: TrafficSource,
  work: (scene: Scene) => Promise<void>,
  answer = ok,
): Promise<void> {
  const arrivals: Arrival[] = [];
  let open = 0;
  let mostOpen = 0;
  const server: Server = createServer((request, response) => {
    mostOpen = Math.max(mostOpen, ++open);
    response.once('close', () => open--);
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.once('end', () => {
      const { method, url, headers } = request;
      arrivals.push({ atMs: performance.now(), method, url, headers, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const guardian = new Guardian();
  let pauses = 0;
  const context = { guardian, signal: new AbortController().signal, onPause: () => pauses++ };
  let traffic: Traffic | null = null;
  try {
    traffic = await openTraffic(source, { host: '127.0.0.1', port }, context);
    await work({ arrivals, traffic, port, pauses: () => pauses, mostOpen: () => mostOpen });
  } finally {
    await traffic?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await guardian.close();
  }
}

const command = (...words: [string, ...string[]]): TrafficSource => ({ from: 'command', words });
const urls = (options: UrlRequests): TrafficSource => ({ from: 'urls', ...options });

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('traffic of a command', () => {
  test('$PORT is replaced, and it is started anew when it ends with 0', async () => {
    const source = command(node, fixture('tune/sends.mjs'), 'http://127.0.0.1:$PORT/p', '1.2');
    await underTraffic(source, async ({ arrivals, port, pauses }) => {
      await until(() => new Set(arrivals.map(({ headers }) => headers['x-pid'])).size >= 2);
      assert.ok(pauses() >= 1);
      assert.deepEqual([...new Set(arrivals.map(({ url }) => url))], ['/p']);
      assert.deepEqual([...new Set(arrivals.map(({ headers }) => headers['x-port']))], [String(port)]);
    });
  });

  test('one that fails ends the traffic with its last words', async () => {
    const source = command(node, fixture('tune/sends.mjs'), 'http://127.0.0.1:$PORT/', '0.1', '3');
    await underTraffic(source, async ({ traffic, port, pauses }) => {
      const error = await traffic.failed;
      assert.equal(error.code, 'PLIMSOLL_TRAFFIC_FAILED');
      assert.match(
        error.message,
        new RegExp(`127\\.0\\.0\\.1:${port}/ 0\\.1 3" failed \\(exit code 3; it last wrote: no \\\\x1b`),
      );
      assert.equal(pauses(), 0);
    });
  });

  test('one that ends too soon, again and again, is told to go on for longer', async () => {
    await underTraffic(command('true'), async ({ traffic, pauses }) => {
      const { message } = await traffic.failed;
      assert.match(message, /ended within 1 s, 3 times in a row; it must send requests for longer/);
      // More, if one of them took longer on a busy machine.
      assert.ok(pauses() >= 2);
    });
  });

  test('one that is not there', async () => {
    await assert.rejects(
      underTraffic(command('no-such-cannon'), async ({ traffic }) => {
        throw await traffic.failed;
      }),
      {
        code: 'PLIMSOLL_TRAFFIC_FAILED',
        message: /--on-port: cannot start "no-such-cannon": there is no such command/,
      },
    );
  });

  test(
    'when it is closed nothing of it is left, not even what left its group or does not heed SIGTERM',
    linux,
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
      const file = join(directory, 'pids');
      let pids: number[] = [];
      await underTraffic(command(node, fixture('tune/leaves-sender.mjs'), file), async () => {
        await until(() => existsSync(file) && readFileSync(file, 'utf8').includes(' '));
        pids = readFileSync(file, 'utf8').split(' ').map(Number);
        assert.deepEqual(pids.map(isRunning), [true, true]);
      });
      assert.deepEqual(pids.map(isRunning), [false, false]);
      rmSync(directory, { recursive: true });
    },
  );
});

describe('traffic to URLs', () => {
  test('each connection asks one request after another, with method, headers and body', async () => {
    const source = urls({
      urls: ['/a?x=1', 'http://127.0.0.1:$PORT/b'],
      connections: 4,
      headers: { 'x-key': 'k' },
      body: '{"a":1}',
    });
    // The first answers wait until all connections have asked.
    const held: ServerResponse[] = [];
    let isFull = false;
    const together: Answer = (_, response) => {
      held.push(response);
      isFull ||= held.length === 4;
      if (isFull) for (const one of held.splice(0)) one.end('ok');
    };
    await underTraffic(
      source,
      async ({ arrivals, mostOpen, traffic }) => {
        await until(() => arrivals.length > 60);
        assert.equal(mostOpen(), 4);
        assert.deepEqual(new Set(arrivals.map(({ url }) => url)), new Set(['/a?x=1', '/b']));
        const [first] = arrivals;
        assert.deepEqual([first?.method, first?.headers['x-key'], first?.body], ['POST', 'k', '{"a":1}']);
        assert.equal(traffic.trouble(), null);
      },
      together,
    );
  });

  test('answers of 400 and more are told', async () => {
    const missing: Answer = (_, response) => void response.writeHead(404).end();
    await underTraffic(
      urls({ urls: ['/nowhere'], connections: 1 }),
      async ({ traffic }) => {
        await until(() => traffic.trouble() !== null);
        const { text, isAll } = traffic.trouble() ?? assert.fail();
        assert.match(
          text,
          /^\d+ of \d+ requests to http:\/\/127\.0\.0\.1:\d+\/nowhere got no successful response \(HTTP 404\)$/,
        );
        assert.ok(isAll);
      },
      missing,
    );
  });

  test('a rate is kept whether or not requests are answered, and at random times instead of in bursts', async () => {
    const held: ServerResponse[] = [];
    // Of the first 90 none is answered before all of them are there.
    const late: Answer = (_, response) => {
      if (held.push(response) >= 90) for (const one of held) one.end();
    };
    const startedMs = performance.now();
    await underTraffic(
      urls({ urls: ['/'], rate: 50, method: 'PUT' }),
      async ({ arrivals, mostOpen }) => {
        await until(() => arrivals.length >= 90);
        assert.ok(mostOpen() >= 90, 'nobody waits for an answer');
        const seconds = ((arrivals[89]?.atMs ?? 0) - startedMs) / 1000;
        // 90 of a Poisson process take 1.8 s, with a standard deviation of 0.19 s.
        assert.ok(seconds > 0.8, `${seconds} s`);
        assert.equal(arrivals[0]?.method, 'PUT');
        // Five a tenth of a second, few tenths without one; bursts once a second would be 20 each in two or three. Where this
        // process or the other one stood still there is a burst, too, which counts the less the longer it is ago.
        const tenths = (): number => new Set(arrivals.map(({ atMs }) => Math.floor(atMs / 100))).size;
        await until(() => arrivals.length < 12 * tenths());
      },
      late,
    );
  });

  test('of a stream that is never answered no more than a bound is under way', async () => {
    const never: Answer = () => {};
    await underTraffic(
      urls({ urls: ['/'], rate: 400 }),
      async ({ arrivals, mostOpen }) => {
        await until(() => arrivals.length >= 800);
        await new Promise((resolve) => setTimeout(resolve, 500));
        assert.equal(mostOpen(), 800);
      },
      never,
    );
  });

  test('a URL at which nothing listens, and one that is none', async () => {
    const port = await freePort();
    await assert.rejects(
      underTraffic(urls({ urls: [`http://127.0.0.1:${port}/x`] }), async () => {}),
      {
        code: 'PLIMSOLL_UNREACHABLE',
        message: /nothing accepts connections at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
      },
    );
    for (const url of ['ftp://h/', 'localhost:3000', 'login'])
      assert.throws(() => trafficSource({ urls: [url] }), {
        code: 'PLIMSOLL_USAGE',
        message: /--url: must be a URL such as/,
      });
    assert.throws(() => trafficSource({ urls: ['/a', '/b'], connections: 1 }), {
      code: 'PLIMSOLL_USAGE',
      message: 'connections: must be at least the number of URLs, 2, not 1',
    });
    trafficSource({ urls: ['/a', '/b'], rate: 5 });
  });
});

test('traffic in words', () => {
  assert.equal(trafficText(urls({ urls: ['/a', '/b'] })), '/a, /b (10 connections)');
  assert.equal(trafficText(urls({ urls: ['/a'], body: 'x', connections: 1 })), 'POST /a (1 connection)');
  assert.equal(trafficText(urls({ urls: ['/a'], rate: 50, method: 'PUT' })), 'PUT /a (50 a second)');
  assert.equal(trafficText(command('hey', 'http://h:$PORT')), 'hey http://h:$PORT');
});
