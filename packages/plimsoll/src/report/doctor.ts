import type { DiagnosedProcess, Diagnosis } from '../results/diagnosis.js';
import { column, findingsBlock, type Report, type Section, titled } from './document.js';
import { formatCount } from './format.js';

export function diagnosisDocument(diagnosis: Diagnosis): Report {
  const { command, effectiveCpus, isRight, interrupted, failure, findings } = diagnosis;
  const [text, tone] = VERDICT[`${isRight}`];
  return {
    command: 'plimsoll doctor',
    subject: command.join(' '),
    about: [`${formatCount(effectiveCpus, 'CPU')} by affinity and quota; ~ is by the variable, not counted`],
    warning: interrupted
      ? 'interrupted'
      : failure && `the command failed (${failure}): what it had until then`,
    sections: [
      processesSection(diagnosis),
      ...titled('Findings', findingsBlock(findings)),
      { blocks: [{ kind: 'headline', text, tone }] },
    ],
  };
}

const VERDICT = {
  true: ['The size is the one that was asked for.', 'good'],
  false: ['The size is not the one that was asked for.', 'bad'],
  null: ['Cannot tell whether the size is the one that was asked for.', 'unsure'],
} as const;

const USED: Record<DiagnosedProcess['usedBy'], string> = {
  app: 'used by the app',
  doctor: 'not used yet; counted after one job',
  nobody: 'not used so far',
  unknown: 'not counted',
};

function processesSection({ processes }: Diagnosis): Section {
  if (processes.length === 0) return { blocks: [] };
  const columns = [
    ...[column('process'), column('pool threads'), column('UV_THREADPOOL_SIZE', 'left')],
    ...[column('pool', 'left', 1), column('Node', 'left', 2), column('program', 'left', 3)],
  ];
  const rows = processes.map(({ pid, size, countedBy, asked, usedBy, node, script }) => [
    String(pid),
    `${countedBy === null ? '~' : ''}${size}`,
    asked === null ? 'not set' : JSON.stringify(asked),
    `${USED[usedBy]}${countedBy === 'creation' ? '; threads that were created together' : ''}`,
    node ?? '',
    script?.split('/').at(-1) ?? '',
  ]);
  return { blocks: [{ kind: 'table', caption: 'Processes', columns, rows }] };
}
