import type { WriteStream } from 'node:tty';
import { usage } from '../errors.js';
import { printable } from '../host/printable.js';
import type { ReportDocument } from '../report/documents.js';
import { type Style, terminalStyle } from '../report/style.js';
import { interruptSignal } from './interrupt.js';
import { type JsonOutput, openJsonOutput, openTextOutput } from './json-output.js';
import { ProgressLine } from './progress-line.js';

/** Where a command writes its documents, by option; `-` is standard output. */
export interface OutputFlags {
  readonly json?: string | undefined;
  readonly perfetto?: string | undefined;
  readonly html?: string | undefined;
  readonly quiet?: boolean | undefined;
}

/** What a running command works with. */
export interface CommandRun {
  readonly progress: ProgressLine;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Write the documents that were asked for, then the report for people. */
  finish(
    documents: {
      json?: unknown;
      perfetto?: () => unknown;
      /** The whole page, or what it is of. */
      html?: (() => string) | readonly ReportDocument[];
    },
    report: (style: Style) => string | null,
  ): Promise<void>;
  /** A line for people, beside the report. */
  say(line: string): void;
}

/** Where the output of a command that is run goes: a document has standard output to itself. */
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
  const onStdout = [flags.json, flags.perfetto, flags.html].filter((file) => file === '-');
  if (onStdout.length > 1)
    throw usage('only one document fits on standard output; write the others to files');
  const json = kept ?? openJsonOutput(flags.json);
  const perfetto = openJsonOutput(flags.perfetto, '--perfetto');
  const html = openTextOutput(flags.html, '--html');
  const people: WriteStream = onStdout.length > 0 ? process.stderr : process.stdout;
  const progress = new ProgressLine(process.stderr, flags.quiet === true);
  const interrupt = interruptSignal();
  try {
    return await work({
      progress,
      signal: interrupt.signal,
      async finish(documents, report) {
        progress.clear();
        if (documents.json !== undefined) json?.write(documents.json);
        if (documents.perfetto !== undefined) perfetto?.write(documents.perfetto());
        const text = report(terminalStyle(people));
        if (text !== null) people.write(`${text}\n`);
        if (documents.html === undefined || html === null) return;
        html.write(typeof documents.html === 'function' ? documents.html() : await pageOf(documents.html));
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

/** The page is much to load, and few ask for it. */
async function pageOf(documents: readonly ReportDocument[]): Promise<string> {
  const { reportPage } = await import('../report/html/page.js');
  return reportPage(documents);
}
