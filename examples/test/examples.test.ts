import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
// @ts-expect-error a script without declarations
import { findRedis } from '../../scripts/redis.mjs';
import { EXAMPLES, Outside } from './support/copy.js';
import { measuredPattern, type Step, stepsOf } from './support/readme.js';
import { type Ended, run } from './support/run.js';

/** Their figures differ from run to run. */
const MEASURES = new Set(['ci-gate', 'classify', 'mark-requests', 'fleet', 'tune', 'waiting']);
/** Not a program to copy, or one with what it takes to try it. */
const APPLICATIONS = new Set(['service', 'fleet']);
const redis = findRedis() as string | null;
const needsRedis = { skip: redis === null && 'there is no redis-server on this machine' };
const REDIS = { PLIMSOLL_REDIS: redis ?? '' };
const FOLDERS = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['test', 'test-dist'].includes(entry.name))
  .map(({ name }) => name);

const outside = new Outside();
after(() => rmSync(outside.directory, { recursive: true, force: true }));

const read = (...path: string[]): string => readFileSync(join(EXAMPLES, ...path), 'utf8');
const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/** What a command must have done, its output aside. */
function assertWell(ended: Ended, command: string): void {
  assert.equal(ended.code, 0, `${command}\n${ended.stdout}\n${ended.stderr}`);
  assert.deepEqual(ended.left, [], `${command} leaves processes`);
}

async function follow({ command, output }: Step, name: string, place: string): Promise<void> {
  const port = String(await freePort());
  const env = { PORT: port, REDIS_URL: '', ...REDIS };
  const given = timed(command).replaceAll(':3000/', `:${port}/`);
  let ended = await run(given, place, env);
  const compares = command.includes(' --against ');
  // On a busy machine it cannot always tell in so little time, and on one that never is at rest not in any.
  for (const time of [10, 40])
    if (compares && ended.code === 3)
      ended = await run(given.replace(/--time \d+/, `--time ${time}`), place, env);
  const isUnclear = compares && ended.code === 3;
  const isWorse = compares && ended.code === 1;
  assertWell(isUnclear || isWorse ? { ...ended, code: 0 } : ended, command);
  if (isUnclear) assert.match(ended.stdout, /^Cannot tell/m);
  else if (MEASURES.has(name)) assert.match(ended.stdout, measuredPattern(output));
  else assert.equal(ended.stdout.trimEnd(), output.join('\n'));
  if (!command.startsWith('npx plimsoll')) assert.equal(ended.stderr, '');
}

/** `tune` takes all the time that it is given. */
const timed = (command: string): string => command.replace(/tune --time \d+/, 'tune --time 3');

const isWithRedis = ({ command }: Step): boolean => command.includes('with-redis');

/** None of those that the kernel gives to whoever asks for any, such as each connection. */
const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer();
    const isFree = new Promise((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(resolve));
    });
    if ((await isFree) !== false) return port;
  }
};

describe('every example', () => {
  test('there are 12 to 20', () => {
    assert.ok(FOLDERS.length >= 12 && FOLDERS.length <= 20, String(FOLDERS.length));
  });
  for (const name of FOLDERS) {
    test(`${name} is small, and in the table`, () => {
      const files = readdirSync(join(EXAMPLES, name)).filter((file) => file !== 'README.md');
      const lines = files.reduce((sum, file) => sum + linesOf(read(name, file)), 0);
      const [most, mostToRead] = APPLICATIONS.has(name) ? [160, 20] : [40, 15];
      assert.ok(lines <= most, `${lines} lines`);
      assert.ok(linesOf(read(name, 'README.md')) <= mostToRead);
      assert.ok(read('README.md').includes(`[${name}](${name}/README.md)`));
    });

    test(`${name} prints what its README says`, async () => {
      const steps = stepsOf(read(name, 'README.md')).filter((step) => !isWithRedis(step));
      assert.ok(steps.length > 0, 'no command in the README');
      const place = outside.copy(name);
      for (const step of steps) await follow(step, name, place);
    });
  }
});

test('what measures may print other figures, but no other words', () => {
  const pattern = measuredPattern(['…', '  4  19.5 ms  +2.9 %  unclear', '…']);
  assert.match('plimsoll\n   16  1,020 µs  −11 %  unclear\nmore\n', pattern);
  assert.doesNotMatch('plimsoll\n   16  1,020 µs  −11 %  better\nmore\n', pattern);
  assert.doesNotMatch('plimsoll\n   16  many µs  −11 %  unclear\nmore\n', pattern);
});

test('the program of piscina-swap prints the same with Piscina itself', async () => {
  const place = outside.copy('piscina-swap', 'piscina');
  for (const file of ['main.mjs', 'worker.mjs'])
    writeFileSync(
      join(place, file),
      read('piscina-swap', file).replace("'@plimsoll/pool/piscina'; // was: 'piscina'", "'piscina';"),
    );
  assert.match(readFileSync(join(place, 'main.mjs'), 'utf8'), /from 'piscina';/);
  const [step] = stepsOf(read('piscina-swap', 'README.md'));
  const ended = await run('node main.mjs', place);
  assertWell(ended, 'node main.mjs');
  assert.equal(ended.stdout.trimEnd(), step?.output.join('\n'));
});

describe('fleet', () => {
  const place = outside.copy('fleet', 'fleet-with-redis');
  const command = 'node with-redis.mjs';

  test('prints what its README says with Redis', needsRedis, async () => {
    const [step, ...others] = stepsOf(read('fleet', 'README.md')).filter(isWithRedis);
    assert.ok(step?.command === command && others.length === 0);
    await follow(step, 'fleet', place);
  });

  test('leaves nothing behind after Ctrl-C', needsRedis, async () => {
    const endless = outside.copy('fleet', 'fleet-endless');
    // With Redis, after all has been printed without: however late the signal comes, there is something to end.
    const waits = 'if (process.env.REDIS_URL) await new Promise(() => setInterval(() => {}, 1000));\n';
    writeFileSync(join(endless, 'main.mjs'), waits + read('fleet', 'main.mjs'));
    const ended = await run(command, endless, REDIS, 'SIGINT');
    assert.deepEqual([ended.code, ended.stderr, ended.left], [1, 'SIGINT\n', []]);
  });

  test('leaves nothing behind when it fails', needsRedis, async () => {
    const broken = outside.copy('fleet', 'fleet-broken');
    writeFileSync(join(broken, 'tasks.mjs'), 'export const render = () => process.exit();\n');
    const ended = await run(command, broken, REDIS);
    assert.deepEqual([ended.code, ended.left], [1, []]);
    assert.match(ended.stderr, /PLIMSOLL_POOL_WORKER_EXITED.*main\.mjs has failed\n$/s);
  });

  test('says how to install Redis where there is none', async () => {
    const ended = await run(command, place, { PLIMSOLL_REDIS: join(place, 'none') });
    assert.deepEqual([ended.code, ended.stdout, ended.left], [2, '', []]);
    assert.match(ended.stderr, /^There is no redis-server: .*install.*\n$/);
  });
});

describe('typescript', () => {
  test('a function that the worker does not export is an error of the compiler', async () => {
    const place = outside.copy('typescript', 'typescript-wrong');
    writeFileSync(
      join(place, 'main.ts'),
      read('typescript', 'main.ts').replace("'countWords'", "'countWord'"),
    );
    const { code, stdout } = await run('npx tsc --noEmit', place);
    assert.notEqual(code, 0);
    assert.match(stdout, /main\.ts.*'?"?countWord/s);
  });

  const strips = 'typescript' in process.features && process.features.typescript === 'strip';
  test('types are stripped where Node does that', { skip: !strips }, async () => {
    const ended = await run('node --no-warnings main.ts', outside.copy('typescript', 'typescript-stripped'));
    assertWell(ended, 'node main.ts');
    assert.equal(ended.stdout, 'SEA SHIP SEA\n2\n');
  });
});
