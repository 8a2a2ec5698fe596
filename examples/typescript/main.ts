import { Pool } from '@plimsoll/pool';

const pool = new Pool<typeof import('./worker.js')>({
  filename: new URL('./worker.js', import.meta.url),
});

// The name decides the types of task and result: `text` is a string, `counts` a Map.
const text = await pool.run({ words: ['sea', 'ship', 'sea'], separator: ' ' }, { name: 'join' });
const counts = await pool.run(text, { name: 'countWords' });
console.log(text.toUpperCase());
console.log(counts.get('sea'));

await pool.close();
