// A Redis of its own, two worker processes, and main.mjs without and with them. They end with this, whatever ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const port = String(probe.address().port);
probe.close();

const children = [];
function start(program, args, REDIS_URL = '', stdio = ['ignore', 'pipe', 'pipe'], detached = false) {
  children.push(spawn(program, args, { env: { ...process.env, REDIS_URL }, stdio, detached }));
  return children.at(-1);
}
async function end() {
  for (const child of children.toReversed().filter(({ pid, exitCode }) => pid && exitCode === null)) {
    if (child.signalCode === null && child.kill()) await once(child, 'exit');
  }
}

// Also when this ends by an error that nobody expects, such as a closed pipe.
process.on('exit', () => {
  for (const child of children) child.kill();
});

const url = `redis://127.0.0.1:${port}`;
const pathOf = (specifier) => fileURLToPath(import.meta.resolve(specifier));
const bin = pathOf('@plimsoll/bullmq/package.json').replace('package.json', 'bin/plimsoll-worker.js');
const worker = [bin, '--queue', 'pages', '--filename', pathOf('./tasks.mjs'), '--close-timeout', '1000'];
async function startWorker() {
  const [line] = await once(start(process.execPath, worker, url).stderr, 'data');
  if (!String(line).includes("queue 'pages'")) throw new Error(String(line));
}
async function runMain(REDIS_URL) {
  const main = start(process.execPath, [pathOf('./main.mjs')], REDIS_URL, ['ignore', 'pipe', 'inherit']);
  const [output, [code]] = await Promise.all([text(main.stdout), once(main, 'exit')]);
  if (code !== 0) throw new Error('main.mjs has failed');
  process.stdout.write(output);
  return output.match(/: (\w+)/)[1];
}

async function compare() {
  // In a group of its own: Ctrl-C reaches whole groups, and workers end in good order only while there is a Redis.
  const redis = start(
    process.env.PLIMSOLL_REDIS ?? 'redis-server',
    ['--port', port, '--bind', '127.0.0.1', '--save', ''],
    '',
    'ignore',
    true,
  );
  await once(redis, 'spawn');
  await Promise.all([startWorker(), startWorker()]);
  const [threads, fleet] = [await runMain(''), await runMain(url)];
  if (threads !== fleet) throw new Error('the pages differ');
  console.log('the same pages');
}

const stopped = new Promise((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => reject(new Error(signal)));
});
await Promise.race([compare(), stopped]).catch((error) => {
  const isMissing = error.code === 'ENOENT';
  console.error(
    isMissing
      ? 'There is no redis-server: apt-get install redis-server, or brew install redis'
      : error.message,
  );
  process.exitCode = isMissing ? 2 : 1;
});
await end();
process.exit();
