import { Pool } from '@plimsoll/pool';

const modules = new Map([
  ['page', "import 'head';\nimport 'body';\nfooter();"],
  ['head', "import 'styles';\nheader();"],
  ['styles', 'colors();'],
]);

const pool = new Pool({
  filename: new URL('./worker.mjs', import.meta.url),
  // May be asynchronous, although the worker is blocked.
  host: { load: async (name) => modules.get(name) },
});

for (const entry of ['page', 'head']) {
  // A function of this task alone: it knows for which entry it is called.
  const host = { warn: (text) => console.log(`warning: ${entry}: ${text}`) };
  const source = await pool.run(modules.get(entry), { host });
  console.log(entry, JSON.stringify(source));
}

await pool.close();
