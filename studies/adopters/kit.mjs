// What the builds share: generated sources, and what a build says when it is over.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const [arm = '', modules = '', ...rest] = process.argv.slice(2);
export const [kind = ''] = rest;
export const count = Number(modules);
/** Does the work on workers, or in the main thread alone? */
export const isParallel = arm !== 'none';
/** Where packages whose pool has been replaced come first. */
export const require = createRequire(
  join(import.meta.dirname, arm === 'plimsoll' ? 'swapped' : '.', 'build.js'),
);
export const output = join(process.env.TMPDIR ?? '', 'out');

/**
 * Writes so many modules, and one that imports all of them.
 *
 * @param {string} extension
 * @param {(index: number) => string} textOf
 */
export function sources(extension, textOf) {
  const folder = join(process.env.TMPDIR ?? '', 'src');
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: count }, (_, index) => `./m${index}.${extension}`);
  for (const [index, file] of files.entries()) writeFileSync(join(folder, file), textOf(index));
  const imports = files.map((file, index) => `import * as m${index} from '${file}';`);
  const list = files.map((_, index) => `m${index}`).join(', ');
  writeFileSync(join(folder, 'index.js'), `${imports.join('\n')}\nexport default [${list}];\n`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "sideEffects": true }\n');
  return folder;
}

/** Runs a compiler once, and prints its time and what it wrote. @param {any} compiler */
export function build(compiler) {
  const started = performance.now();
  compiler.run((/** @type {unknown} */ error, /** @type {any} */ stats) => {
    const ms = performance.now() - started;
    if (error || stats.hasErrors()) {
      console.error(error ?? stats.toString({ all: false, errors: true }).slice(0, 500));
      process.exit(1);
    }
    const hash = createHash('sha256');
    for (const file of readdirSync(output).sort()) hash.update(file).update(readFileSync(join(output, file)));
    const peakMb = process.resourceUsage().maxRSS / 1024;
    console.log(JSON.stringify({ ms, peakMb, output: hash.digest('hex') }));
    compiler.close(() => process.exit(0));
  });
}
