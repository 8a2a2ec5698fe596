import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommanderError } from 'commander';
import { isCommand } from '#plimsoll/api/options.js';
import { commandOf } from '#plimsoll/cli/command-line.js';
import { commandLinesOf, wordsOf } from './command-lines.js';
import { allPages, blocksOf, readPage, root } from './pages.js';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Programs that are not ours, as they stand at the beginning of a line. */
const OTHERS = new Set(['autocannon', 'git', 'cd', 'node', 'grep', 'tsc', 'esbuild', 'ncc', '.ci/run']);

/** What the real parser says against arguments, or undefined. */
function parse([name = '--help', ...args]: readonly string[]): string | undefined {
  if (name.startsWith('-'))
    return ['--help', '--version'].includes(name) ? undefined : `unknown option ${name}`;
  if (!isCommand(name)) return `unknown command ${name}`;
  try {
    commandOf(name)
      .configureOutput({ writeErr: () => {}, writeOut: () => {} })
      .parse(args, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? undefined : error.message;
    throw error;
  }
}

/** What the worker of @plimsoll/bullmq says against arguments, or undefined: it checks them before it helps. */
function parseWorker(args: readonly string[]): string | undefined {
  const bin = join(root, 'packages/bullmq/bin/plimsoll-worker.js');
  const { status, stderr } = spawnSync(process.execPath, [bin, ...args, '--help'], { encoding: 'utf8' });
  return status === 0 ? undefined : stderr;
}

/** Why a line of a page cannot be typed, or undefined. */
function fault(words: readonly string[]): string | undefined {
  const [program = '', first = '', ...rest] = words;
  if (/^[A-Z_]+=/.test(program)) return fault(words.slice(1));
  if (program === 'npx' && first === 'plimsoll') return parse(rest);
  if (program === 'npx' && first === 'plimsoll-worker') return parseWorker(rest);
  if (program === 'plimsoll') return parse(words.slice(1));
  if (program === 'npx') return OTHERS.has(first) ? undefined : `${first} is no known program`;
  if (program !== 'npm') return OTHERS.has(program) ? undefined : `${program} is no known program`;
  if (first === 'start') return rest[0] === '--' ? parse(rest.slice(1)) : undefined;
  if (first === 'run')
    return Object.hasOwn(scripts, rest[0] ?? '') ? undefined : `there is no script ${rest[0]}`;
  return ['test', 'install', 'ci', 'pack'].includes(first) ? undefined : `npm ${first} is not known`;
}

const lines = allPages().flatMap((page) => blocksOf(page).flatMap(commandLinesOf));

test('every command line in a block can be typed: its command, options and scripts exist', () => {
  assert.ok(lines.filter(({ words }) => words.includes('plimsoll')).length > 30, 'the lines were read');
  const faults = lines.map(({ place, words }) => ({ place, fault: fault(words) }));
  assert.deepEqual(
    faults.filter((line) => line.fault !== undefined),
    [],
  );
});

test('every `npm run …` and `npx plimsoll …` in prose can be typed', () => {
  const spans = allPages().flatMap((page) =>
    [...readPage(page).matchAll(/`((?:npm run|npx plimsoll) [^`\n…]+)`/g)].map(([, text = '']) => ({
      page,
      text,
    })),
  );
  assert.ok(spans.length > 20, 'the spans were read');
  const faults = spans.map(({ page, text }) => ({ page, text, fault: fault(wordsOf(text)) }));
  assert.deepEqual(
    faults.filter((span) => span.fault !== undefined),
    [],
  );
});

test('lines that cannot be typed are found', () => {
  assert.match(fault(wordsOf('npx plimsoll bench --no-such-option')) ?? '', /unknown option/);
  assert.match(fault(wordsOf('plimsoll measure')) ?? '', /unknown command/);
  assert.match(fault(wordsOf('npm start -- bench --time')) ?? '', /argument missing/);
  assert.match(fault(wordsOf('npx plimsoll-worker --thread 2')) ?? '', /Unknown option '--thread'/);
  assert.match(fault(wordsOf('npm run no:such:script')) ?? '', /no script/);
  assert.match(fault(wordsOf('plimsol bench')) ?? '', /no known program/);
  assert.equal(
    fault(wordsOf('npx plimsoll classify bcrypt#hash --args \'["secret", 10]\' # a comment')),
    undefined,
  );
});
