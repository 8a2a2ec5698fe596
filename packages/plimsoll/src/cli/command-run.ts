import type { WriteStream } from 'node:tty';
import { usage } from '../errors.js';
import { printable } from '../host/printable.js';
import type { Report } from '../report/document.js';
import type { Result } from '../report/documents.js';
import { type Style, terminalStyle } from '../report/style.js';
import { terminal } from '../report/terminal.js';
import { type JsonOutput, openJsonOutput, openOutput } from './json-output.js';
import { ProgressLine } from './progress-line.js';

/** Where a command writes its documents, by option; `-` is standard output. */
export interface OutputFlags {
  readonly json?: string | undefined;
  readonly html?: string | undefined;
  readonly quiet?: boolean | undefined;
}

export interface CommandRun {
  readonly progress: ProgressLine;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /**
   * Write the documents that were asked for, and the report for people.
   *
   * @param page by default that of the result.
   */
  finish(
    result: object,
    report: Report | ((style: Style) => string | null),
    page?: () => string,
  ): Promise<void>;
  /** A line for people, beside the report. */
  say(line: string): void;
}

/** Where texts go, and the output of a command that is run: a document has standard output to itself. */
export const besideDocuments = ({ json, html }: OutputFlags): 'stdout' | 'stderr' =>
  [json, html].includes('-') ? 'stderr' : 'stdout';

/**
 * The life of every command: its documents are opened before anything is measured, Ctrl-C aborts, progress goes to standard
 * error and is cleared, and with a document on standard output the report goes to standard error.
 *
 * @param kept the document of `--json` where the command opened it itself.
 * @returns the exit code.
 */
export async function runCommand(
  flags: OutputFlags,
  work: (run: CommandRun) => Promise<number>,
  kept: JsonOutput | null = null,
): Promise<number> {
  if (flags.json === '-' && flags.html === '-')
    throw usage('only one document fits on standard output; write the other to a file');
  const json = kept ?? openJsonOutput(flags.json);
  const html = openOutput(flags.html, '--html', 'report.html');
  const people: WriteStream = process[besideDocuments(flags)];
  const progress = new ProgressLine(process.stderr, flags.quiet === true);
  const interrupt = interruptSignal();
  try {
    return await work({
      progress,
      signal: interrupt.signal,
      async finish(result, report, page) {
        progress.clear();
        json?.write(result);
        const style = terminalStyle(people);
        const text = typeof report === 'function' ? report(style) : terminal(report, style);
        if (text !== null) people.write(`${text}\n`);
        if (html === null) return;
        html.write(page?.() ?? (await pageOf(result as Result)));
        if (flags.html !== '-') process.stderr.write(`report: ${printable(String(flags.html))}\n`);
      },
      say(line) {
        progress.clear();
        process.stderr.write(`${line}\n`);
      },
    });
  } finally {
    progress.clear();
    interrupt.dispose();
  }
}

/** Loaded on demand: the page is large, and few ask for it. */
async function pageOf(result: Result): Promise<string> {
  const { reportPage } = await import('../report/html/page.js');
  return reportPage([result]);
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Turns the first Ctrl-C (or SIGTERM, SIGHUP) into an abort, so that what was measured is kept and printed; a second
 * one ends the process at once and leaves the cleaning to the guardian.
 */
export function interruptSignal(): { signal: AbortSignal; abort(): void; dispose(): void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    dispose() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
