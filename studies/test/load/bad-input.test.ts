import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, test } from 'node:test';
import { PlimsollError } from '@plimsoll/lab';
import { Command } from 'commander';
import { addLoadCommand } from '#studies/load/cli/load.js';
import { command, fixture } from './cli.js';
import { freePort } from './port.js';

interface Case {
  readonly args: readonly string[];
  readonly says: RegExp;
}

const URL_ = ['--url', 'http://127.0.0.1:1/'];

/** Seen before anything is started. */
const REFUSED: Record<string, Case> = {
  'an unknown mode': {
    args: ['--mode', 'forks'],
    says: /--mode: must be node, cluster, .*not "forks"/,
  },
  'instances of a single process': {
    args: ['--instances', '3'],
    says: /--instances goes with the modes/,
  },
  'no instances': { args: ['--mode', 'cluster', '--instances', '0'], says: /--instances.*not "0"/ },
  'an unknown case': { args: ['--case', '4'], says: /--case: must be 1, 2, 3 or all, not "4"/ },
  'two kinds of traffic': { args: ['--case', '1', '--rate', '5'], says: /only one kind of traffic/ },
  'a rate without a duration': { args: ['--rate', '5'], says: /--rate and --duration go together/ },
  'a rate of 0': { args: ['--rate', '0', '--duration', '1'], says: /--rate.*not "0"/ },
  'no clients': { args: ['--parallel', '0'], says: /--parallel.*not "0"/ },
  'an unknown operation': {
    args: ['--operation', 'md5'],
    says: /operation: must be one of pbkdf2.*not "md5"/,
  },
  'a sleep that is no number': {
    args: ['--operation', 'sleep:x'],
    says: /operation.*not "sleep:x"/,
  },
  'a module that does not exist': {
    args: ['--operation', './no.mjs'],
    says: /no module at .\/no.mjs/,
  },
  'no iterations': { args: ['--iterations', '0'], says: /--iterations.*not "0"/ },
  'a size of 1025': { args: ['--sizes', '1025'], says: /from 1 to 1024, not "1025"/ },
  'a URL that is none': {
    args: ['--url', 'localhost:3000'],
    says: /--url: must be a URL.*not "localhost:3000"/,
  },
  'a URL of another kind': { args: ['--url', 'ftp://x/'], says: /--url: must be a URL/ },
  'a command without a URL': { args: ['--', 'node', 'x.js'], says: /--url is missing/ },
  'a bystander without a URL': {
    args: ['--bystander', 'http://x/'],
    says: /--bystander goes with --url/,
  },
  'an operation of a foreign server': {
    args: [...URL_, '--ops', '3'],
    says: /--ops is of the sample server/,
  },
  'sizes of a running server': {
    args: [...URL_, '--sizes', '4'],
    says: /--sizes: a server that runs already/,
  },
  'a resumed result on stdout': {
    args: ['--resume', '--json', '-'],
    says: /--resume needs --json FILE/,
  },
  'no time': { args: ['--time', '0'], says: /--time.*not "0"/ },
  'a number of blocks where sizes take turns': {
    args: ['--blocks', '3'],
    says: /--blocks goes with --isolated/,
  },
  'a port to choose for a server that runs already': {
    args: ['--url', 'http://127.0.0.1:{port}/'],
    says: /\{port\}: a server that runs already has the port that it has/,
  },
};

/** Seen under load. */
const FAILED: Record<string, Case> = {
  'nobody at the URL': { args: URL_, says: /all of 15 requests failed \(ECONNREFUSED\)/ },
  'an operation that throws': {
    args: ['--operation', fixture('bad/throws.mjs'), '--sizes', '2'],
    says: /the sample server cannot do its operation: thrown while running/,
  },
  'an operation that exports nothing': {
    args: ['--operation', fixture('bad/exports-nothing.mjs'), '--sizes', '2'],
    says: /the sample server cannot do its operation: its default export must be/,
  },
  'an operation that hangs': {
    args: ['--operation', fixture('bad/hangs.mjs'), '--sizes', '2', '--deadline', '2'],
    says: /not done within 2 s|not ready within/,
  },
};

function assertOneLine(run: { stderr: string; left: string[] }, says: RegExp): void {
  assert.match(run.stderr.trim().split('\n').join(' '), says);
  assert.doesNotMatch(run.stderr, /^\s+at /m, 'no stack trace for a mistake of the user');
  assert.deepEqual(run.left, []);
}

describe('bad input of npm run load', () => {
  for (const [name, { args, says }] of Object.entries(REFUSED))
    test(name, async () => {
      const program = new Command().exitOverride();
      addLoadCommand(program);
      await assert.rejects(
        program.parseAsync(['load', '--quiet', ...args], { from: 'user' }),
        (error) => error instanceof PlimsollError && error.exitCode === 2 && says.test(error.message),
      );
    });

  test('what is refused is one line, and exit code 2', async () => {
    const { args, says } = REFUSED['an unknown mode'] as Case;
    const run = await command(['load', '--quiet', ...args]);
    assert.equal(run.code, 2, run.stderr);
    assertOneLine(run, says);
    assert.match(run.stderr, /^load: [^\n]+\n$/);
    assert.equal((await command(['load', '--nonsense'])).code, 2);
  });

  for (const [name, { args, says }] of Object.entries(FAILED))
    test(name, async () => {
      const run = await command(['load', '--quiet', ...args]);
      assert.equal(run.code, 4, run.stderr);
      assertOneLine(run, says);
    });
});

describe("trouble with a user's command", () => {
  const troubles: Record<string, RegExp> = {
    exits: /ended before it listened on port \d+ \(exit code 3; it last wrote: no \\x1b\[31mconfiguration\)/,
    'never-listens': /did not listen on port \d+ within 2 s/,
    resets: /all of 15 requests failed \(ECONNRESET\)/,
    'answers-500': /all of 15 requests failed \(HTTP 500\)/,
    dies: /your command ended under the load at size 2 \(exit code 7\)/,
  };
  for (const [trouble, says] of Object.entries(troubles))
    test(trouble, async () => {
      const port = await freePort();
      const args = ['--sizes', '2', '--url', `http://127.0.0.1:${port}/`];
      const deadline = trouble === 'never-listens' ? ['--deadline', '2'] : [];
      const server = ['--', process.execPath, fixture('servers/app.mjs'), trouble];
      const run = await command(['load', '--quiet', ...args, ...deadline, ...server], {
        env: { PORT: String(port) },
      });
      assert.equal(run.code, 4, run.stderr);
      assertOneLine(run, says);
      await assert.rejects(fetch(`http://127.0.0.1:${port}/`), 'nothing listens any more');
    });

  test('a command that does not exist', async () => {
    const args = ['--url', `http://127.0.0.1:${await freePort()}/`, '--', './no-such-command'];
    const run = await command(['load', '--quiet', ...args]);
    assert.equal(run.code, 4, run.stderr);
    assertOneLine(run, /cannot start ".\/no-such-command": there is no such command/);
  });

  test('a port in use is not measured in place of the command', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    try {
      const args = ['--sizes', '2', '--url', `http://127.0.0.1:${port}/`];
      const run = await command([
        'load',
        '--quiet',
        ...args,
        '--',
        process.execPath,
        fixture('servers/app.mjs'),
      ]);
      assert.equal(run.code, 2, run.stderr);
      assertOneLine(run, /port \d+ is in use/);
      // Who listens: the server itself, the primary of its cluster, the daemon of PM2.
      for (const mode of ['node', 'cluster', 'pm2-cluster']) {
        const serve = await command(['serve', '--mode', mode, '--port', String(port)]);
        assert.equal(serve.code, 2, `${mode}: ${serve.stderr}`);
        assertOneLine(serve, /port \d+ is in use; choose another one \(--port\)/);
      }
    } finally {
      server.close();
    }
  });

  test('one that sets its pool size itself is found out', {
    skip: process.platform !== 'linux',
  }, async () => {
    const port = await freePort();
    const args = ['--sizes', '5,9', '--url', `http://127.0.0.1:${port}/`, '--quiet'];
    const run = await command(['load', ...args, '--', process.execPath, fixture('servers/app.mjs')], {
      env: { PORT: String(port), NODE_OPTIONS: `--require ${fixture('sets-pool-size.cjs')}` },
    });
    assert.equal(run.code, 4, run.stderr);
    assertOneLine(run, /had 3 pool threads instead of \d: something in it sets UV_THREADPOOL_SIZE/);
  });
});
