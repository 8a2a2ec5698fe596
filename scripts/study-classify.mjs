// `npm run study:classify`: classifies the whole catalogue on every supported line of Node; writes docs/classification.md.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LINES, nodeOfLine } from './node-lines.mjs';
import { root, setup } from './setup.mjs';

const ABSENT = '–';

setup();
const { classificationSchema } = await import('../packages/plimsoll/dist/index.js');
const { markdownTable } = await import('../packages/plimsoll/dist/lab.js');
const results = LINES.map((line) => measure(nodeOfLine(line)));
const versions = results.map(({ environment }) => environment.node.version);
const names = [...new Set(results.toReversed().flatMap((result) => result.results.map(({ name }) => name)))];
const rows = names.map((name) => {
  const found = results.map((result) => result.results.find((one) => one.name === name));
  const verdicts = found.map((one) =>
    one === undefined ? ABSENT : `${one.verdict}${one.slowIo ? ' ½' : ''}`,
  );
  const known = verdicts.filter((verdict) => verdict !== ABSENT);
  const newest = found.findLast((one) => one !== undefined);
  return {
    ...{ name, verdicts, newest },
    differs: new Set(known).size > 1,
    incomplete: known.length < verdicts.length,
  };
});
const different = rows.filter(({ differs }) => differs);
const missing = rows.filter(({ incomplete }) => incomplete);
const { environment, size } = results.at(-1);

const columns = [
  { title: 'API', align: 'left' },
  ...versions.map((version) => ({ title: version, align: 'left' })),
  { title: 'waits for', align: 'left' },
  { title: '', align: 'left' },
];
const cells = ({ name, verdicts, differs, newest }) => [
  `\`${name}\``,
  ...verdicts.map((verdict) => (differs && verdict !== ABSENT ? `**${verdict}**` : verdict)),
  newest.waitsFor.join(', '),
  differs ? '≠' : '',
];
const groups = [...new Set(names.map(groupOf))].sort((a, b) => (a === 'others') - (b === 'others'));

const page = [
  '# What uses the thread pool',
  '',
  `Found by experiment with \`npm run study:classify\`, on ${results[0].startedAt.slice(0, 10)}: all ${size} pool threads of a fresh process`,
  `were blocked, the API was called, and it completed or it did not ([how](classify.md)). ${environment.os.platform} ${environment.os.arch}; Node`,
  `${versions.join(', ')}.`,
  '',
  '- **pool**: it waits for a pool thread. **½**: as slow I/O, of which only half of the pool, rounded up, serves any.',
  '- **both**: it waits for the pool, and then for the kernel too.',
  '- **kernel**: it completes while every pool thread is blocked.',
  '- **main thread**: it is done before the event loop turns.',
  `- **≠**: the versions differ. **${ABSENT}**: this version does not have it (or not with a callback).`,
  '',
  '## The short answer',
  '',
  ...list('APIs which use the thread pool', 'pool'),
  ...list('APIs which use it first, and then the kernel', 'both'),
  ...list('APIs which are backed by the kernel, or by threads of their own', 'kernel'),
  ...list('APIs which are done on the main thread', 'main thread'),
  '## Differences between versions',
  '',
  ...(different.length === 0 ? ['None.'] : markdownTable(columns, different.map(cells))),
  '',
  `Not in every version: ${missing.map(({ name, verdicts }) => `\`${name}\` (${versions.filter((_, index) => verdicts[index] !== ABSENT).join(', ')})`).join(', ')}.`,
  ...groups.flatMap((group) => [
    '',
    `## ${group}`,
    '',
    ...markdownTable(columns, rows.filter(({ name }) => groupOf(name) === group).map(cells)),
  ]),
  '',
].join('\n');
writeFileSync(join(root, 'docs/classification.md'), page);

function groupOf(name) {
  const [first, ...rest] = name.split('.');
  if (rest.length === 0) return 'others';
  return ['http', 'https', 'fetch', 'net', 'tls', 'dgram'].includes(first) ? 'network' : first;
}

/** By module, with the verdict of the newest version; what differs between versions is in the section below. */
function list(title, verdict) {
  const members = rows.filter(({ newest }) => newest.verdict === verdict);
  return [
    `### ${title}`,
    '',
    ...groups.flatMap((group) => {
      const own = members.filter(({ name }) => groupOf(name) === group).map(({ name }) => name);
      const short = own.map(
        (name) => `\`${name.startsWith(`${group}.`) ? name.slice(group.length + 1) : name}\``,
      );
      return own.length === 0 ? [] : [`- ${group}: ${short.join(', ')}`];
    }),
    '',
  ];
}

function measure(node) {
  const main = join(root, 'packages/plimsoll/dist/cli/main.js');
  const { status, stdout } = spawnSync(node, [main, 'classify', '--json', '-', '--quiet'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) process.exit(status ?? 1);
  return classificationSchema.parse(JSON.parse(stdout));
}
