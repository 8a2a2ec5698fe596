const modules = Object.fromEntries(
  Array.from({ length: 24 }, (_, index) => [
    `src/deep/module-${index}.ts`,
    `export enum Kind { One = ${index}, Two }
export class Held<T> { constructor(private readonly value: T) {} get(): T { return this.value; } }
export const kind: Kind = Kind.Two;
`,
  ]),
);

export default {
  what: 'compiles 24 TypeScript files with source maps, copies one file and reports a syntax error in another',
  packages: { '@swc/cli': '0.8.1', '@swc/core': '1.16.22', chokidar: '5.0.0' },
  files: { ...modules, 'src/wrong.ts': 'export const = 1;\n', 'src/data.json': '{}\n' },
  command: [
    'node_modules/@swc/cli/bin/swc.js',
    ...['src', '--out-dir', 'out', '--source-maps', '--copy-files', '--workers', '2'],
  ],
  env: { NODE_OPTIONS: '--no-warnings' },
  produces: ['out'],
  ends: 1,
};
