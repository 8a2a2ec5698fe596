interface Round {
  readonly generation: number;
  readonly block: number;
}

/** Each round against the one of the baseline in its block: what disturbed both is gone. Rounds without a time are left out. */
export function roundRatios<Given extends Round>(
  rounds: readonly Given[],
  baseline: readonly Given[],
  timeOf: (round: Given) => number,
): number[] {
  const known = new Map(baseline.map((round) => [keyOf(round), timeOf(round)]));
  return rounds.flatMap((round) => {
    const ratio = timeOf(round) / (known.get(keyOf(round)) ?? Number.NaN);
    return ratio > 0 && Number.isFinite(ratio) ? [ratio] : [];
  });
}

const keyOf = ({ generation, block }: Round): string => `${generation} ${block}`;
