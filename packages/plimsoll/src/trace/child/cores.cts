import fs = require('node:fs');

/** What the cores that this process may use did since the machine was started, all together, in milliseconds. */
interface CoresUse {
  readonly busyMs: number;
  /** The hypervisor had given them to other machines. */
  readonly stolenMs: number;
}

/** The kernel tells hundredths of a second, whatever its own clock (proc(5): USER_HZ). */
const MS_PER_TICK = 10;

const allowed = (): ReadonlySet<number> => {
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
  return new Set(
    list.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    }),
  );
};

/** Read it; `null` where the kernel does not tell. */
function use(): CoresUse | null {
  try {
    const mine = allowed();
    let busy = 0;
    let stolen = 0;
    for (const [, core, text = ''] of fs.readFileSync('/proc/stat', 'latin1').matchAll(/^cpu(\d+) (.*)$/gm)) {
      if (!mine.has(Number(core))) continue;
      const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = text
        .split(' ')
        .map(Number);
      busy += user + nice + system + irq + softirq;
      stolen += steal;
    }
    return { busyMs: busy * MS_PER_TICK, stolenMs: stolen * MS_PER_TICK };
  } catch {
    return null;
  }
}

export = { use };
