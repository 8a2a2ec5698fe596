import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { EXAMPLES, Outside } from './support/copy.js';
import { measuredPattern, type Step, stepsOf } from './support/readme.js';
import { type Ended, run } from './support/run.js';

/** Their figures differ from run to run. */
const MEASURES = new Set(['ci-gate', 'load', 'classify', 'advise', 'mark-requests']);
/** Not a program to copy, but one that shows how everything fits together. */
const APPLICATIONS = new Set(['service']);
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
  const ended = await run(cheaper(command).replaceAll(':3000/', `:${port}/`), place, { PORT: port });
  const isWorse = command.startsWith('npx plimsoll compare') && ended.code === 1;
  assertWell(isWorse ? { ...ended, code: 0 } : ended, command);
  if (MEASURES.has(name)) assert.match(ended.stdout, measuredPattern(output));
  else assert.equal(ended.stdout.trimEnd(), output.join('\n'));
  if (!command.startsWith('npx plimsoll')) assert.equal(ended.stderr, '');
}

const cheaper = (command: string): string => command.replace('--quick', '--time 2');

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

describe('every example', () => {
  test('there are 12 to 18', () => {
    assert.ok(FOLDERS.length >= 12 && FOLDERS.length <= 18, String(FOLDERS.length));
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
      const steps = stepsOf(read(name, 'README.md'));
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
