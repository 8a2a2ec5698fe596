import type { Output } from './command.js';
import type { Setup } from './setup.js';

/** Why a set-up does not work, in one line; `undefined` when it works. */
export function verdict({ check = printsRight }: Setup, outputs: readonly Output[]): string | undefined {
  return check(outputs);
}

/** The check that a set-up has unless it brings its own. */
export function printsRight(outputs: readonly Output[]): string | undefined {
  const last = outputs.at(-1);
  if (last === undefined) return 'no command was run';
  if (!succeeded(last)) return firstReason(last);
  if (linesOf(last).includes('RIGHT')) return undefined;
  return whatItSaid(last) ?? 'ended without a result';
}

export const succeeded = ({ exitCode, timedOut }: Output): boolean => exitCode === 0 && !timedOut;

/** What an output says that went wrong, else its last line, else how the command ended. */
export function firstReason(output: Output): string {
  if (output.timedOut) return howItEnded(output);
  return whatItSaid(output) ?? linesOf(output).at(-1) ?? howItEnded(output);
}

export function howItEnded({ timedOut, ms, signal, exitCode }: Output): string {
  if (timedOut) return `did not end within ${Math.round(ms / 1000)} s`;
  if (signal !== null) return `ended by ${signal}`;
  // Node's word for a top-level await with nothing left that could settle it.
  if (exitCode === 13) return 'ended while a promise was pending';
  return `exit code ${exitCode} and no output`;
}

const linesOf = ({ stdout, stderr }: Output): string[] =>
  `${stderr}\n${stdout}`
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !WARNING.test(line));

/** The first line that names an error; with what follows where it ends with a colon. */
function whatItSaid(output: Output): string | undefined {
  const lines = linesOf(output);
  const at = lines.findIndex((line) => REASON.test(line));
  if (at === -1) return undefined;
  const line = lines[at] as string;
  return line.endsWith(':') ? [line, ...lines.slice(at + 1, at + 4)].join(' ') : line;
}

const WARNING = /^\(node:\d+\)|^\(Use `node --trace-|^Warning: Detected unsettled top-level await/;
const REASON =
  /^(\w*Error|\w*Exception)\b.*:|\berror TS\d+|\b(ERR|PLIMSOLL)_\w+|^(✖|✘|×|⨯|not ok|Error:|fatal:)/i;

/** Without the parts that differ from run to run and from machine to machine. @param places folders, addresses. */
export function withoutPlaces(text: string, places: readonly string[]): string {
  return places
    .reduce((rest, place) => rest.replaceAll(place, '…'), text)
    .replaceAll(/\(node:\d+\) ?/g, '')
    .slice(0, 160);
}
