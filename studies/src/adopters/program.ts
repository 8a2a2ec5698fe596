// One build in a fresh process: how long it took, its peak memory, and whether it wrote what every other one wrote.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OWN_NODE, pathOf } from '../common/nodes.js';
import type { Opened } from '../common/study.js';
import { watchChildren } from './memory.js';
import { BUILDS, PROJECT } from './study.js';

const run = promisify(execFile);

interface Built {
  readonly ms: number;
  readonly peakMb: number;
  readonly output: string;
}

export async function open(
  contender: string,
  { build = 0, modules = 0, workers = 2, line = 0 },
): Promise<Opened> {
  const [program, kind] = BUILDS[build] as (typeof BUILDS)[number];
  const node = line === 0 ? OWN_NODE.path : await pathOf(line);
  return {
    async round() {
      const folder = mkdtempSync(join(tmpdir(), 'plimsoll-adopter-'));
      try {
        const args = [join(PROJECT, `${program}.mjs`), contender, String(modules), kind];
        const env = {
          ...process.env,
          TMPDIR: folder,
          RSPACK_LOADER_WORKER_THREADS: String(workers),
          NODE_ENV: undefined,
        };
        const started = performance.now();
        const running = run(node, args, { cwd: PROJECT, env });
        const peakOfChildren = watchChildren(running.child.pid as number);
        const { stdout } = await running.finally(peakOfChildren);
        const total = performance.now() - started;
        const { ms, peakMb, output } = JSON.parse(stdout.trim().split('\n').at(-1) as string) as Built;
        compare(`${program}-${kind}-${modules}`, output.replaceAll(folder, ''));
        return { metrics: { total, build: ms, peak: peakMb + peakOfChildren() } };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The first build of a condition says what all must write. @throws when this one differs */
function compare(condition: string, output: string): void {
  const folder = join(PROJECT, 'hashes');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, condition);
  try {
    writeFileSync(file, output, { flag: 'wx' });
  } catch {
    if (readFileSync(file, 'utf8') !== output) throw new Error('this build wrote something else');
  }
}
