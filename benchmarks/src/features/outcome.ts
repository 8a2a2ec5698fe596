import type { FeatureId } from './features.js';

export type Answer = 'yes' | 'partly' | 'no';

/** What a probe has seen. */
export interface Outcome {
  readonly answer: Answer;
  /** What holds. */
  readonly seen: readonly string[];
  /** What does not. */
  readonly missing: readonly string[];
}

/** Tries one feature in a process of its own, which is killed afterwards with everything in it. */
export type Probe = () => Promise<Outcome>;

/** What each module of `pools/` exports: there is no feature without a probe. */
export type Probes = Readonly<Record<FeatureId, Probe>>;

/** One observation, in words for either case. */
export interface Fact {
  readonly holds: boolean;
  readonly text: string;
}

export const fact = (holds: boolean, yes: string, no: string): Fact => ({ holds, text: holds ? yes : no });

/**
 * The one rule by which all pools are judged.
 *
 * @param essential without which there is nothing of the feature: `no` when one of them does not hold
 * @param rest `yes` when these hold, too, else `partly`
 */
export function judge(essential: readonly Fact[], rest: readonly Fact[] = []): Outcome {
  const all = [...essential, ...rest];
  const textsOf = (holds: boolean): string[] =>
    all.filter((one) => one.holds === holds).map(({ text }) => text);
  const missing = textsOf(false);
  const isThere = essential.every(({ holds }) => holds);
  const answer = missing.length === 0 ? 'yes' : isThere ? 'partly' : 'no';
  return { answer, seen: textsOf(true), missing };
}

/** There is nothing of the feature; each text was observed. */
export const none = (...missing: readonly string[]): Outcome => ({ answer: 'no', seen: [], missing });
