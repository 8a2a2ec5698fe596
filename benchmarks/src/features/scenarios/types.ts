import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fact, judge, type Outcome } from '../outcome.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const MODULE = `
export const resize = (image: Uint8Array, width: number, height = width): number => image.length + width + height;
export const load = async (url: string): Promise<Uint8Array> => new Uint8Array(url.length);
export function parse(text: string): number;
export function parse(bytes: Uint8Array): boolean;
export function parse(from: string | Uint8Array): number | boolean {
  return typeof from === 'string' ? from.length : from.length > 0;
}
export const first = async <T>(items: readonly T[]): Promise<T> => items[0] as T;
`;

/** Each is a program of its own. */
const CHECKS = {
  parameters: `
const size: PromiseLike<number> = api.resize(new Uint8Array(4), 2);
// @ts-expect-error
api.resize('no image', 2);
// @ts-expect-error
api.resize(new Uint8Array(4));
`,
  promises: 'const bytes: PromiseLike<Uint8Array> = api.load("x");\n',
  overloads: `
const count: PromiseLike<number> = api.parse('text');
const some: PromiseLike<boolean> = api.parse(new Uint8Array(1));
`,
  generics: 'const text: PromiseLike<string> = api.first(["a"]);\n',
} as const;

/** @param prologue declares `api`, with the types of `./module.js` */
export async function proxyTypes(prologue: string): Promise<Outcome> {
  const failed = compile(prologue);
  const holds = (check: keyof typeof CHECKS): boolean => !failed.has(check);
  return judge(
    [
      fact(
        holds('parameters'),
        "a function's parameters and result are known from the module, and wrong calls are errors",
        'functions are not known from the module',
      ),
    ],
    [
      fact(
        holds('promises'),
        'a promise stays one promise',
        'an async function gives a promise of a promise',
      ),
      fact(holds('overloads'), 'overloads are kept', 'overloads are lost'),
      fact(holds('generics'), 'type parameters of async functions are kept', 'type parameters are lost'),
    ],
  );
}

/** @returns the checks that do not compile. */
function compile(prologue: string): Set<string> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/features-'));
  try {
    const checks = Object.entries(CHECKS);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'module.ts'), MODULE);
    for (const [name, check] of checks) writeFileSync(join(folder, `${name}.ts`), `${prologue}\n${check}`);
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../tsconfig.base.json',
        compilerOptions: { noEmit: true, composite: false, lib: ['es2023', 'esnext.disposable'] },
        files: checks.map(([name]) => `${name}.ts`),
      }),
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const failed = new Set([...stdout.matchAll(/^(\w+)\.ts\(/gm)].map(([, name = '']) => name));
    if (status !== 0 && failed.size === 0) throw new Error(`the compiler failed: ${stdout}`);
    return failed;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
