import { tried } from '../shared/untrusted.js';
import { type Attempt, realPath, requireFrom, type WorkerFile } from './worker-file.js';

/** How `require` loads files, by their extensions. Hooks put in functions of their own. */
type Extensions = Record<string, ((module: NodeJS.Module, filename: string) => void) | undefined>;

type Compile = (this: NodeJS.Module, text: string, filename: string, ...rest: unknown[]) => unknown;

/** The parts of `node:module` that hooks have used since they exist, and that its types leave out. */
interface ModuleClass {
  /** Not in every runtime. */
  readonly _extensions?: Extensions;
  readonly prototype: { _compile: Compile };
}

const moduleClass = (): ModuleClass => process.getBuiltinModule('node:module') as unknown as ModuleClass;

/** Names that Node's own functions use and others cannot: they are internal to Node. */
const INTERNAL = /\b(StringPrototypeEndsWith|loadSource|getOptionValue)\(/;

/** Has anybody changed how `require` loads files of that extension? */
export function isHooked(extension: string): boolean {
  const extensions = moduleClass()._extensions;
  const load = extensions?.[extension] ?? extensions?.['.js'];
  return load !== undefined && !INTERNAL.test(Function.prototype.toString.call(load));
}

/** Node would run a file that has thrown again at the next call. An ES module it would not. */
const failures = new Map<string, Attempt>();

/** Requires a file. It has not run when a hook gave no text back to Node to be compiled, nor when Node refused that text. */
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
    // The file may have put in a hook of its own, over this one.
    if (prototype._compile === watched) prototype._compile = compile;
  }
}

/** A text without types is CommonJS, or Node tries it as an ES module. Types Node strips itself, after this. */
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
