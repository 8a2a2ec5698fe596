import { ONE_SETTING_EACH } from '../contenders/contenders.js';
import { expect } from '../support/expect.js';
import { sustain } from '../support/sustain.js';
import type { Case, Lab } from './case.js';

const IN_FLIGHT = 8;
const BYTES = 2 ** 20;

const common = {
  contenders: ONE_SETTING_EACH,
  metrics: [
    { id: 'rate', title: 'tasks/s', better: 'more', digits: 0 },
    { id: 'cpu', title: 'CPU µs/task', better: 'less', digits: 1 },
  ],
  expectedMs: { full: 1700, quick: 900, smoke: 400 },
} satisfies Partial<Case>;

const durations = ({ effort }: Lab) => ({
  warmUpMs: { full: 400, quick: 200, smoke: 10 }[effort],
  ms: { full: 1000, quick: 450, smoke: 20 }[effort],
});

function checkBytes(bytes: Uint8Array, index: number): void {
  expect(bytes.byteLength === BYTES, `${bytes.byteLength} bytes came back`);
  expect(bytes[0] === index % 256 && bytes[BYTES - 1] === 7, 'other bytes came back');
}

export const copied: Case = {
  ...common,
  name: 'copied',
  title: '1 MB Buffer, copied in and out',
  description:
    'Two workers, 8 tasks in flight; each takes a Buffer of 1 MB and returns it, and both ways it is copied.',
  targets: [{ kind: 'times', metric: 'rate', of: 'piscina', atLeast: 1.2 }],

  async measure(lab) {
    const pool = lab.open({ task: 'echo', threads: 2 });
    const buffers = Array.from({ length: IN_FLIGHT }, () => Buffer.alloc(BYTES, 7));
    const { tasksPerSecond, cpuUsPerTask } = await sustain<Buffer, Uint8Array>({
      run: pool.run,
      make(index, lane) {
        const buffer = buffers[lane] as Buffer;
        buffer[0] = index % 256;
        return buffer;
      },
      check: checkBytes,
      inFlight: IN_FLIGHT,
      ...durations(lab),
    });
    return { rate: tasksPerSecond, cpu: cpuUsPerTask };
  },
};

export const transferred: Case = {
  ...common,
  name: 'transferred',
  title: '1 MB Buffer, transferred in and out',
  description:
    'The same with the bytes transferred both ways: each lane sends on what it got back, so that nothing is allocated.',
  targets: [{ kind: 'times', metric: 'rate', of: 'piscina', atLeast: 1 }],

  async measure(lab) {
    const pool = lab.open({ task: 'pass-on', threads: 2 });
    const owned: Uint8Array[] = Array.from({ length: IN_FLIGHT }, () => Buffer.alloc(BYTES, 7));
    const { tasksPerSecond, cpuUsPerTask } = await sustain<Uint8Array, Uint8Array>({
      run: (bytes) => pool.run(bytes, [bytes.buffer as ArrayBuffer]),
      make(index, lane) {
        const bytes = owned[lane] as Uint8Array;
        expect(bytes.byteLength === BYTES, 'the bytes were not given back');
        bytes[0] = index % 256;
        return bytes;
      },
      check(bytes, index, lane) {
        checkBytes(bytes, index);
        expect(owned[lane]?.byteLength === 0, 'the bytes were copied, not transferred');
        owned[lane] = bytes;
      },
      inFlight: IN_FLIGHT,
      ...durations(lab),
    });
    return { rate: tasksPerSecond, cpu: cpuUsPerTask };
  },
};
