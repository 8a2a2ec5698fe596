import type { DiagnosedProcess, Diagnosis } from '../results/diagnosis.js';
import { column, findingsBlock, type Report, type Section, titled } from './document.js';
import { formatCount } from './format.js';

export function diagnosisDocument(diagnosis: Diagnosis): Report {
  const { command, effectiveCpus, isRight, interrupted, failure, findings } = diagnosis;
  const [text, tone] = VERDICT[`${isRight}`];
  return {
    command: 'plimsoll doctor',
    subject: command.join(' '),
    about: [
      `${formatCount(effectiveCpus, 'CPU')} by affinity and quota; ~ marks a size from the variable, not counted`,
    ],
    warning: interrupted
      ? 'interrupted'
      : failure && `the command failed (${failure}); sizes up to that point`,
    sections: [
      processesSection(diagnosis),
      ...titled('Findings', findingsBlock(findings)),
      { blocks: [{ kind: 'headline', text, tone }] },
    ],
  };
}

const VERDICT = {
  true: ['The pool has the size that you set.', 'good'],
  false: ['The pool does not have the size that you set.', 'bad'],
  null: ['Cannot tell whether the pool has the size that you set.', 'unsure'],
} as const;

const USED: Record<DiagnosedProcess['usedBy'], string> = {
  app: 'used by the app',
  doctor: 'not used yet; counted after one job',
  nobody: 'not used yet',
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
    `${USED[usedBy]}${countedBy === 'creation' ? '; counted by creation time' : ''}`,
    node ?? '',
    script?.split('/').at(-1) ?? '',
  ]);
  return { blocks: [{ kind: 'table', caption: 'Processes', columns, rows }] };
}
