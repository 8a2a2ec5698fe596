/** A fake `/` for the readers: a temporary directory with the given files, removed when the test ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** @param files texts by absolute path inside the fake root */
export function fakeRoot(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'plimsoll-host-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The option that skips a test off Linux, with its reason. */
export const linuxOnly = { skip: process.platform === 'linux' ? false : 'needs the /proc of Linux' };
