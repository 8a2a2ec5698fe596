// Three worker threads use the pool, each told that its size is 16.
import workers = require('node:worker_threads');

const work = `require('node:crypto').pbkdf2('a', 'b', 1000, 64, 'sha512', () => {})`;
for (let worker = 0; worker < 3; worker++)
  new workers.Worker(work, { eval: true, env: { ...process.env, UV_THREADPOOL_SIZE: '16' } });
