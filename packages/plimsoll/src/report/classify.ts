import { grouped } from '../collections/grouped.js';
import type { Classification, Classified, PoolVerdict } from '../results/classification.js';
import { notes, type Report, type Section, type Tone } from './document.js';
import { formatCount, formatMs } from './format.js';

interface Kind {
  readonly title: string;
  readonly text: string;
  readonly tone: Tone;
}

const KINDS: Readonly<Record<PoolVerdict, Kind>> = {
  pool: { title: 'Use the thread pool', text: 'uses the thread pool', tone: 'pool' },
  both: {
    title: 'Use the thread pool, then wait for the kernel too',
    text: 'uses the thread pool, then waits for the kernel too',
    tone: 'pool',
  },
  kernel: {
    title: 'Do not use it: completed while every pool thread was blocked',
    text: 'does not use the thread pool',
    tone: 'good',
  },
  'main thread': {
    title: 'Done on the main thread, before the event loop turned',
    text: 'runs on the main thread',
    tone: 'unsure',
  },
  failed: { title: 'Failed', text: 'failed', tone: 'bad' },
  timeout: { title: 'Never completed', text: 'never completed', tone: 'bad' },
  unclear: { title: 'Unclear', text: 'unclear', tone: 'bad' },
};

const VERDICTS = Object.keys(KINDS) as PoolVerdict[];

const EXPLAINED = 2;
/** A half, for the half of the pool that slow I/O may use. */
const SLOW = '½';
const OTHERS = 'other';

export function classificationDocument(result: Classification): Report {
  const { environment, size, results, seconds, interrupted } = result;
  return {
    command: 'plimsoll classify',
    environment,
    about: [
      `all ${size} pool threads blocked in open(2) · ${formatCount(results.length, 'operation')} in ${formatMs(seconds * 1000)}`,
    ],
    warning: interrupted ? 'interrupted: results up to that point' : null,
    sections: results.length <= EXPLAINED ? results.map(explained) : groups(result),
  };
}

const groups = ({ results }: Classification): Section[] =>
  VERDICTS.flatMap((verdict) => {
    const members = results.filter((one) => one.verdict === verdict);
    return members.length === 0 ? [] : [groupOf(verdict, members)];
  });

function groupOf(verdict: PoolVerdict, members: readonly Classified[]): Section {
  const { title, tone } = KINDS[verdict];
  const heading = { title: { text: `${title} (${members.length})`, tone } };
  if (['failed', 'timeout', 'unclear'].includes(verdict))
    return {
      ...heading,
      blocks: members.flatMap(({ name, explanation }) => [
        ...notes([name], 'strong'),
        ...notes([explanation]),
      ]),
    };
  const labels = [...grouped(members, labelOf)].sort(
    ([a], [b]) => Number(a === OTHERS) - Number(b === OTHERS),
  );
  return {
    ...heading,
    blocks: [
      {
        kind: 'names',
        groups: labels.map(([label, alike]) => ({
          label,
          names: alike.map((one) => nameUnder(label, one)),
        })),
      },
      ...(members.some(({ slowIo }) => slowIo)
        ? notes([`${SLOW} slow I/O: only half of the pool, rounded up, serves these jobs`], 'soft')
        : []),
    ],
  };
}

/** The line of a group that a result belongs to: a module of Node, what it waits for, or how long it blocks. */
function labelOf({ verdict, name, waitsFor }: Classified): string {
  if (verdict === 'kernel') return waitsFor.length === 0 ? 'nothing' : waitsFor.join(', ');
  if (verdict === 'both') return waitsFor.filter((kind) => kind !== 'pool').join(', ');
  return name.includes('#') || !name.includes('.') ? OTHERS : (name.split('.')[0] as string);
}

function nameUnder(label: string, { name, verdict, slowIo, mainThreadMs }: Classified): string {
  const short = name.startsWith(`${label}.`) ? name.slice(label.length + 1) : name;
  if (slowIo) return `${short} ${SLOW}`;
  const isLong = verdict === 'main thread' && mainThreadMs !== null && mainThreadMs >= 1;
  return isLong ? `${short} (${formatMs(mainThreadMs)})` : short;
}

function explained(one: Classified): Section {
  const { name, call, verdict, slowIo, mainThreadMs, explanation, alternative } = one;
  const { text, tone } = KINDS[verdict];
  const facts = [
    slowIo && 'slow I/O: at most half of the pool, rounded up, serves these jobs',
    mainThreadMs !== null && `the first call kept the event loop busy for ${formatMs(mainThreadMs)}`,
  ].filter((fact) => typeof fact === 'string');
  return {
    title: { text: `${name}: ${text}`, tone },
    blocks: [
      ...notes([call], 'soft'),
      ...notes([explanation, alternative && `Alternative: ${alternative}.`]),
      ...notes([facts.join('; ') || null], 'soft'),
    ],
  };
}
