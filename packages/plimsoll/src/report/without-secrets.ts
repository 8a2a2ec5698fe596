import { basename } from 'node:path';

/** A document to be shared: of commands only the program and its script are left, as arguments may be passwords and tokens. */
export function withoutSecrets<Document extends object>(document: Document): Document {
  const { command, method } = document as { command?: unknown; method?: { traffic?: unknown } };
  const traffic = method?.traffic;
  return {
    ...document,
    ...(Array.isArray(command) ? { command: programOf(command.map(String)) } : {}),
    ...(typeof command === 'string' ? { command: programOf(command.split(' ')).join(' ') } : {}),
    ...(typeof traffic === 'string' ? { method: { ...method, traffic: trafficOf(traffic) } } : {}),
  };
}

const RUNNERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const LOADS = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader']);
const SCRIPT = /^[^-].*\.[cm]?[jt]sx?$/;
const NAME = /^[a-z][\w:-]*$/;

/** `node server.js`, `npm run dev`. */
function programOf([program = '', ...words]: readonly string[]): string[] {
  const name = basename(program);
  if (RUNNERS.has(name))
    return [name, ...words.slice(0, words[0] === 'run' ? 2 : 1).filter((word) => NAME.test(word))];
  const script = words.find((word, index) => SCRIPT.test(word) && !LOADS.has(words[index - 1] ?? ''));
  return script === undefined ? [name] : [name, basename(script)];
}

/** What plimsoll writes where it sends the requests itself: `POST /login (4 connections)`. */
const OF_URLS = / \([\d.]+ (?:connections?|a second)\)$/;

const trafficOf = (traffic: string): string =>
  OF_URLS.test(traffic)
    ? traffic.replaceAll(/\/\/[^/@\s]*@/g, '//').replaceAll(/[?#][^,\s]*/g, '')
    : programOf(traffic.split(' ')).join(' ');
