import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { resize } from '../api/resize.js';
import { look, TOP_INTERVAL_MS, top } from '../api/top.js';
import { usage } from '../errors.js';
import { printable } from '../host/printable.js';
import { resizeSentence } from '../report/resize.js';
import { terminalStyle } from '../report/style.js';
import { type SortKey, screenLines } from '../report/top.js';
import { Observer, type SeenProcess } from '../top/look.js';
import { runCommand } from './command-run.js';
import { LiveScreen } from './live-screen.js';
import { complaintOf, ResizePrompt } from './resize-prompt.js';
import { parseCount, parsePositive } from './values.js';

interface TopFlags {
  interval: string;
  once?: boolean;
  json?: string;
}

/** `plimsoll top`: arguments in, exit code out. */
export function addTopCommand(program: Command): void {
  program
    .command('top')
    .description('a live view of the pools of running Node processes, like top (Linux)')
    .argument(
      '[process]',
      'a PID, with the Node processes under it; or a text in the command line (default: all)',
    )
    .option('--interval <seconds>', 'between two looks', String(TOP_INTERVAL_MS / 1000))
    .option('--once', 'one look, printed; always so without a terminal')
    .option('--json <file>', 'with --once: write it as JSON; - for standard output')
    .addHelpText('after', HELP)
    .exitOverride()
    .action(async (of: string | undefined, flags: TopFlags) => {
      process.exitCode = await runTop(of, flags);
    });
}

const HELP = `
Keys: s sorts by the busiest pool or by PID, r resizes a pool, p pauses, ? helps, q quits

Examples:
  $ plimsoll top                       every Node process, the one with the busiest pool first
  $ plimsoll top 4711                  one process and what it started, thread by thread
  $ plimsoll top server.js             by a text in the command line
  $ plimsoll top 4711 --once --json -  one look, for scripts

Exit codes: 0 fine, 2 bad input`;

const LARGEST_PID = 2 ** 22;
const LONGEST_SECONDS = 3600;
const SHORTEST_SECONDS = 0.1;
const LEAST_COLUMNS = 60;

async function runTop(text: string | undefined, { interval, once, json }: TopFlags): Promise<number> {
  const of = text !== undefined && /^\d+$/.test(text) ? parseCount(text, 'PID', 1, LARGEST_PID) : text;
  const seconds = parsePositive(interval, '--interval', LONGEST_SECONDS);
  if (seconds < SHORTEST_SECONDS)
    throw usage(`--interval: must be at least ${SHORTEST_SECONDS} seconds, not ${interval}`);
  const intervalMs = seconds * 1000;
  const isLive = once !== true && json === undefined && process.stdin.isTTY && process.stdout.isTTY;
  if (isLive) return watch(of, intervalMs);
  return runCommand({ json }, async ({ finish }) => {
    const result = await top({ of, intervalMs });
    finish({ json: result }, (style) =>
      screenLines(
        result.processes,
        { history: new Map(), help: false, paused: false, sort: 'busy', line: null },
        style,
      ).join('\n'),
    );
    return 0;
  });
}

/** Draw, wait, look again, until q; the process that is looked at may end meanwhile. */
async function watch(of: number | string | undefined, intervalMs: number): Promise<number> {
  const columns = process.stdout.columns;
  if (columns < LEAST_COLUMNS)
    throw usage(
      `top needs ${LEAST_COLUMNS} columns, this terminal has ${columns}; make it wider, or use --once --json -`,
    );
  const observer = new Observer();
  let processes = look(observer, of);
  const history = new Map<number, number[]>();
  let [paused, help, sort]: [boolean, boolean, SortKey] = [false, false, 'busy'];
  const ended = new AbortController();
  let woken = new AbortController();
  let prompt: ResizePrompt | null = null;
  let line: string | null = null;
  const onResize = (pid: number, size: number): void => {
    line = `resizing process ${pid} to ${size} …`;
    void resize({ pid, size }, { signal: ended.signal })
      .then(resizeSentence, (error) => (ended.signal.aborted ? '' : complaintOf(error)))
      .then((text) => {
        line = printable(text);
        woken.abort();
      });
  };
  const onPrompt = (open: ResizePrompt, key: string): void => {
    const entry = open.type(key);
    if (entry.is === 'open') {
      line = open.line;
      return;
    }
    [prompt, line] = [null, entry.is === 'wrong' ? entry.complaint : null];
    if (entry.is === 'entered') onResize(entry.pid, entry.size);
  };
  const screen = new LiveScreen(process.stdin, process.stdout, (key) => {
    if (prompt !== null) onPrompt(prompt, key);
    else if (key === 'r') {
      prompt = new ResizePrompt(processes.map(({ pid }) => pid));
      line = prompt.line;
    } else if (key === 'q') ended.abort();
    else if (key === 'p' || key === ' ') paused = !paused;
    else if (key === 's') sort = sort === 'busy' ? 'pid' : 'busy';
    else if (key === '?' || key === 'h') help = !help;
    woken.abort();
  });
  const onSignal = (): void => {
    ended.abort();
    woken.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    let nextAt = performance.now();
    while (!ended.signal.aborted) {
      if (!paused && performance.now() >= nextAt) {
        processes = look(observer, of);
        remember(history, processes);
        nextAt = performance.now() + intervalMs;
      }
      screen.draw(
        screenLines(processes, { history, help, paused, sort, line }, terminalStyle(process.stdout)),
      );
      woken = new AbortController();
      const waitMs = paused ? intervalMs : Math.max(1, nextAt - performance.now());
      await sleep(waitMs, undefined, { signal: woken.signal }).catch(() => {});
    }
    return 0;
  } finally {
    screen.close();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

const MOST_REMEMBERED = 60;

function remember(history: Map<number, number[]>, processes: readonly SeenProcess[]): void {
  for (const { pid, busy } of processes)
    history.set(pid, [...(history.get(pid) ?? []), busy].slice(-MOST_REMEMBERED));
}
