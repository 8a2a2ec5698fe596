import type { Environment } from '../../packages/plimsoll/dist/host/environment.js';
import { environmentFacts } from '../../packages/plimsoll/dist/report/machine-line.js';

/** Facts of the machine as a Markdown list; with the versions of packages, if there are any to name. */
export function environmentLines(
  environment: Environment,
  versions: Readonly<Record<string, string>> = {},
): string[] {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [...environmentFacts(environment), ...(named.length === 0 ? [] : [named.join(', ')])].map(
    (fact) => `- ${fact}`,
  );
}
