const workspace = {
  version: 1,
  cli: { analytics: false, cache: { enabled: false } },
  projects: {
    app: {
      projectType: 'application',
      root: '',
      i18n: { sourceLocale: 'en', locales: { de: 'src/de.json' } },
      architect: {
        build: {
          builder: '@angular/build:application',
          options: {
            ...{
              outputPath: 'out',
              browser: 'src/main.ts',
              index: 'src/index.html',
              tsConfig: 'tsconfig.json',
            },
            ...{ server: 'src/server.ts', outputMode: 'static' },
            ...{
              styles: ['src/styles.scss'],
              inlineStyleLanguage: 'scss',
              polyfills: ['@angular/localize/init'],
            },
            ...{ localize: true, outputHashing: 'none', progress: false },
          },
        },
      },
    },
  },
};

const tsconfig = {
  compilerOptions: {
    ...{
      target: 'ES2022',
      module: 'preserve',
      strict: true,
      skipLibCheck: true,
      experimentalDecorators: true,
    },
    types: ['@angular/localize'],
  },
  files: ['src/main.ts', 'src/server.ts'],
};

const page = `<!doctype html>
<html lang="en"><head><title>A</title><base href="/"></head><body><app-root></app-root></body></html>
`;

const app = `import { Component, provideZonelessChangeDetection } from '@angular/core';
@Component({
  selector: 'app-root',
  template: '<h1 i18n="@@hello">Hello</h1>',
  styles: '$w: 3px; h1 { border: $w solid; }',
})
export class App {}
export const zoneless = provideZonelessChangeDetection();
`;

const main = `import { bootstrapApplication } from '@angular/platform-browser';
import { App, zoneless } from './app';
bootstrapApplication(App, { providers: [zoneless] }).catch((error) => console.error(error));
`;

const server = `import { bootstrapApplication, type BootstrapContext } from '@angular/platform-browser';
import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr';
import { App, zoneless } from './app';
const routes = [{ path: '**', renderMode: RenderMode.Prerender } as const];
export default (context: BootstrapContext) =>
  bootstrapApplication(App, { providers: [zoneless, provideServerRendering(withRoutes(routes))] }, context);
`;

const framework = [
  ...['common', 'compiler', 'compiler-cli', 'core', 'localize', 'platform-browser', 'platform-server'],
  'router',
];

export default {
  what: 'builds an application with Sass, two languages and prerendered pages; TypeScript in a worker, too',
  packages: {
    '@angular/build': '20.3.37',
    '@angular/cli': '20.3.37',
    '@angular/ssr': '20.3.37',
    ...Object.fromEntries(framework.map((name) => [`@angular/${name}`, '20.3.32'])),
    ...{ rxjs: '^7.8.0', tslib: '^2.8.0', typescript: '~5.9.0' },
  },
  files: {
    'angular.json': JSON.stringify(workspace),
    'tsconfig.json': JSON.stringify(tsconfig),
    'src/index.html': page,
    'src/styles.scss': "@use 'sass:color'; body { color: color.adjust(red, $lightness: 10%); }\n",
    'src/de.json': JSON.stringify({ locale: 'de', translations: { hello: 'Hallo' } }),
    'src/app.ts': app,
    'src/main.ts': main,
    'src/server.ts': server,
  },
  command: ['node_modules/@angular/cli/bin/ng.js', 'build'],
  env: { NG_BUILD_PARALLEL_TS: '1', NG_CLI_ANALYTICS: 'false' },
  produces: ['out'],
};
