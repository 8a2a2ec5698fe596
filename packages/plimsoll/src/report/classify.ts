import { grouped } from '../collections/grouped.js';
import type { Classification, Classified, PoolVerdict } from '../results/classification.js';
import { type Block, notes, type Report, type Section, type Tone } from './document.js';
import { formatCount, formatMs } from './format.js';

/** Of each verdict: the title of its group, what is said of one operation, and whether the group shows explanations. */
const KINDS: Readonly<Record<PoolVerdict, readonly [title: string, text: string, Tone, isExplained?: true]>> =
  {
    pool: ['Use the thread pool', 'uses the thread pool', 'pool'],
    both: [
      'Use the thread pool, then wait for the kernel too',
      'uses the thread pool, then waits for the kernel too',
      'pool',
    ],
    kernel: [
      'Do not use it: completed while every pool thread was blocked',
      'does not use the thread pool',
      'good',
    ],
    'main thread': [
      'Done on the main thread, before the event loop turned',
      'runs on the main thread',
      'unsure',
    ],
    failed: ['Failed', 'failed', 'bad', true],
    timeout: ['Never completed', 'never completed', 'bad', true],
    unclear: ['Unclear', 'unclear', 'bad', true],
  };

/** With more results, only groups of names are shown. */
const MOST_EXPLAINED = 2;
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
    sections: results.length <= MOST_EXPLAINED ? results.map(explained) : groups(results),
  };
}

function groups(results: readonly Classified[]): Section[] {
  const byVerdict = grouped(results, ({ verdict }) => verdict);
  return (Object.keys(KINDS) as PoolVerdict[]).flatMap((verdict) => {
    const members = byVerdict.get(verdict) ?? [];
    const [title, , tone, isExplained] = KINDS[verdict];
    const blocks = isExplained
      ? members.flatMap(({ name, explanation }) => [...notes([name], 'strong'), ...notes([explanation])])
      : nameBlocks(members);
    return members.length === 0 ? [] : { title: { text: `${title} (${members.length})`, tone }, blocks };
  });
}

function nameBlocks(members: readonly Classified[]): Block[] {
  const labels = [...grouped(members, labelOf)].sort(
    ([a], [b]) => Number(a === OTHERS) - Number(b === OTHERS),
  );
  const slow = `${SLOW} slow I/O: only half of the pool, rounded up, serves these jobs`;
  return [
    {
      kind: 'names',
      groups: labels.map(([label, alike]) => ({ label, names: alike.map((one) => nameUnder(label, one)) })),
    },
    ...notes([members.some(({ slowIo }) => slowIo) ? slow : null], 'soft'),
  ];
}

/** The line of a group that a result belongs to: a module of Node, or what it waits for. */
function labelOf({ verdict, name, waitsFor }: Classified): string {
  if (verdict === 'kernel') return waitsFor.join(', ') || 'nothing';
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
  const [, text, tone] = KINDS[verdict];
  const busy =
    mainThreadMs === null ? [] : [`the first call kept the event loop busy for ${formatMs(mainThreadMs)}`];
  const slow = slowIo ? ['slow I/O: at most half of the pool, rounded up, serves these jobs'] : [];
  return {
    title: { text: `${name}: ${text}`, tone },
    blocks: [
      ...notes([call], 'soft'),
      ...notes([explanation, alternative && `Alternative: ${alternative}.`]),
      ...notes([[...slow, ...busy].join('; ') || null], 'soft'),
    ],
  };
}
