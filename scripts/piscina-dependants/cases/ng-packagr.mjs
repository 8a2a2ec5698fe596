const component = `import { Component } from '@angular/core';
@Component({ selector: 'lib-box', template: '<p>box</p>', styleUrl: './box.scss' })
export class Box {}
`;

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    module: 'ES2022',
    moduleResolution: 'bundler',
    strict: true,
    skipLibCheck: true,
  },
};

export default {
  what: 'builds a library whose component has a Sass style sheet',
  packages: {
    'ng-packagr': '20.3.2',
    ...Object.fromEntries(
      ['common', 'compiler', 'compiler-cli', 'core'].map((name) => [`@angular/${name}`, '20.3.32']),
    ),
    ...{ rxjs: '^7.8.0', tslib: '^2.8.0', typescript: '~5.9.0' },
  },
  files: {
    'lib/package.json': JSON.stringify({ name: 'boxes', version: '1.0.0' }),
    'lib/ng-package.json': JSON.stringify({ dest: '../out', lib: { entryFile: 'index.ts' } }),
    'lib/tsconfig.json': JSON.stringify(tsconfig),
    'lib/index.ts': "export * from './box';\n",
    'lib/box.ts': component,
    'lib/box.scss': '$w: 2px; p { border: $w * 2 solid; &:hover { margin: $w; } }\n',
  },
  command: [
    'node_modules/ng-packagr/src/cli/main.js',
    ...['--project', 'lib/ng-package.json', '--config', 'lib/tsconfig.json'],
  ],
  // Without its cache, which would make the second run another one.
  env: { CI: 'true' },
  produces: ['out'],
  // Its spinner shows the steps that take long.
  unsteady: /^- .*\n/gm,
};
