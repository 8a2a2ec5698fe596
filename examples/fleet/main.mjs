import { createHash } from 'node:crypto';
import { createTasks } from '@plimsoll/bullmq';

const { REDIS_URL } = process.env;
// With REDIS_URL on the worker processes of a queue, without it on threads of this process.
const tasks = createTasks({
  filename: new URL('./tasks.mjs', import.meta.url),
  fleet: REDIS_URL && { queue: 'pages', connection: REDIS_URL },
});

const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
const hash = createHash('sha256');
const rendered = new Map();
for await (const { html, pid } of tasks.map(numbers, { name: 'render' })) {
  hash.update(html);
  rendered.set(pid, (rendered.get(pid) ?? 0) + 1);
}
await tasks.close();

console.log(`${numbers.length} pages on ${tasks.kind}: ${hash.digest('hex').slice(0, 16)}`);
for (const [pid, pages] of rendered) console.log(`  process ${pid} rendered ${pages}`);
