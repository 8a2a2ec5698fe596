// `npm run study:timeline`: the seven experiments of the article that asked what runs on the thread pool; writes
// docs/results/timeline.json and, with the pictures, docs/results/timeline.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, setup } from './setup.mjs';

/** Every command once, so that its pictures share one axis, with the experiments that it draws. */
const STUDY = [
  {
    args: ['pbkdf2-sync', '--requests', '2'],
    experiments: [
      ['1.1', 'pbkdf2Sync with two requests', 'One after the other, 91 and 87 ms: 179 ms in all.'],
    ],
  },
  {
    args: ['pbkdf2', '--requests', '2,4,6'],
    experiments: [
      ['1.2', 'pbkdf2 with two requests', 'Both at once, 102 ms in all.'],
      ['1.3', 'pbkdf2 with four requests', 'All at once, but each took twice as long, on a dual-core CPU.'],
      [
        '1.4',
        'pbkdf2 with six requests',
        'Four as before; the last two seemed to start when those were done.',
      ],
    ],
  },
  {
    args: ['pbkdf2', '--requests', '6', '--size', '6'],
    experiments: [
      [
        '1.5',
        'pbkdf2 with six requests and six pool threads',
        'All at once, each about three times as long as alone.',
      ],
    ],
  },
  {
    args: ['http', '--requests', '2,4,6'],
    experiments: [
      ['2.1', 'http.request with two requests', 'Both at once, 112 ms.'],
      ['2.2', 'http.request with four requests', 'All at once; each as fast as before.'],
      ['2.3', 'http.request with six requests', 'The same again: nothing to do with the pool.'],
    ],
  },
];

const ATTEMPTS = 5;

setup();
const { environmentLines } = await import('../packages/plimsoll/dist/lab.js');
const { plainStyle, timelineReport, timelineSchema } = await import('../packages/plimsoll/dist/index.js');
const results = STUDY.map(({ args }) => measure(args));
writeFileSync(join(root, 'docs/results/timeline.json'), `${JSON.stringify(results, null, 1)}\n`);
const [{ environment }] = results;
const sections = STUDY.flatMap(({ args, experiments }, index) => {
  // A header, a picture per experiment, a legend.
  const [, ...parts] = timelineReport(results[index], plainStyle(100)).split('\n\n');
  const legend = parts.pop();
  return experiments.map(([number, title, original], experiment) =>
    [
      `## ${number} ${title}`,
      '',
      `The original: ${original}`,
      '',
      '```',
      `$ plimsoll timeline ${args.join(' ')}`,
      '',
      parts[experiment],
      '',
      legend,
      '```',
      '',
    ].join('\n'),
  );
});
const page = [
  '# Not everything happens on the thread pool',
  '',
  'The experiments of an article that told by pictures what runs on the pool, drawn again by `npm run study:timeline`. The',
  'article timed each request from outside and concluded what must have happened inside; here the parts are known: Node’s',
  'trace events say when a job was queued, when and on which pool thread it ran, with how much CPU, and when the event loop',
  'took its result. The raw result is [timeline.json](timeline.json); see [plimsoll timeline](../timeline.md).',
  '',
  ...environmentLines(environment),
  `- measured on ${results[0].startedAt.slice(0, 10)}, every picture a fresh process; the first call of each process is not drawn`,
  '',
  ...sections,
].join('\n');
writeFileSync(join(root, 'docs/results/timeline.md'), page);

/** Up to five times: what else runs on the machine is not what the pictures are about. */
function measure(args) {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-study-'));
  const file = join(directory, 'timeline.json');
  const main = join(root, 'packages/plimsoll/dist/cli/main.js');
  for (let attempt = 1; ; attempt++) {
    const { status } = spawnSync(process.execPath, [main, 'timeline', ...args, '--json', file], {
      stdio: 'inherit',
    });
    if (status !== 0) process.exit(status ?? 1);
    const result = timelineSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const disturbed = result.experiments.some(({ observations }) =>
      observations.some(({ id }) => id === 'timeline.off-cpu'),
    );
    if (disturbed && attempt < ATTEMPTS) continue;
    rmSync(directory, { recursive: true });
    return result;
  }
}
