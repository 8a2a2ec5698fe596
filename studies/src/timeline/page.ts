import { environmentLines, plainStyle, reportText, type Timeline } from '@plimsoll/lab';
import { EXPERIMENTS, type Pictures } from './experiments.js';

/** The page, from one result for each command. @throws {RangeError} when one is missing. */
export function timelinePage(results: readonly Timeline[]): string {
  const [first] = results;
  if (first === undefined || results.length !== EXPERIMENTS.length)
    throw new RangeError(`${results.length} results of ${EXPERIMENTS.length} commands`);
  return [
    '# Not everything happens on the thread pool',
    '',
    'The experiments of an article that told by pictures what runs on the pool, drawn again by `npm run study:timeline`. The',
    'article timed each request from outside and concluded what must have happened inside; here the parts are known: Node’s',
    'trace events say when a job was queued, when and on which pool thread it ran, with how much CPU, and when the event loop',
    'took its result. The raw result is [timeline.json](timeline.json); see [classify --draw](../reference/classify.md#draw-where-calls-wait).',
    '',
    ...environmentLines(first.environment),
    `- measured on ${first.startedAt.slice(0, 10)}, every picture a fresh process; the first call of each process is not drawn`,
    '',
    ...EXPERIMENTS.flatMap((pictures, index) => sections(pictures, results[index] as Timeline)),
  ].join('\n');
}

function sections({ args, experiments }: Pictures, result: Timeline): string[] {
  // A header, a picture for each experiment, a legend.
  const [, ...parts] = reportText(result, plainStyle(100)).split('\n\n');
  const legend = parts.pop() ?? '';
  return experiments.map(([number, title, original], index) =>
    [
      `## ${number} ${title}`,
      '',
      `The original: ${original}`,
      '',
      '```',
      `$ plimsoll classify --draw ${args.join(' ')}`,
      '',
      parts[index] ?? '',
      '',
      legend,
      '```',
      '',
    ].join('\n'),
  );
}
