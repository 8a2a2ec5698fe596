import { Script } from 'node:vm';
import type { Boot } from '../shared/messages.js';
import { takeMessage } from './next-message.js';

type Start = (importModule: (url: string) => Promise<unknown>, makeCode?: () => Uint8Array) => void;

/**
 * Every worker's thread starts with this text, which Node runs like `node --eval`. Here the traces of `--eval` are
 * removed. The worker's own code follows in a message, because Node would parse it twice as part of this text.
 */
const { module } = globalThis as { module?: unknown };
for (const name of ['module', 'exports', 'require', '__filename', '__dirname']) {
  // With these names, ES modules would look like CommonJS.
  Reflect.deleteProperty(globalThis, name);
}
Reflect.deleteProperty(process, '_eval');
// Becomes `require.main`: some packages look there for the program's folder.
if (module !== undefined) Reflect.set(process, 'mainModule', module);
// Some packages read this file, so it must exist. A worker file's path would make that file look like the main program.
process.argv[1] = process.execPath;

takeMessage(({ entry, code, isCodeWanted }: Boot) => {
  const script = new Script(entry, { filename: '@plimsoll/pool/worker', cachedData: code });
  const start = script.runInThisContext() as Start;
  start((url) => import(url), isCodeWanted ? () => script.createCachedData() : undefined);
});
