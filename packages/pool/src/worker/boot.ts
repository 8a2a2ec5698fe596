import { runInThisContext } from 'node:vm';

/** `entry.ts` with all that it imports, as a function of `import`. `scripts/bundle.mjs` puts it here. */
declare const ENTRY: string;

type Start = (importModule: (url: string) => Promise<unknown>) => void;

/**
 * What a worker's thread is started with. Node treats such a text as it does what follows `node --eval`; for the worker
 * files, that is undone here. And compiling the entry from here costs less, because Node parses such a text twice.
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

const start = runInThisContext(ENTRY, { filename: '@plimsoll/pool/worker' }) as Start;
start((url) => import(url));
