#!/usr/bin/env node
// npm links a bin only when its file exists at install time, which in a clone is before the build.
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write(
    'plimsoll: this clone is not built yet; run `npm run build` at its root, then try again\n',
  );
  process.exitCode = 2;
}
