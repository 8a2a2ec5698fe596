import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  fixture,
  folderFor,
  needsRedis,
  PATIENT,
  processFor,
  queueName,
  startRedis,
  WorkerProcess,
  within,
} from './support.js';

const redis = await startRedis();
const filename = fileURLToPath(fixture('tasks.mjs'));
const GIVEN = ['--queue', 'command', '--filename', filename, ...PATIENT];
const NOBODY = 'redis://:secret@127.0.0.1:1';

/** Runs the command until it ends by itself. */
async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv = { REDIS_URL: NOBODY },
): Promise<{ code: unknown; output: string; errors: string }> {
  const worker = new WorkerProcess(args, env);
  const code = await within(worker.exited);
  const { output, errors } = worker;
  assert.doesNotMatch(errors, /^\s+at /m, 'a stack');
  assert.doesNotMatch(errors + output, /secret/, 'a password');
  return { code, output, errors };
}

test('--help lists every option, and needs no other one', async () => {
  const { code, output, errors } = await run(['--help']);
  assert.deepEqual([code, errors], [0, '']);
  for (const name of [
    'queue',
    'filename',
    'threads',
    'connection',
    'prefix',
    'health',
    'close-timeout',
    'max-payload',
  ])
    assert.match(output, new RegExp(`^  --${name} `, 'm'));
  assert.equal((await run(['-h'])).output, output);
});

const WRONG: [name: string, args: string[], message: RegExp][] = [
  ['no arguments', [], /--queue is missing/],
  ['no file', ['--queue', 'q'], /--filename is missing/],
  ['no queue', ['--filename', filename], /--queue is missing/],
  ['an unknown option', [...GIVEN, '--thread', '2'], /--thread/],
  ['a superfluous argument', [...GIVEN, 'more'], /more/],
  ['an option without its value', [...GIVEN, '--threads'], /--threads/],
  ['a text for a number', [...GIVEN, '--threads', 'many'], /--threads must be a whole number, not 'many'/],
  ['a fraction', [...GIVEN, '--threads', '1.5'], /--threads must be a whole number, not '1.5'/],
  ['no thread', [...GIVEN, '--threads', '0'], /threads must be .*, not 0/],
  ['a port that does not exist', [...GIVEN, '--health', '65536'], /health must be .*, not 65536/],
  ['a lock that is too short', [...GIVEN, '--lock-duration', '5'], /lockDuration must be .*, not 5/],
  ['a queue with a colon', ['--filename', filename, '--queue', 'a:b'], /queue must be .*, not 'a:b'/],
  [
    'a connection of another kind',
    [...GIVEN, '--connection', 'http://:secret@x'],
    /connection must be .*, not 'http/,
  ],
];
for (const [name, args, message] of WRONG) {
  test(`${name}: exit code 2, and a message that names it`, async () => {
    const { code, output, errors } = await run(args);
    assert.equal(code, 2, errors);
    assert.match(errors, message);
    assert.match(errors, /plimsoll-worker --help lists the options\n$/);
    assert.equal(output, '');
  });
}

test('no Redis: exit code 4 after --offline-timeout', async () => {
  const { code, errors } = await run([...GIVEN, '--offline-timeout', '300']);
  assert.equal(code, 4);
  assert.match(errors, /^plimsoll-worker: Redis cannot be reached: .*ECONNREFUSED.*300 ms.*\n$/);
});

test('a wrong password: exit code 4 at once', needsRedis, async () => {
  const guarded = await startRedis({ password: 'right' });
  const REDIS_URL = `redis://:secret@127.0.0.1:${guarded.port}`;
  const { code, errors } = await run(GIVEN, { REDIS_URL });
  assert.equal(code, 4);
  assert.match(errors, /Redis refuses this client/);
  assert.doesNotMatch(errors, /right/);
});

test('a file that does not exist, or does not load: exit code 4', needsRedis, async (t) => {
  const bad = join(folderFor(t), 'bad.mjs');
  writeFileSync(bad, "throw new Error('not today');");
  for (const [file, message] of [
    ['/nowhere/tasks.mjs', /nowhere/],
    [bad, /not today/],
  ] as const) {
    const { code, errors } = await run([...GIVEN, '--filename', file], { REDIS_URL: redis.url });
    assert.equal(code, 4, errors);
    assert.match(errors, message);
  }
});

test('a port for --health that is taken: exit code 4', needsRedis, async (t) => {
  const taken = createServer();
  t.after(() => taken.close());
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, errors } = await run([...GIVEN, '--health', String(port)], { REDIS_URL: redis.url });
  assert.equal(code, 4);
  assert.match(errors, new RegExp(`EADDRINUSE.*${port}`));
});

test('--connection comes before REDIS_URL', needsRedis, async (t) => {
  const worker = await processFor(t, NOBODY, queueName(), ['--connection', redis.url, '--health', '0']);
  assert.match(worker.errors, /queue '.*', 1 threads, tasks .*'add'.*'default'.*, health at \d+\n/);
  assert.equal(await worker.kill('SIGTERM'), 0);
});
