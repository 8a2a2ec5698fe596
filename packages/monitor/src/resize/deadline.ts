import { LONGEST_MS } from '../options.js';

/** Milliseconds of the monotonic clock that all threads share. */
export function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Whether it resolves until that time of `clock`. */
export async function isInTime(work: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    const look = (): void => {
      const left = deadline - clock();
      if (left <= 0) resolve(false);
      else timer = setTimeout(look, Math.min(left, LONGEST_MS));
    };
    look();
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
