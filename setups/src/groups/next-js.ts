import type { Contender } from '../contenders.js';
import type { Setup } from '../setup.js';
import { sources, threeTasks } from '../sources.js';

/** The worker's files travel by Next's file tracing; the pool itself is part of the server's bundle. */
const CONFIGURATION = `export default {
  output: 'standalone',
  outputFileTracingRoot: import.meta.dirname,
  outputFileTracingIncludes: { '/api': ['./worker/**'] },
};
`;

const LAYOUT = `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;

const route = (contender: Contender): string => `import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
${contender.load('esm')}

export const dynamic = 'force-dynamic';

let pool;

export async function GET() {
  pool ??= ${contender.create("join(process.cwd(), 'worker/tasks.js')", { threads: 2 })};
${threeTasks(contender)
  .map((line) => `  ${line}`)
  .join('\n')}
  return new Response('RIGHT');
}
`;

/** Starts the server that was built, where nothing of the project is, and asks it once. */
const ASK = `import { spawn } from 'node:child_process';
import { renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

renameSync('.next/standalone', '../bundle');
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(String(port)));
  });
});
const server = spawn(process.execPath, ['server.js'], {
  cwd: '../bundle',
  env: { ...process.env, PORT: port, HOSTNAME: '127.0.0.1' },
  stdio: 'inherit',
});
try {
  let answer;
  while (answer === undefined) {
    if (server.exitCode !== null) throw new Error('the server ended');
    await sleep(50);
    answer = await fetch('http://127.0.0.1:' + port + '/api').catch(() => undefined);
  }
  console.log(await answer.text());
  if (!answer.ok) process.exitCode = 1;
} finally {
  server.kill();
}
`;

export const nextJs: readonly Setup[] = [
  {
    group: 'bundled hosts',
    name: 'Next.js, standalone',
    packages: { next: '16.4.6', react: '19.3.1', 'react-dom': '19.3.1' },
    install: 'Next.js',
    // A build takes as long as several of the others.
    contenders: ['plimsoll', 'piscina'],
    files: (contender) => {
      const files = sources(contender, { module: 'esm', folder: 'worker' });
      return {
        'next.config.mjs': CONFIGURATION,
        'app/layout.jsx': LAYOUT,
        'app/page.jsx': 'export default function Page() {\n  return <p>Hello</p>;\n}\n',
        'app/api/route.js': route(contender),
        'worker/tasks.js': files['worker/tasks.js'] as string,
        'worker/add.js': files['worker/add.js'] as string,
        'worker/package.json': '{ "private": true, "type": "module" }\n',
        'ask.mjs': ASK,
      };
    },
    commands: (_, project) => [
      {
        argv: [project.node, project.bin('next'), 'build'],
        env: { NEXT_TELEMETRY_DISABLED: '1' },
        timeoutMs: 120_000,
      },
      { argv: [project.node, 'ask.mjs'] },
    ],
  },
];
