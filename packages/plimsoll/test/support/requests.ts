import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTrace, trace, writeTrace } from 'plimsoll';
import type { TracedProcess, TracedRequest } from '#plimsoll/results/trace.js';
import { fixture } from './cli.js';

export interface Recorded {
  readonly processes: readonly TracedProcess[];
  /** Of the first process. */
  readonly requests: readonly TracedRequest[];
  /** Ids and counts of notes about requests. */
  readonly notes: readonly { readonly id: string; readonly count?: number | undefined }[];
  /** What the program says itself. */
  readonly result: unknown;
  /** By what ran: the requests that it ran for, by their numbers. */
  readonly seen: Readonly<Record<string, readonly number[]>>;
}

/** Record a program of `fixtures/trace/requests` and take what is kept of it. */
export async function recordRequests(program: string, scenario = 'default'): Promise<Recorded> {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  try {
    const [said, kept] = ['said', 'kept'].map((name) => join(directory, name)) as [string, string];
    const file = fixture(`trace/requests/${program}.cjs`);
    const { trace: recorded } = await trace({
      command: [process.execPath, file, said, scenario],
      stdout: 'stderr',
    });
    assert.equal(recorded.ending, 'ended');
    writeTrace(recorded, kept);
    const { processes, notes } = readTrace(kept);
    assert.deepEqual(
      processes.map(({ requests }) => requests),
      recorded.processes.map(({ requests }) => requests),
    );
    const { result, seen } = JSON.parse(readFileSync(said, 'utf8')) as Pick<Recorded, 'result' | 'seen'>;
    const about = notes.flatMap(({ id, count }) => (id.includes('request') ? [{ id, count }] : []));
    return { processes, requests: processes[0]?.requests ?? [], notes: about, result, seen };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** `GET /a answered`, one for each request. */
export const ends = (requests: readonly Pick<TracedRequest, 'route' | 'end'>[]): string[] =>
  requests.map(({ route, end }) => `${route} ${end}`);

/** How long a request took, in milliseconds. */
export const took = (request: TracedRequest | undefined): number =>
  request?.endMs == null ? Number.NaN : request.endMs - request.startMs;
