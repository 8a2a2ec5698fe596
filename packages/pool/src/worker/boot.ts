import { Script } from 'node:vm';
import type { Boot } from '../shared/messages.js';
import { takeMessage } from './next-message.js';

type Start = (importModule: (url: string) => Promise<unknown>, makeCode?: () => Uint8Array) => void;

/**
 * What a worker's thread is started with. Node treats such a text as it does what follows `node --eval`; for the worker
 * files, that is undone here. The entry comes in a message, because Node parses such a text twice.
 */
const { module } = globalThis as { module?: unknown };
for (const name of ['module', 'exports', 'require', '__filename', '__dirname']) {
  // ES modules would take themselves for CommonJS.
  Reflect.deleteProperty(globalThis, name);
}
Reflect.deleteProperty(process, '_eval');
// What `require.main` is: some look there for the folder of the program.
if (module !== undefined) Reflect.set(process, 'mainModule', module);
// Some look for the file of this name. It must be one, and no worker file may take itself for the program.
process.argv[1] = process.execPath;

takeMessage(({ entry, code, isCodeWanted }: Boot) => {
  const script = new Script(entry, { filename: '@plimsoll/pool/worker', cachedData: code });
  const start = script.runInThisContext() as Start;
  start((url) => import(url), isCodeWanted ? () => script.createCachedData() : undefined);
});
