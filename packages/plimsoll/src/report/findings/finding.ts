import type { Finding } from '../../results/finding.js';

/** Something that a reader should learn from a result: its rule, its sentence and how much it matters stand together. */
export const finding = (
  severity: Finding['severity'],
  id: string,
  text: string,
  evidence: Finding['evidence'] = {},
): Finding => ({ id, severity, text, evidence });
