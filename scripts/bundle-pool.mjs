import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Packs the modules of the pool, when one of them is newer than that, because each file costs whoever loads it a part of a
 * millisecond: for the host into one module that its two entries share, for workers into one CommonJS file, which
 * needs no part of the ESM loader.
 */
export function bundlePool(root) {
  const dist = join(root, 'packages/pool/dist');
  const bundle = join(dist, 'bundle');
  const worker = join(dist, 'worker/entry.cjs');
  if (existsSync(worker) && existsSync(bundle) && statSync(worker).mtimeMs >= newest(dist)) return;
  // Here, because this module is loaded before anything is installed.
  const { buildSync } = createRequire(import.meta.url)('esbuild-wasm');
  const options = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'warning' };
  rmSync(bundle, { recursive: true, force: true });
  buildSync({
    ...options,
    entryPoints: [join(dist, 'index.js'), join(dist, 'piscina.js')],
    outdir: bundle,
    format: 'esm',
    splitting: true,
    chunkNames: 'shared',
  });
  buildSync({ ...options, entryPoints: [join(dist, 'worker/entry.js')], outfile: worker, format: 'cjs' });
}

function newest(directory) {
  const modules = readdirSync(directory, { recursive: true }).filter((file) => file.endsWith('.js'));
  return Math.max(...modules.map((file) => statSync(join(directory, file)).mtimeMs));
}
