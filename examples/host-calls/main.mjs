import { Pool } from '@plimsoll/pool';

const modules = new Map([
  ['page', "import 'head';\nimport 'body';\nfooter();"],
  ['head', "import 'styles';\nheader();"],
  ['styles', 'colors();'],
]);
const loaded = new Map();

const pool = new Pool({
  filename: new URL('./worker.mjs', import.meta.url),
  host: {
    // May be asynchronous, although the worker is blocked.
    load: async (name) => {
      loaded.set(name, (loaded.get(name) ?? 0) + 1);
      return modules.get(name);
    },
  },
});

const entries = ['page', 'head'];
const sources = await Promise.all(
  entries.map((entry) =>
    // Functions of one task: they know for which entry they are called.
    pool.run(modules.get(entry), { host: { warn: (text) => console.log(`warning: ${entry}: ${text}`) } }),
  ),
);
for (const [index, source] of sources.entries()) console.log(entries[index], JSON.stringify(source));
console.log(`styles was loaded ${loaded.get('styles')} times`);

await pool.close();
