import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const INDEX = import.meta.resolve('@plimsoll/pool');

/** What the constructor throws in a process without one of the language's parts. */
function refusal(remove: string): { code: string; message: string; name: string } {
  const code = `
    ${remove}
    const { Pool, PoolError } = await import(${JSON.stringify(INDEX)});
    try {
      new Pool();
    } catch (error) {
      const { name, code, message } = error;
      console.log(JSON.stringify({ name: error instanceof PoolError && name, code, message }));
    }`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }),
  );
}

for (const [missing, remove] of Object.entries({
  SharedArrayBuffer: 'delete globalThis.SharedArrayBuffer;',
  'Atomics.waitAsync': 'delete Atomics.waitAsync;',
})) {
  test(`a runtime without ${missing} can load the pool, and is told what it lacks by the constructor`, () => {
    const { code, message, name } = refusal(remove);
    assert.equal(code, 'PLIMSOLL_POOL_UNSUPPORTED_RUNTIME');
    assert.equal(name, 'PoolError');
    assert.match(message, new RegExp(`^This runtime has no ${missing}\\. .* needs Node\\.js .*Bun.*Deno`));
  });
}
