import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PlimsollError } from '../errors.js';
import { captureEnvironment } from '../host/environment.js';
import type { Supervision } from '../lab/guardian.js';
import { openResolver } from '../lab/resolver/resolver.js';
import type { Timeline, TimelineExperiment } from '../results/timeline.js';
import { createRandom } from '../stats/random.js';
import type { DrawAnswer, DrawJob, DrawSubject } from './messages.js';
import { type ObservationRequest, type Observed, observe } from './observe.js';
import { operations } from './operations.js';
import { LATENCY_MS, startServers } from './servers.js';
import { buildSpans } from './spans.js';

export interface DrawPlan {
  readonly subject: DrawSubject;
  readonly requests: readonly number[];
  readonly size: number;
  readonly deadlineMs: number;
}

export interface DrawProgress {
  readonly requests: number;
  readonly experiment: number;
  readonly experiments: number;
}

export interface MeasuredTimeline extends Omit<Timeline, 'experiments'> {
  readonly experiments: readonly Omit<TimelineExperiment, 'observations'>[];
}

const REQUESTS = new URL('./child/requests.js', import.meta.url);

export async function draw(
  options: DrawPlan,
  { guardian, signal, onProgress }: Supervision<DrawProgress>,
): Promise<MeasuredTimeline> {
  const startedAt = new Date();
  const directory = guardian.temporaryDirectory();
  const environment = captureEnvironment({ directory });
  const { servers, close } = await startServers(directory, LATENCY_MS);
  const { size, subject } = options;
  const name = nameOf(subject);
  const resolver = name === 'lookup' ? await openResolver(guardian, LATENCY_MS) : null;
  const { names = [], prefix = [], description = '' } = resolver ?? {};
  const record = async (requests: number): Promise<Recorded> => {
    const folder = join(directory, `requests-${requests}`);
    mkdirSync(folder, { recursive: true });
    const ports = { httpPort: servers.http, dnsPort: servers.dns };
    const job: DrawJob = { subject, requests, size, directory: folder, names, ...ports, cwd: process.cwd() };
    const request = { name, module: REQUESTS, prefix, job, deadlineMs: options.deadlineMs };
    const random = createRandom(requests);
    return recordingOf(request, await observe<DrawJob, DrawAnswer>(request, guardian, random, signal));
  };
  const experiments: Omit<TimelineExperiment, 'observations'>[] = [];
  let observedThreads: number | null = null;
  try {
    for (const requests of options.requests) {
      onProgress?.({ requests, experiment: experiments.length, experiments: options.requests.length });
      const recording = await record(requests);
      observedThreads = recording.observedThreads;
      experiments.push({ requests, ...buildSpans(recording.requests, recording.events, size) });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await resolver?.close();
    await close();
    guardian.remove(directory);
  }
  return {
    ...{ schema: 'plimsoll/1', kind: 'timeline', environment, operation: name },
    ...{ description: describe(subject, description), size, observedThreads },
    ...{ startedAt: startedAt.toISOString(), interrupted: signal.aborted, experiments },
  };
}

function describe(subject: DrawSubject, resolver: string): string {
  if (subject.kind === 'target') return `the function ${subject.target.exportName}`;
  const [description] = operations[subject.name];
  return subject.name === 'lookup' ? `${description}, ${resolver}` : description;
}

const nameOf = (subject: DrawSubject): string =>
  subject.kind === 'target' ? subject.target.name : subject.name;

type Recorded = Extract<DrawAnswer, { type: 'recorded' }>;

/** @throws {PlimsollError} when the requests did not complete. */
function recordingOf(
  { name, job, deadlineMs }: ObservationRequest<DrawJob>,
  observed: Observed<DrawAnswer>,
): Recorded {
  if (observed.kind === 'deadline')
    throw new PlimsollError(
      'PLIMSOLL_WORKLOAD_HUNG',
      `${name}: ${job.requests} requests did not complete within ${deadlineMs / 1000} s (--deadline)`,
    );
  if (observed.kind === 'exited')
    throw new PlimsollError(
      'PLIMSOLL_WORKLOAD_EXITED',
      `${name} ended its process (${observed.how}) too early`,
    );
  const { answer } = observed;
  if (answer.type === 'recorded') return answer;
  throw new PlimsollError('PLIMSOLL_WORKLOAD_FAILED', `${name} failed: ${answer.name}: ${answer.message}`);
}
