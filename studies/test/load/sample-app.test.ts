import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { operationOf } from '#studies/load/operation.js';
import { sampleApp } from '#studies/load/server/app.js';
import { prepareOperation } from '#studies/load/server/prepare-operation.js';
import { RequestMeter } from '#studies/load/server/request-meter.js';

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Served {
  readonly ask: (method: string, path: string) => Promise<Answer>;
  readonly connections: () => Promise<number>;
}

/** Serve with this operation while `body` runs, over connections that are kept. */
async function serving(run: () => Promise<void>, body: (served: Served) => Promise<void>): Promise<void> {
  const meter = new RequestMeter({ run, close: async () => {} }, 2);
  const app = sampleApp(meter);
  let connections = 0;
  app.on('connection', () => connections++);
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  const { port } = app.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, path: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, method, agent }, async (response) => {
        let text = '';
        for await (const chunk of response.setEncoding('utf8')) text += chunk;
        resolve({ status: response.statusCode, headers: response.headers, body: text });
      })
        .once('error', reject)
        .end();
    });
  try {
    await body({ ask, connections: async () => connections });
  } finally {
    agent.destroy();
    app.close();
    await meter.finish();
  }
}

describe('routes of the sample server', () => {
  test('answers of each path and method, over one connection', async () => {
    let runs = 0;
    const count = async (): Promise<void> => {
      runs++;
    };
    await serving(count, async ({ ask, connections }) => {
      const NOT_FOUND = (route: string): string =>
        `{"message":"Route ${route} not found","error":"Not Found","statusCode":404}`;
      const expected: [string, string, number, string, number][] = [
        ['GET', '/ping', 200, 'pong', 0],
        ['GET', '/ping?x=1', 200, 'pong', 0],
        ['HEAD', '/ping', 200, '', 0],
        ['GET', '/test', 200, 'ok', 2],
        ['GET', '/test?wait=1', 200, 'ok', 2],
        ['HEAD', '/test', 200, '', 2],
        ['POST', '/test', 404, NOT_FOUND('POST:/test'), 0],
        ['GET', '/', 404, NOT_FOUND('GET:/'), 0],
        ['GET', '/tests?wait=1', 404, NOT_FOUND('GET:/tests?wait=1'), 0],
        ['GET', '//', 404, NOT_FOUND('GET://'), 0],
      ];
      for (const [method, path, status, body, operations] of expected) {
        const before = runs;
        const answer = await ask(method, path);
        assert.equal(answer.status, status, `${method} ${path}`);
        assert.equal(answer.body, body, `${method} ${path}`);
        assert.equal(runs - before, operations, `${method} ${path}`);
        const type = status === 200 ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
        assert.equal(answer.headers['content-type'], type);
      }
      assert.equal(await connections(), 1);
    });
  });

  test('only ?wait=1 waits for the operations', async () => {
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    await serving(
      () => held,
      async ({ ask }) => {
        for (const path of ['/test', '/test?wait=0', '/test?wait=10'])
          assert.equal((await ask('GET', path)).body, 'ok');
        let answered = false;
        const waiting = ask('GET', '/test?wait=1').then((answer) => {
          answered = true;
          return answer;
        });
        // Long enough for an answer over loopback that does not wait.
        await new Promise((resolve) => setTimeout(resolve, 100));
        assert.equal(answered, false);
        end();
        assert.equal((await waiting).body, 'ok');
      },
    );
  });

  test('an operation that fails is no failed request', async () => {
    await serving(
      async () => {
        throw new Error('no such file');
      },
      async ({ ask }) => assert.equal((await ask('GET', '/test?wait=1')).status, 200),
    );
  });
});

for (const name of ['pbkdf2', 'scrypt', 'gzip', 'randomBytes', 'readFile', 'stat', 'lookup'])
  test(`operation ${name} can be done`, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const { operation } = operationOf({ operation: name, iterations: 200 });
    assert.equal(operation.kind, name);
    const { run, close } = await prepareOperation(operation, { directory, size: 4 });
    await Promise.all([run(), run()]);
    await close();
    rmSync(directory, { recursive: true });
  });
