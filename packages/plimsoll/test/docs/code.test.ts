import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { allPages, type Block, blocksOf, root } from './pages.js';

/** Blocks with the directive `skip: REASON`. A new one is counted here, by somebody who has read its reason. */
const SKIPPED = 0;

const LANGUAGES = new Set(['js', 'mjs', 'cjs', 'ts']);
const isChecked = (page: string): boolean =>
  page === 'README.md' || /^packages\/[^/]+\/README\.md$/.test(page) || /^docs\/(?!results\/)/.test(page);

const FILE_NAME = /^\/\/ ([\w-]+)\.([cm]?)[jt]s$/;

/** The files of a block, by name: `// worker.js` on a line of its own begins one. TypeScript reads JavaScript, too. */
function filesOf({ line, text, directive }: Block): Map<string, string> {
  const files = new Map<string, string>();
  let name = `line-${line}.ts`;
  for (const row of text.split('\n')) {
    const [, file, kind] = FILE_NAME.exec(row) ?? [];
    if (file !== undefined) name = `${file}.${kind ?? ''}ts`;
    const before = files.get(name) ?? `export {};\n${directive}\n`;
    files.set(name, `${before}${row}\n`);
  }
  const [first = ''] = files.keys();
  if (files.size > 1 && files.get(first)?.trim() === `export {};\n${directive}`.trim()) files.delete(first);
  return files;
}

/**
 * Type-check blocks as the project of somebody who has installed our packages; returns what the compiler says. Blocks of
 * TypeScript are a program of their own: what they declare for a whole project must not reach those of JavaScript.
 */
function typeCheck(blocks: readonly Block[]): string {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const directory = mkdtempSync(join(root, '.cache/docs-'));
  try {
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    const written = blocks.map((block) => ({ block, files: writeFiles(directory, block) }));
    const filesIn = (isTypeScript: boolean): string[] =>
      written.filter(({ block }) => (block.language === 'ts') === isTypeScript).flatMap(({ files }) => files);
    return [filesIn(false), filesIn(true)].map((files) => compile(directory, files)).join('');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Write the files of a block into a folder for its page; returns their paths. */
function writeFiles(directory: string, block: Block): string[] {
  const page = block.page.replaceAll('/', '+');
  mkdirSync(join(directory, page), { recursive: true });
  return [...filesOf(block)].map(([name, text]) => {
    // Another file of that name on the page is an error.
    writeFileSync(join(directory, page, name), text, { flag: 'wx' });
    return join(page, name);
  });
}

function compile(directory: string, files: readonly string[]): string {
  if (files.length === 0) return '';
  const compilerOptions = {
    ...{ noEmit: true, composite: false, noImplicitAny: false, verbatimModuleSyntax: false },
    ...{ lib: ['es2023', 'esnext.disposable', 'dom'], types: ['node'] },
  };
  const config = { extends: '../../tsconfig.base.json', compilerOptions, files };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], {
    cwd: directory,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

const blocks = allPages()
  .filter(isChecked)
  .flatMap((page) => blocksOf(page).filter(({ language }) => LANGUAGES.has(language)));
const skipped = blocks.filter(({ directive }) => directive.startsWith('skip:'));

test('every block of code type-checks against the packages', () => {
  assert.ok(blocks.length > 15, 'the blocks were read');
  assert.equal(typeCheck(blocks.filter((block) => !skipped.includes(block))), '');
});

test('what is skipped has a reason, and is counted', () => {
  for (const { page, line, directive } of skipped)
    assert.match(directive, /^skip: \S.{9,}/, `${page}:${line}`);
  assert.equal(skipped.length, SKIPPED);
});

test('a block that is wrong is found', () => {
  const wrong =
    "import { Pool } from '@plimsoll/pool';\n\nnew Pool({ filename: 'worker.js', maxThread: 2 });";
  const [block] = blocksOf('wrong.md', `\`\`\`js\n${wrong}\n\`\`\`\n`);
  assert.ok(block);
  assert.match(typeCheck([block]), /maxThread/);
  assert.match(typeCheck([{ ...block, text: 'pool.run();' }]), /Cannot find name 'pool'/);
  assert.equal(
    typeCheck([{ ...block, text: 'pool.run();', directive: 'declare const pool: { run(): void };' }]),
    '',
  );
});

const { load } = createRequire(import.meta.url)('js-yaml') as { load: (text: string) => unknown };

test('every block of YAML and JSON is read by its parser', () => {
  const data = allPages().flatMap((page) =>
    blocksOf(page).filter(({ language }) => ['yaml', 'yml', 'json'].includes(language)),
  );
  assert.ok(data.length > 0, 'the blocks were read');
  for (const { page, line, text, language } of data) {
    const value = language === 'json' ? JSON.parse(text) : load(text);
    assert.equal(typeof value, 'object', `${page}:${line}`);
  }
});

test('a block is of a language that some test checks', () => {
  const checked = new Set([...LANGUAGES, 'yaml', 'yml', 'json', 'sh', 'console', 'text', 'diff', '']);
  const others = allPages().flatMap((page) =>
    blocksOf(page).filter(({ language }) => !checked.has(language)),
  );
  assert.deepEqual(
    others.map(({ page, line, language }) => `${page}:${line} ${language}`),
    [],
  );
});
