import type CallLog = require('./log.cjs');
import type Watch = require('./hooks.cjs');
import types = require('./types.cjs');

type Binding = Record<string, unknown>;

/**
 * Name the jobs of fs by the function of Node's binding that submits them: their resources have no names; the trace
 * events that have would be a second report of every job.
 *
 * @returns whether it could be done; with `--permission` Node does not let us.
 */
function nameFsJobs(log: CallLog, { nameless }: Watch): boolean {
  const binding = bindingOf('fs');
  if (binding === null) return false;
  for (const [name, told] of Object.entries(types.FS_CALLS)) {
    const original = binding[name];
    if (typeof original !== 'function') continue;
    const code = log.code(told);
    binding[name] = function (this: unknown, ...args: unknown[]): unknown {
      const { count } = nameless;
      const result: unknown = Reflect.apply(original, this, args);
      const { resource } = nameless;
      if (resource !== null && (nameless.count !== count || args.includes(resource))) {
        nameless.resource = null;
        log.nameJob(nameless.job, code);
      }
      return result;
    };
  }
  return true;
}

function bindingOf(name: string): Binding | null {
  const { noDeprecation } = process as { noDeprecation?: boolean };
  // Its deprecation is said to nobody: the program did not ask for it.
  Object.assign(process, { noDeprecation: true });
  try {
    return (process as unknown as { binding(name: string): Binding }).binding(name);
  } catch {
    return null;
  } finally {
    if (noDeprecation === undefined) Reflect.deleteProperty(process, 'noDeprecation');
    else Object.assign(process, { noDeprecation });
  }
}

export = nameFsJobs;
