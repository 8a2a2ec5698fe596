import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Command, CommanderError } from 'commander';
import { addBenchCommand } from '#plimsoll/cli/bench.js';
import { addClassifyCommand } from '#plimsoll/cli/classify.js';
import { addCompareCommand } from '#plimsoll/cli/compare.js';
import { addDoctorCommand } from '#plimsoll/cli/doctor.js';
import { addReportCommand } from '#plimsoll/cli/report.js';
import { addResizeCommand } from '#plimsoll/cli/resize.js';
import { addRunCommand } from '#plimsoll/cli/run.js';
import { addTimelineCommand } from '#plimsoll/cli/timeline.js';
import { addTopCommand } from '#plimsoll/cli/top.js';
import { addTraceCommand } from '#plimsoll/cli/trace.js';
import { addTuneCommand } from '#plimsoll/cli/tune.js';
import { commandLinesOf, wordsOf } from './command-lines.js';
import { allPages, blocksOf, readPage, root } from './pages.js';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Programs that are not ours, as they stand at the beginning of a line. */
const OTHERS = new Set(['git', 'cd', 'node', 'grep', 'tsc', 'esbuild', 'ncc', '.ci/run']);

/** The real commands with their real options; in place of a measurement they do nothing. */
function commands(): Command {
  const program = new Command('plimsoll')
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} });
  addBenchCommand(program);
  addClassifyCommand(program);
  addCompareCommand(program);
  addReportCommand(program);
  addDoctorCommand(program);
  addResizeCommand(program);
  addTopCommand(program);
  addRunCommand(program);
  addTimelineCommand(program);
  addTraceCommand(program);
  addTuneCommand(program);
  for (const command of program.commands) command.action(() => {});
  return program;
}

/** What the parser says against arguments, or undefined. */
function parse(args: readonly string[]): string | undefined {
  try {
    commands().parse([...args], { from: 'user' });
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
  if (program === 'npx' && first === 'plimsoll') return parse(rest);
  if (program === 'npx' && first === 'plimsoll-worker') return parseWorker(rest);
  if (program === 'plimsoll') return parse([first, ...rest]);
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

describe('the page of each command has every option, and no other', () => {
  for (const command of commands().commands)
    test(command.name(), () => {
      const page = readPage(`docs/reference/${command.name()}.md`);
      const flags = command.options.map(({ long }) => long ?? '');
      const documented = [...page.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag);
      assert.deepEqual(
        flags.filter((flag) => !documented.includes(flag)),
        [],
        'not documented',
      );
      const rows = [...page.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag = '']) => flag);
      assert.deepEqual(
        rows.filter((flag) => !flags.includes(flag)),
        [],
        'no such option',
      );
    });
});
