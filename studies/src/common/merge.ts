import { usage } from '@plimsoll/lab';
import type { StudyResult } from './result.js';
import type { Study } from './study.js';

/** The conditions with one of the texts, which commas separate, in their ids. @throws {PlimsollError} PLIMSOLL_USAGE for none. */
export function chosen(study: Study, only: string | undefined): Study {
  if (only === undefined) return study;
  const texts = only.split(',');
  const conditions: Study['conditions'] = (effort) =>
    study.conditions(effort).filter(({ id }) => texts.some((text) => id.includes(text)));
  for (const text of texts)
    if (text === '' || !study.conditions('full').some(({ id }) => id.includes(text))) {
      const ids = study.conditions('full').map(({ id }) => id);
      throw usage(`--only: there is no condition ${JSON.stringify(text)}; there are ${ids.join(', ')}`);
    }
  return { ...study, conditions };
}

/**
 * Conditions measured now beside those of an earlier result, in the study's order. Each keeps when, and with which versions and
 * code, it was measured.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE when their machines, lines of Node or efforts differ.
 */
export function merged(study: Study, earlier: StudyResult, latest: StudyResult): StudyResult {
  checkAlike(earlier, latest);
  const all = [earlier, latest].flatMap(({ conditions, startedAt, seed, versions }) =>
    conditions.map((condition) => ({ measured: { startedAt, seed, versions }, ...condition })),
  );
  const byId = new Map(all.map((condition) => [condition.id, condition]));
  const conditions = study.conditions(latest.effort).flatMap(({ id }) => byId.get(id) ?? []);
  return { ...latest, seconds: earlier.seconds + latest.seconds, conditions };
}

/** @throws {PlimsollError} PLIMSOLL_USAGE */
export function checkAlike(
  earlier: Pick<StudyResult, 'environment' | 'effort'>,
  { environment, effort }: Pick<StudyResult, 'environment' | 'effort'>,
): void {
  const circumstances = ({ node, cpu }: StudyResult['environment'], how: string): string =>
    [`Node ${node.version}`, cpu.model ?? 'unknown CPU', `${cpu.effectiveCpus} CPUs`, how].join(', ');
  const before = circumstances(earlier.environment, earlier.effort);
  const now = circumstances(environment, effort);
  if (before !== now) throw usage(`--only: the earlier result is of ${before}, and this is ${now}`);
}
