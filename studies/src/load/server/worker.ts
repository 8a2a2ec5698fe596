import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ThreadInfo } from '@plimsoll/lab';
import { poolThreadsBetween } from '@plimsoll/lab/child';
import { sampleApp } from './app.js';
import type { ServerJob, WorkerMessage, WorkerOrder } from './messages.js';
import { prepareOperation } from './prepare-operation.js';
import { RequestMeter } from './request-meter.js';

/** Run one worker of the sample server until its controller is gone. */
export async function serve(control: Socket, before: ThreadInfo[], after: ThreadInfo[]): Promise<void> {
  const tell = (message: WorkerMessage): boolean => control.write(`${JSON.stringify(message)}\n`);
  const fail = (error: unknown): void => {
    const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    tell({ type: 'failed', code: code ?? null, message: message ?? String(error) });
  };
  process.on('uncaughtException', (error) => {
    fail(error);
    control.end(() => process.kill(process.pid, 'SIGKILL'));
  });

  try {
    const job = JSON.parse(process.env.PLIMSOLL_SERVER ?? '') as ServerJob;
    const directory = mkdtempSync(join(job.directory, 'worker-'));
    const operation = await prepareOperation(job.operation, { directory, size: job.size });
    const recorder = new RequestMeter(operation, job.operationsPerRequest);
    const app = sampleApp(recorder);
    // Touch what a request touches once before anything is timed.
    await operation.run();
    app.listen(job.port, '127.0.0.1');
    await once(app, 'listening');
    createInterface({ input: control }).on('line', (line) => {
      const order = JSON.parse(line) as WorkerOrder;
      if (order.type === 'begin') return recorder.begin();
      if (order.type === 'rest') return recorder.rest();
      void recorder.finish().then((measurement) => {
        // At once, so that no request between two measurements is lost.
        recorder.begin();
        tell({ type: 'measured', measurement });
      });
    });
    const { port } = app.address() as AddressInfo;
    tell({ type: 'ready', port, observedThreads: poolThreadsBetween(before, after) });
  } catch (error) {
    fail(error);
  }
}
