import type { MeasuredOne } from '../../classify/classify.js';
import type { Grounds } from '../../classify/decide.js';
import type { Classified } from '../../results/classification.js';
import { formatCount, formatMs } from '../format.js';
import { factual, type Texts } from './finding.js';

export function explained({ grounds: fact, why, resources, ...decided }: MeasuredOne): Classified {
  const grounds = factual(fact, TEXTS);
  const more = why ?? (resources.length === 0 ? '' : `Its callbacks came from: ${resources.join(', ')}.`);
  return { ...decided, explanation: more === '' ? grounds.text : `${grounds.text} ${more}`, grounds };
}

const TEXTS: Texts<Grounds> = {
  'classify.served-in-turn': ({ waitedFor, ...hold }) =>
    `${held(hold)} continued when one was released${thenWaited(waitedFor)}.`,
  'classify.completed-after-release': ({ usualMs, waitedFor, ...hold }) =>
    `${held(hold)} completed when they were released; ${usually(usualMs)}${thenWaited(waitedFor)}.`,
  'classify.not-after-release': ({ usualMs, ...hold }) =>
    `${held(hold)} did not continue when they were released; ${usually(usualMs)}.`,
  'classify.before-loop-turned': ({ mainThreadMs }) =>
    `It finished before the event loop could turn, after ${formatMs(mainThreadMs)}.`,
  'classify.completed-while-blocked': ({ ms, threads }) =>
    `It completed after ${time(ms)} while all ${formatCount(threads, 'pool thread')} were blocked.`,
  'classify.failed-while-blocked': ({ error, usualMs }) =>
    `It failed while the pool was blocked (${error}); ${usually(usualMs)}.`,
  'classify.failed': ({ error }) => `It failed: ${error}.`,
  'classify.exited': ({ how }) => `It ended its process (${how}).`,
  'classify.never-completed': ({ deadlineMs }) =>
    `It did not complete within ${formatMs(deadlineMs)}, with the pool blocked or not.`,
  'classify.event-loop-blocked': ({ deadlineMs }) =>
    `It blocked the event loop and did not return within ${formatMs(deadlineMs)}.`,
};

const held = ({ windowMs, threads }: { windowMs: number; threads: number }): string =>
  `It did not complete within ${formatMs(windowMs)} while all ${formatCount(threads, 'pool thread')} were blocked, and`;

const time = (ms: number | null): string => (ms === null ? 'an unknown time' : formatMs(ms));

const usually = (ms: number | null): string => `it takes ${time(ms)} when nothing is blocked`;

const thenWaited = (kinds: readonly string[]): string =>
  kinds.length === 0 ? '' : `, and then waited for ${kinds.map(withArticle).join(' and ')}`;

const withArticle = (kind: string): string => (kind.endsWith('s') && kind !== 'process' ? kind : `a ${kind}`);
