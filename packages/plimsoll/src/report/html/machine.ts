import type { Environment } from '../../host/environment.js';
import { machineLine } from '../machine-line.js';
import { escapeText } from './escape.js';

/** The machines that results of this page are from, all that is known of each folded away. */
export function machines(environments: readonly Environment[]): string {
  const known = new Map(environments.map((one) => [machineLine(one), one]));
  return [...known]
    .map(
      ([line, environment]) =>
        `<details class="machine"><summary>${escapeText(line)}</summary><div class="scroll" tabindex="0" role="group" aria-label="machine"><table><tbody>${rowsOf(environment)}</tbody></table></div></details>`,
    )
    .join('\n');
}

const rowsOf = (environment: Environment): string =>
  Object.entries(environment)
    .flatMap(([part, facts]) =>
      Object.entries(facts as Record<string, unknown>).map(
        ([name, value]) =>
          `<tr><th scope="row">${escapeText(`${part}.${name}`)}</th><td>${escapeText(value === null ? 'not known' : String(value))}</td></tr>`,
      ),
    )
    .join('');
