import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A committed result or page. */
export const published = (name: string): string => readFileSync(join(ROOT, 'docs/results', name), 'utf8');

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** `npm run study -- …` after set-up. */
export const study = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { cwd: ROOT, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
