import type { Statement } from '../../results/finding.js';

/** What a room of the commands found: an id, and the numbers that go with it. */
interface Fact {
  readonly id: string;
}

/** A sentence for each kind of fact. */
export type Texts<Facts extends Fact> = {
  readonly [Id in Facts['id']]: (fact: Extract<Facts, { readonly id: Id }>) => string;
};

/** A fact as results carry it: with its sentence, and its numbers as evidence. */
export function statement<Facts extends Fact>(fact: Facts, texts: Texts<Facts>): Statement {
  const { id, ...evidence } = fact;
  return { id, text: texts[id as Facts['id']](fact as never), evidence: evidence as Statement['evidence'] };
}
