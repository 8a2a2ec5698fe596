import { type Claim, claimsMarkdown, times, verdictOn } from '../common/claims.js';
import { type Comparison, judge } from '../common/compare.js';
import { type ConditionResult, conditionOf, type StudyResult } from '../common/result.js';
import { middle } from '../common/tables.js';

const ms = (value: number): string =>
  Number.isFinite(value) ? `${value.toFixed(value < 100 ? 1 : 0)} ms` : '–';

/** Milliseconds for each password. */
const each = (condition: ConditionResult | undefined, contender: string): number =>
  middle(condition, contender, 'total') / (condition?.parameters.count ?? 1);

const WAYS = [
  ['async', 'async'],
  ['sync', 'sync'],
  ['plimsoll-async', 'pooled async'],
  ['plimsoll-sync', 'pooled sync'],
] as const;

/** What the article says, with the figures of its 4 cores and Node 14.2, and what is found here. */
export function findings(result: StudyResult): string[] {
  const few = conditionOf(result, 'few');
  const many = conditionOf(result, 'many');
  const atOnce = conditionOf(result, 'at-once');
  return [
    '## What it teaches',
    '',
    ...lessons(many ?? few, atOnce),
    '',
    "## Beside the article's figures",
    '',
    ...claimsMarkdown([...onFew(few), ...(many === undefined ? [] : onMany(many))]),
  ];
}

/** What pooling did to the time. */
const speed = (found: Comparison | undefined): string =>
  ({
    better: 'was faster',
    worse: 'was slower',
    same: 'changed nothing',
    unclear: 'changed nothing that could be told',
  })[found?.verdict ?? 'unclear'];

function lessons(one: ConditionResult | undefined, atOnce: ConditionResult | undefined): string[] {
  if (one === undefined) return [];
  const gain = judge(one, 'plimsoll-async', 'async', 'total');
  const pooled = judge(one, 'plimsoll-sync', 'sync', 'total');
  const parallel = judge(atOnce, 'plimsoll-sync', 'sync', 'total');
  const beside = judge(atOnce, 'plimsoll-sync', 'async', 'total');
  const [held, freed] = [middle(one, 'sync', 'p99'), middle(one, 'plimsoll-sync', 'p99')];
  return [
    `- Pooling what is asynchronous already ${speed(gain)}: pooled async takes ${times(gain)} the time of async (${one.title}).`,
    `- Pooling what is synchronous ${freed < held / 2 ? 'frees' : 'did not free'} the event loop: its delay (p99) is ${ms(held)} without a pool and ${ms(freed)} with one.`,
    `- As long as each password is awaited before the next, it ${speed(pooled)}: pooled sync takes ${times(pooled)} the time of sync. A program that awaits every task has one worker at work, however many there are.`,
    ...(atOnce === undefined
      ? []
      : [
          `- All at once, pooled sync takes ${times(parallel)} the time of sync, where the workers share the passwords out; and ${times(beside)} that of async, whose passwords libuv's threads share out.`,
        ]),
  ];
}

function onFew(few: ConditionResult | undefined): Claim[] {
  const found = judge(few, 'async', 'sync', 'total');
  const perPassword = each(few, 'sync');
  const gap = each(few, 'async') - perPassword;
  return [
    {
      claim: '10 passwords: async is slower than sync, because moving work to another thread costs something',
      theirs: '625 against 580 ms (1.08 ×)',
      here: `${ms(middle(few, 'async', 'total'))} against ${ms(middle(few, 'sync', 'total'))}, ${times(found)}`,
      verdict: verdictOn(found, 'worse'),
      why: `the difference is ${ms(gap)} for each password of ${ms(perPassword)}. Here the process has started, and has made a password, before it is timed; the article timed its whole program, one run of it as it seems.`,
    },
  ];
}

function onMany(many: ConditionResult): Claim[] {
  const unpooled = judge(many, 'async', 'sync', 'total');
  const blocked = middle(many, 'sync', 'commonP99');
  const free = middle(many, 'async', 'commonP99');
  return [
    {
      claim: '1,000 passwords take the same time in all four ways',
      theirs: '58 s each',
      here: `${WAYS.map(([id, title]) => `${title} ${ms(each(many, id))}`).join(', ')} for each password; async ${times(unpooled)} sync`,
      verdict: verdictOn(unpooled, 'same'),
      why: `rounds of ${many.parameters.count} stand for the 1,000. The program awaits each password before the next, so one thread works at a time in every variant, and all four are one scrypt after another. Their totals say nothing about pools; "all at once" below does.${unpooled?.verdict === 'worse' ? ` What differs is the way to another thread and back: ${ms(each(many, 'async') - each(many, 'sync'))} for each password by libuv's pool.` : ''}`,
    },
    {
      claim: 'the event-loop delay is about 20 ms (p99) for async, pooled async and pooled sync',
      theirs: '20 ms',
      here: `${ms(free)} by a sampler of 20 ms, but ${ms(middle(many, 'async', 'p99'))} by one that does not count its own interval`,
      verdict: free > 15 && free < 30 ? 'agrees' : 'differs',
      why: `the 20 ms are the sampler's. \`monitorEventLoopDelay\` records the time between two of its timers, so an idle loop reads as its resolution. The loop is free in these three variants; the article's figure is what a delay of nothing looks like.`,
    },
    {
      claim: 'the event-loop delay is over 60 ms (p99) for sync',
      theirs: '60 ms',
      here: `${ms(blocked)} by a sampler of 20 ms; ${ms(middle(many, 'sync', 'p99'))} for a timer due at a random moment`,
      verdict: blocked > 2 * free ? 'agrees' : 'differs',
      why: `a synchronous scrypt holds the loop for as long as it takes (${ms(each(many, 'sync'))} here, 58 there), and the loop turns once between two. A timer that falls due inside a stall waits for the rest of it: half of it on average (p50 ${ms(middle(many, 'sync', 'p50'))}).`,
    },
  ];
}
