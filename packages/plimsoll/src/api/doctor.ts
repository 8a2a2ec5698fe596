import { type ProcessFacts, sizeOf } from '../doctor/facts.js';
import { fromOutside } from '../doctor/from-outside.js';
import { observe } from '../doctor/observe.js';
import { readCgroup } from '../host/cgroup.js';
import { effectiveCpus } from '../host/cpu.js';
import { type DoctorFinding, diagnose } from '../report/findings/doctor.js';
import type { Diagnosis } from '../results/diagnosis.js';
import type { Finding } from '../results/finding.js';
import type { OptionsOf } from './options.js';
import { type RunOptions, supervised } from './run-options.js';
import { checkOptions } from './values.js';

export type DoctorOptions = OptionsOf<'doctor'>;

const NOTHING = [process.execPath, '-e', 'setTimeout(() => {}, 10_000)'];

/**
 * What size a program's pool really has, and why not the one that was asked for.
 *
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when the command cannot be started, or is no Node program; PLIMSOLL_NO_PROCESS,
 * PLIMSOLL_NOT_NODE, PLIMSOLL_NOT_PERMITTED for a PID that cannot be examined; PLIMSOLL_USAGE for an option out of range.
 * @example
 * const { isRight, processes } = await doctor({ command: ['node', 'server.js'] });
 * if (!isRight) console.log(processes[0]?.size);
 */
export async function doctor(
  options: DoctorOptions = {},
  { signal }: RunOptions<never> = {},
): Promise<Diagnosis> {
  const { command, pid, waitMs, stdout = 'nowhere' } = checkOptions('doctor', options);
  const startedAt = new Date().toISOString();
  const how = { stdout, waitMs: command === undefined ? 1 : waitMs };
  const { processes, failure, pidsHeadroom } =
    pid === undefined
      ? await supervised(signal, (supervision) => observe(command ?? NOTHING, how, supervision))
      : { processes: [fromOutside(pid)], failure: null, pidsHeadroom: readCgroup().pidsHeadroom };
  const machine = { effectiveCpus: effectiveCpus(), pidsHeadroom };
  const findings = processes.flatMap((facts) => diagnose(facts, machine));
  return {
    ...{ schema: 'plimsoll/1', kind: 'diagnosis', command: [...(command ?? [])], startedAt },
    interrupted: signal?.aborted ?? false,
    failure,
    effectiveCpus: machine.effectiveCpus,
    processes: processes.map(diagnosed),
    isRight: verdictOf(findings, processes),
    findings: once(findings.map(({ finding }) => finding)),
  };
}

/** One process that has another size decides; without one, all must have been counted but those that never used their pool. */
function verdictOf(findings: readonly DoctorFinding[], processes: readonly ProcessFacts[]): boolean | null {
  if (findings.some(({ means }) => means === 'wrong')) return false;
  const isCounted = processes.some(({ threads }) => threads !== null);
  const unknown = findings.filter(({ means }) => means === 'unknown');
  return isCounted && unknown.every(({ finding }) => finding.id === 'doctor.not-used') ? true : null;
}

/** The processes of a cluster share findings. */
const once = (findings: readonly Finding[]): Finding[] =>
  [...new Map(findings.toReversed().map((finding) => [finding.text, finding])).values()].reverse();

const diagnosed = (facts: ProcessFacts): Diagnosis['processes'][number] => ({
  ...{ pid: facts.pid, script: facts.script, node: facts.node, asked: facts.current ?? facts.initial },
  ...{
    size: sizeOf(facts),
    countedBy: facts.threads === null ? null : facts.countedBy,
    usedBy: facts.usedBy,
  },
});
