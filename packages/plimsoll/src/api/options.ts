/**
 * Every command and every option, once: Commander's options, their checks, the types of the functions' options, `--help`, the
 * tables in docs/reference and the JSON Schema of options come from here. It loads nothing, so that `plimsoll --version` does not.
 */

import {
  type CommandTable,
  choice,
  count,
  flag,
  kindOf,
  number,
  seconds,
  size,
  sizes,
  text,
  texts,
  type Values,
} from './option.js';

const DAY = 86_400;
const LARGEST_PID = 2 ** 22;
const SIZE = 'a number from 1 to 1024, `default` (4), `double` (8), or `cpus`';
const SIZES = 'numbers from 1 to 1024, `default` (4), `double` (8), or `cpus`, separated by commas';
const USUAL_SIZES = '1, 2, the CPUs, 2 and 4 times as many, 16, 64';

const json = text(
  '--json <file>',
  'write the result as JSON; `-` is standard output, and moves the report to standard error',
  { cli: true },
);
const html = text('--html <file>', 'write a report as one HTML page; `-` is standard output', { cli: true });
const output = { json, html, quiet: flag('--quiet', 'show no progress', { cli: true }) } as const;
const seed = count('--seed', 'seed of the random order', {
  least: 0,
  most: 2 ** 31 - 1,
  usual: 'random, printed',
});
const started = {
  command: texts('[command...]', 'the command to start, after --; or the PID of a running Node process', {
    without: ['pid'],
  }),
  pid: count(null, 'a running Node process, instead of a command', { least: 1, most: LARGEST_PID }),
  stdout: choice(null, 'destination of the command’s standard output', {
    choices: ['stdout', 'stderr', 'nowhere'],
    usual: 'nowhere',
  }),
  output: flag('--output', 'show the output of the command', { cli: true }),
} as const;

export const COMMANDS = {
  tune: {
    summary: 'measure your app at every pool size while it runs, and recommend one',
    options: {
      ...started,
      onPort: text(
        '--on-port <command>',
        'load generator, started without a shell once the app listens on `$PORT`',
        { without: ['urls', 'pid'] },
      ),
      urls: texts('--url <url>', 'send requests to this URL (`$PORT` is the port) or path of the app', {
        without: ['pid'],
      }),
      connections: count('-c, --connections', 'clients; each waits for a response before its next request', {
        least: 1,
        most: 10_000,
        usual: '10',
        with: 'urls',
        without: ['rate'],
      }),
      method: text('-m, --method <method>', 'HTTP method of the requests', {
        usual: 'GET, or POST with a body',
        with: 'urls',
      }),
      headers: texts('-H, --header <name: value>', 'a header', { with: 'urls' }),
      body: text('-b, --body <text>', 'body of the requests', { with: 'urls' }),
      rate: number('--rate <n>', 'requests per second, sent at random times without waiting for responses', {
        most: 100_000,
        with: 'urls',
      }),
      sizes: sizes('--sizes', SIZES, {
        usual: `${USUAL_SIZES}; for a PID from half to four times its size`,
      }),
      baseline: size('--baseline', 'compare all sizes with this one', {
        usual: '4; for a PID its current size',
      }),
      objective: choice('--objective <what>', 'what decides: `mean` or `p99` latency, or `throughput`', {
        choices: ['mean', 'p99', 'throughput'],
        default: 'mean',
      }),
      timeMs: seconds('--time', 'time limit of the measurement; it ends sooner once the answer is known', {
        most: DAY,
        default: 55_000,
      }),
      seed,
      strict: flag('--strict', 'exit with 3 if it cannot tell', { cli: true }),
      ...output,
    },
    examples: `
  $ plimsoll tune --url /login -- node server.js     plimsoll sends the requests
  $ plimsoll tune --on-port 'autocannon http://127.0.0.1:$PORT/' -- npm start
  $ plimsoll tune -- node build.js                   a command that ends
  $ plimsoll tune 4711                               a process that is already serving`,
    exits: '0 fine, 2 bad input, 3 cannot tell (--strict), 4 the command failed,\n130 interrupted',
  },
  doctor: {
    summary:
      'show the pool size your app actually gets, and why it differs from the one you set; for CI, too',
    options: {
      ...started,
      waitMs: seconds('--wait', 'how long the command runs before its pool threads are counted', {
        most: 3600,
        default: 2000,
      }),
      json,
    },
    examples: `
  $ plimsoll doctor -- node server.js          start it, count its pool threads, end it
  $ plimsoll doctor 4711                       a running Node process (Linux)
  $ plimsoll doctor                            what a Node program started here would get`,
    exits: `0 the size is the one asked for, 1 it is not, 2 bad input, 3 cannot tell,
4 the command failed, 130 interrupted`,
  },
  trace: {
    summary: 'run your command and record where the jobs of its thread pools spend their time',
    options: {
      command: texts('<command...>', 'the command to run, after --', { required: true }),
      flame: text(
        '--flame <file>',
        'flame graph of waiting: `.html`, `.speedscope.json`, `.pb.gz`; implies --calls',
        { cli: true },
      ),
      calls: flag('--calls', 'also record the line and the request of each job, which costs more'),
      durationMs: seconds('--duration', 'end the command after this time', {
        most: 7 * DAY,
        usual: 'until it ends, or Ctrl-C',
      }),
      size: size('--size', `pool size of the command: ${SIZE}`, { usual: 'unchanged' }),
      maxEvents: count('--max-events', 'trace events that each process may record before recording stops', {
        least: 1,
        most: 100_000_000,
        default: 1_000_000,
      }),
      stdout: { ...started.stdout, usual: 'stdout' },
      ...output,
    },
    examples: `
  $ plimsoll trace -- node app.js                          until it ends, or Ctrl-C
  $ plimsoll trace --duration 30 --flame waiting.html -- npm start
  $ plimsoll trace --size 16 -- node app.js                with UV_THREADPOOL_SIZE=16`,
    exits: '0 fine, 2 bad input, 4 the command failed or could not be recorded, 130 interrupted',
  },
  top: {
    summary: 'show the pools of running Node processes live, like top (Linux)',
    options: {
      of: kindOf('process')('[process]', 'a PID with its child processes, or a text in the command line', {
        usual: 'all',
      }),
      intervalMs: seconds('--interval', 'time between two looks', { least: 0.1, most: 3600, default: 1000 }),
      once: flag('--once', 'print one look and exit; implied without a terminal', { cli: true }),
      json,
    },
    examples: `
  $ plimsoll top                       every Node process, the one with the busiest pool first
  $ plimsoll top 4711                  one process and what it started, thread by thread
  $ plimsoll top 4711 --once --json -  one look, for scripts`,
    exits: '0 fine, 2 bad input',
  },
  bench: {
    summary: 'measure what each pool size does to file, crypto, zlib, DNS or your own work',
    options: {
      workloads: texts(
        '[workload...]',
        '`file`, `crypto`, `zlib`, `dns`, `mixed`, or the path of a module of yours',
        { usual: 'all five' },
      ),
      against: text('--against <module>', 'compare the module with this old version of it, for CI', {
        cli: true,
      }),
      sizes: sizes('--sizes', SIZES, { usual: `${USUAL_SIZES}; with --against 4` }),
      baseline: size('--baseline', 'compare all sizes with this one', { default: 4, without: ['against'] }),
      timeMs: seconds('--time', 'time limit for one workload; it ends sooner once the answer is known', {
        most: DAY,
        usual: '20',
      }),
      isolated: flag('--isolated', 'run one process at a time, for work that needs a port or a file', {
        default: false,
        without: ['against'],
      }),
      blocks: count('--blocks', 'how often to measure each size, at most', {
        least: 1,
        most: 100,
        default: 10,
        with: 'isolated',
      }),
      operations: count('--ops', 'operations to submit at once', {
        least: 1,
        most: 1_000_000,
        usual: 'the workload’s',
      }),
      scale: number('--scale <x>', 'multiply the cost of each operation (iterations, bytes)', {
        most: 1000,
        default: 1,
      }),
      parameters: kindOf('parameters')(
        '--set <workload.parameter=value>',
        'set any parameter of a workload',
        {
          default: {},
          without: ['against'],
        },
      ),
      seed,
      deadlineMs: seconds('--deadline', 'a process counts as hung if its start or one round takes longer', {
        most: DAY,
        default: 120_000,
      }),
      strict: flag('--strict', 'exit with 3 if the machine is too noisy to tell', {
        cli: true,
        without: ['against'],
      }),
      markdown: flag('--markdown', 'print the report in Markdown, for a comment on a pull request', {
        cli: true,
        with: 'against',
      }),
      ...output,
    },
    examples: `
  $ plimsoll bench                              all five, at 1 to 64 threads
  $ plimsoll bench crypto --sizes 1,2,4,8,16    one workload, chosen sizes
  $ plimsoll bench ./my-workload.mjs --json -   your own work, as JSON
  $ plimsoll bench ./work.mjs --against ../main/work.mjs --sizes 4,8 --markdown`,
    exits: `0 fine, 2 bad input, 3 too noisy (--strict), 4 a workload failed, 130 interrupted;
with --against 0 same or better, 1 worse, 2 bad input, 3 cannot tell, 4 a module failed`,
  },
  classify: {
    summary: 'test which APIs, or your own functions, use the pool; or draw where calls wait',
    options: {
      names: texts('[name...]', 'APIs (fs, dns.lookup …), or PATH#export; with --draw one operation', {
        usual: 'the whole catalogue',
      }),
      args: kindOf('args')('--args <json>', 'arguments of PATH#export, a JSON array', { default: [] }),
      deadlineMs: seconds('--deadline', 'time after which an operation counts as never completing', {
        most: DAY,
        usual: '5; with --draw 60',
      }),
      draw: flag('--draw', 'run several calls at once, and draw where each one waits and works', {
        cli: true,
      }),
      requests: kindOf('counts')(
        '--requests <list>',
        'calls at once; each number has an experiment of its own',
        { least: 1, most: 1000, default: [2, 4, 6], with: 'draw' },
      ),
      size: size('--size', `pool size: ${SIZE}`, { default: 4, with: 'draw' }),
      ...output,
    },
    examples: `
  $ plimsoll classify                                       the whole catalogue
  $ plimsoll classify fetch.name                            why, and how to avoid the pool
  $ plimsoll classify bcrypt#hash --args '["secret", 10]'   a function of a package
  $ plimsoll classify --draw pbkdf2                         2, 4 and 6 at once on 4 pool threads
  $ plimsoll classify --draw ./work.mjs#hash --requests 6 --size 6`,
    exits: '0 fine, 2 bad input, 3 unclear, 4 an operation failed or never completed, 130 interrupted',
  },
  resize: {
    summary: 'change the pool size of a Node process while it runs (Linux)',
    options: {
      pid: count('<PID>', 'the process', { least: 1, most: LARGEST_PID, required: true }),
      size: size('<size>', SIZE, { required: true }),
      timeoutMs: seconds('--timeout', 'how long running jobs may keep the pool from shrinking', {
        most: 3600,
        default: 10_000,
      }),
      json,
    },
    examples: `
  $ plimsoll resize 4711 12       four threads hang: eight more serve the other jobs

Before Node 26.9 a pool can have at most as many threads as it was started with.
Meanwhile the inspector of the process is open on 127.0.0.1, for a fraction of
a second; the process says so on its standard error.`,
    exits: `0 done, 2 bad input, or this process's pool cannot have that size,
4 the process did not answer, or ended, 130 interrupted`,
  },
  run: {
    summary: 'start your command with the right pool size, before anything in it uses the pool',
    options: {
      command: texts('<command...>', 'the command to run, after --', { required: true }),
      size: text(
        '--size <size>',
        `${SIZE}, the CPUs that the process really gets; or a result file of tune or bench`,
        { required: true },
      ),
      max: size('--max <size>', 'a rescue: up to this many threads while pool threads are blocked (Linux)'),
      quiet: flag('--quiet', 'do not print the size'),
    },
    examples: `
  $ plimsoll run --size tuned.json -- node server.js       what plimsoll tune --json tuned.json recommended
  $ plimsoll run --size cpus -- npm start                  as many threads as it really gets CPUs
  $ plimsoll run --size 4 --max 32 -- node server.js       4, and more while some of them hang`,
    exits: 'that of the command; 2 bad input, 4 the command cannot be started',
  },
  report: {
    summary: 'make an HTML page of results, to read and share',
    options: {
      files: texts('<file...>', 'files that commands wrote with --json', { required: true }),
      out: text('--out <file>', 'where to write the page; `-` is standard output', {
        cli: true,
        usual: '`report.html`',
      }),
      title: text('--title <text>', 'title of the page', { usual: 'Thread pool report' }),
    },
    examples: `
  $ plimsoll report bench.json                   report.html: verdict, curves, tables
  $ plimsoll report trace.json --out app.html    where its jobs waited`,
    exits: '0 fine, 2 bad input or output',
  },
} as const satisfies Record<string, CommandTable>;

export type CommandName = keyof typeof COMMANDS;
type Table<Name extends CommandName> = (typeof COMMANDS)[Name]['options'];

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly kind: infer Kind extends keyof Values }
    ? Values[Kind]
    : never;
type With<Rows, Mark> = { [Key in keyof Rows]: Rows[Key] extends Mark ? Key : never }[keyof Rows];
type OfFunction<Rows> = Exclude<keyof Rows, With<Rows, { readonly cli: true }>>;
type RequiredOf<Rows> = With<Rows, { readonly required: true }>;

type Given<Rows, Keys extends keyof Rows> = {
  readonly [Key in Exclude<Keys, RequiredOf<Rows>>]?: ValueOf<Rows[Key]> | undefined;
} & { readonly [Key in Extract<Keys, RequiredOf<Rows>>]: ValueOf<Rows[Key]> };

export type OptionsOf<Name extends CommandName> = Given<Table<Name>, OfFunction<Table<Name>>>;
export type TypedOptions<Name extends CommandName> = Given<Table<Name>, keyof Table<Name>>;

/** What a function took, after its checks: defaults are filled in. */
export type CheckedOptions<Name extends CommandName> = {
  readonly [Key in OfFunction<Table<Name>>]: Table<Name>[Key] extends
    | { readonly default: unknown }
    | { readonly required: true }
    ? ValueOf<Table<Name>[Key]>
    : ValueOf<Table<Name>[Key]> | undefined;
};

export const isCommand = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word);
