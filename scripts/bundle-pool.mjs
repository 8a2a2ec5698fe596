import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Packs all modules that a worker of the pool needs into one CommonJS file, when one of them is newer than it: a thread
 * that loads one file, and not the ESM loader, is ready many milliseconds earlier.
 */
export function bundleWorker(root) {
  const dist = join(root, 'packages/pool/dist');
  const bundle = join(dist, 'worker/entry.cjs');
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newest(dist)) return;
  // Here, because this module is loaded before anything is installed.
  const { buildSync } = createRequire(import.meta.url)('esbuild-wasm');
  buildSync({
    entryPoints: [join(dist, 'worker/entry.js')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    logLevel: 'warning',
  });
}

function newest(directory) {
  const modules = readdirSync(directory, { recursive: true }).filter((file) => file.endsWith('.js'));
  return Math.max(...modules.map((file) => statSync(join(directory, file)).mtimeMs));
}
