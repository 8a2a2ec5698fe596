import type { Finding, Statement } from '../../results/finding.js';

type Evidence = Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>;

/** What a rule finds: its id, its sentence and how much it matters stand together. */
const saying =
  (severity: Finding['severity']) =>
  (id: string, text: string, evidence: Evidence = {}): Finding => ({
    ...{ id, severity, text },
    evidence: evidence as Finding['evidence'],
  });

export const warning = saying('warning');
export const advice = saying('advice');
export const note = saying('note');

export const statement = (id: string, text: string, evidence: Evidence = {}): Statement => ({
  ...{ id, text },
  evidence: evidence as Statement['evidence'],
});

type Found<One> = One | readonly One[] | null | undefined | false;

/** A rule over some material: it finds something, or nothing. */
export type RuleOver<Material extends readonly unknown[], One = Finding> = (
  ...material: Material
) => Found<One>;

export const findAll = <Material extends readonly unknown[], One>(
  rules: readonly RuleOver<Material, One>[],
  ...material: Material
): One[] => rules.flatMap((rule) => rule(...material) || []);

/** A sentence for each kind of fact that a lower floor found: an id, and the numbers that go with it. */
export type Texts<Facts extends { readonly id: string }> = {
  readonly [Id in Facts['id']]: (fact: Extract<Facts, { readonly id: Id }>) => string;
};

/** A fact as results carry it: with its sentence, and its numbers as evidence. */
export function factual<Facts extends { readonly id: string }>(fact: Facts, texts: Texts<Facts>): Statement {
  const { id, ...evidence } = fact;
  return statement(id, texts[id as Facts['id']](fact as never), evidence as Evidence);
}
