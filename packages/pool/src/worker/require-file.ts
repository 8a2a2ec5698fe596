import { tried } from '../shared/untrusted.js';
import { type Attempt, realPath, requireFrom, type WorkerFile } from './worker-file.js';

/** The loaders of `require`, by extension. Hooks replace them. */
type Extensions = Record<string, ((module: NodeJS.Module, filename: string) => void) | undefined>;

type Compile = (this: NodeJS.Module, text: string, filename: string, ...rest: unknown[]) => unknown;

interface ModuleClass {
  readonly _extensions?: Extensions;
  readonly prototype: { _compile: Compile };
}

const moduleClass = (): ModuleClass => process.getBuiltinModule('node:module') as unknown as ModuleClass;

/** Internal names of Node, which only Node's own loaders can use. */
const INTERNAL = /\b(StringPrototypeEndsWith|loadSource|getOptionValue)\(/;

/** Has a hook replaced the loader of `require` for this extension? */
export function isHooked(extension: string): boolean {
  const extensions = moduleClass()._extensions;
  const load = extensions?.[extension] ?? extensions?.['.js'];
  return load !== undefined && !INTERNAL.test(Function.prototype.toString.call(load));
}

/** By path. At the next `require`, Node would run a failed CommonJS file again. */
const failures = new Map<string, Attempt>();

/** The file has not run if no hook gave its text to Node to compile, or if Node refused the text. */
export function requireFile({ path }: WorkerFile): Attempt {
  const failure = failures.get(path);
  if (failure !== undefined) return failure;
  const { prototype } = moduleClass();
  const compile = prototype._compile;
  const compiled = new Map<string, { text: string; format: unknown }>();
  let isDone = false;
  const watched: Compile = function (text, filename, ...rest) {
    if (!isDone) compiled.set(filename, { text, format: rest[0] });
    return compile.call(this, text, filename, ...rest);
  };
  prototype._compile = watched;
  try {
    return { exports: requireFrom(path)(path) as unknown };
  } catch (error) {
    const { text, format } = compiled.get(realPath(path)) ?? compiled.get(path) ?? {};
    const hasRun = text !== undefined && mayHaveRun(text, format, error);
    const attempt = { error, hasRun: () => hasRun };
    if (hasRun) failures.set(path, attempt);
    return attempt;
  } finally {
    isDone = true;
    // The file may have installed a hook on top of this one.
    if (prototype._compile === watched) prototype._compile = compile;
  }
}

/** Typed text may have run: Node strips types after `_compile`. Other text is CommonJS, or Node tries it as an ES module. */
function mayHaveRun(text: string, format: unknown, error: unknown): boolean {
  if ((typeof format === 'string' && format.endsWith('typescript')) || isCommonJs(text)) return true;
  const { code } = Object(error) as { code?: unknown };
  const isRefusal = code === 'ERR_REQUIRE_ASYNC_MODULE' || code === 'ERR_REQUIRE_ESM';
  return !isRefusal && !(error instanceof SyntaxError);
}

function isCommonJs(text: string): boolean {
  const { compileFunction } = process.getBuiltinModule('node:vm');
  const names = ['exports', 'require', 'module', '__filename', '__dirname'];
  return tried(() => compileFunction(text, names) !== undefined, false);
}
