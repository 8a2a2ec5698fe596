// A server behind the proxies, in a Worker of its own, so that its event loop is not theirs.
import { createServer } from 'node:http';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

export function startUpstream() {
  const worker = new Worker(new URL(import.meta.url), { argv: [process.argv[2]] });
  worker.unref();
  return new Promise((resolve) => worker.once('message', resolve));
}

if (!isMainThread)
  createServer((_request, response) => response.end('{"stock":7}')).listen(0, '127.0.0.1', function () {
    parentPort.postMessage(this.address().port);
  });
