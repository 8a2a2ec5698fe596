export interface Load<Task, Result> {
  readonly run: (task: Task) => PromiseLike<unknown>;
  /** The next task of one of the lanes. */
  readonly make: (index: number, lane: number) => Task;
  /** Throws when the result is not the one that the task must have. */
  readonly check: (result: Result, index: number, lane: number) => void;
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly ms: number;
  /** The clock is read after so many tasks: 1 where a task takes long. */
  readonly clockEvery?: number | undefined;
}

export interface Sustained {
  readonly tasksPerSecond: number;
  /** CPU of the whole process, all its threads. */
  readonly cpuUsPerTask: number;
}

/** Reading the clock costs a tenth of a fast pool's task, so not every task does. */
const CLOCK_EVERY = 16;

/**
 * A closed loop: `inFlight` lanes, each of which awaits its task, checks the result and sends the next. The clock starts
 * when the warm-up is over, with every lane under way, and stops with every lane under way; after that the lanes run
 * dry, so that a promise that never settles shows.
 */
export async function sustain<Task, Result>(load: Load<Task, Result>): Promise<Sustained> {
  const { run, make, check, inFlight, warmUpMs, ms, clockEvery = CLOCK_EVERY } = load;
  let next = 0;
  let done = 0;
  let begun = 0;
  let cpuBegun = process.cpuUsage();
  let doneBefore = -1;
  let sustained: Sustained | null = null;
  const opened = performance.now();

  const readClock = (): void => {
    const now = performance.now();
    if (doneBefore < 0) {
      if (now - opened < warmUpMs) return;
      begun = now;
      doneBefore = done;
      cpuBegun = process.cpuUsage();
    } else if (sustained === null && now - begun >= ms) {
      const { user, system } = process.cpuUsage(cpuBegun);
      const tasks = done - doneBefore;
      sustained = { tasksPerSecond: (tasks * 1000) / (now - begun), cpuUsPerTask: (user + system) / tasks };
    }
  };

  const lane = async (_: unknown, number: number): Promise<void> => {
    while (sustained === null) {
      const index = next++;
      check((await run(make(index, number))) as Result, index, number);
      if (++done % clockEvery === 0) readClock();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return sustained as unknown as Sustained;
}
