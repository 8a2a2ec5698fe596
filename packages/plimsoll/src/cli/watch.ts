import { setTimeout as sleep } from 'node:timers/promises';
import { usage } from '../errors.js';
import { terminalStyle } from '../report/style.js';
import { screenLines } from '../report/top.js';
import { lookAt, Observer } from '../top/look.js';
import { interruptSignal } from './command-run.js';

const LEAST_COLUMNS = 60;

const ESC = '\u001b[';
const ENTER = `${ESC}?1049h${ESC}?25l`;
const LEAVE = `${ESC}?25h${ESC}?1049l`;
const CTRL_C = '\u0003';

/** The screen of `plimsoll top`: look, draw and wait, until q; processes may end meanwhile. */
export async function watch(of: number | string | undefined, intervalMs: number): Promise<number> {
  const { stdin, stdout } = process;
  if (stdout.columns < LEAST_COLUMNS)
    throw usage(
      `top needs ${LEAST_COLUMNS} columns, this terminal has ${stdout.columns}; make it wider, or use --once --json -`,
    );
  const observer = new Observer();
  lookAt(observer, of);
  const { signal, abort, dispose } = interruptSignal();
  const onKeys = (keys: string): void => {
    if (keys.includes('q') || keys.includes(CTRL_C)) abort();
  };
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', onKeys);
  stdout.write(ENTER);
  try {
    while (!signal.aborted) {
      const lines = screenLines(lookAt(observer, of), terminalStyle(stdout), true);
      const shown = lines.slice(0, Math.max(1, stdout.rows - 1));
      stdout.write(`${ESC}H${shown.map((line) => `${line}${ESC}K`).join('\n')}${ESC}J`);
      await sleep(intervalMs, undefined, { signal }).catch(() => {});
    }
    return 0;
  } finally {
    stdin.off('data', onKeys);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE);
    dispose();
  }
}
