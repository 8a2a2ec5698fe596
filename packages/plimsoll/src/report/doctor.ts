import { printable } from '../host/printable.js';
import type { DiagnosedProcess, Diagnosis } from '../results/diagnosis.js';
import { findingLines } from './finding-lines.js';
import { formatCount } from './format.js';
import type { Style } from './style.js';
import { renderTable, wrap } from './table.js';

const USED: Record<DiagnosedProcess['usedBy'], string> = {
  app: 'used by the app',
  doctor: 'not used yet; counted after one job',
  nobody: 'not used so far',
  unknown: 'not counted',
};

const BY: Record<NonNullable<DiagnosedProcess['countedBy']>, string> = {
  preload: '',
  memory: '',
  name: '',
  creation: '; threads that were created together',
};

/** A diagnosis for a terminal: each process with the size of its pool, and a finding a line. */
export function diagnosisReport(
  { command, processes, effectiveCpus, isRight, interrupted, failure, findings }: Diagnosis,
  style: Style,
): string {
  const { color, width } = style;
  const what = command.length === 0 ? '' : ` ${printable(command.join(' '))}`;
  const table = renderTable(
    [
      { title: 'process', align: 'right', expendable: 0 },
      { title: 'pool threads', align: 'right', expendable: 0 },
      { title: 'UV_THREADPOOL_SIZE', align: 'left', expendable: 0 },
      { title: 'pool', align: 'left', expendable: 1 },
      { title: 'Node', align: 'left', expendable: 2 },
      { title: 'program', align: 'left', expendable: 3 },
    ],
    processes.map(({ pid, size, countedBy, asked, usedBy, node, script }) => [
      String(pid),
      countedBy === null ? `~${size}` : String(size),
      asked === null ? 'not set' : JSON.stringify(printable(asked)),
      countedBy === null ? USED[usedBy] : `${USED[usedBy]}${BY[countedBy]}`,
      node ?? '',
      script === null ? '' : printable(script.split('/').at(-1) ?? ''),
    ]),
    width - 2,
  );
  const [head = '', ...body] = table;
  const verdict =
    isRight === null
      ? color.yellow('Cannot tell whether the size is the one that was asked for.')
      : isRight
        ? color.green('The size is the one that was asked for.')
        : color.red('The size is not the one that was asked for.');
  return [
    ...wrap(`plimsoll doctor${what}`, width, '  ').map((line) => color.bold(line)),
    color.dim(
      `${formatCount(effectiveCpus, 'CPU')} by affinity and quota; ~ is by the variable, not counted`.replace(
        /^/,
        '',
      ),
    ),
    ...(interrupted ? [color.yellow('interrupted')] : []),
    ...(failure === null
      ? []
      : wrap(`the command failed (${failure}): what it had until then`, width).map(color.yellow)),
    '',
    ...(processes.length === 0 ? [] : [`  ${color.dim(head)}`, ...body.map((line) => `  ${line}`), '']),
    ...findingLines('Findings', findings, style),
    ...(findings.length === 0 ? [] : ['']),
    verdict,
  ].join('\n');
}
