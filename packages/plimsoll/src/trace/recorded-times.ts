import type { ProcessLog } from './process-log.js';

/** Times in which the jobs of a process were recorded. Microseconds of process.hrtime. */
export interface RecordedTimes {
  /** Not all of its time: see child/sampling.cts. */
  readonly isPart: boolean;
  /** Whether all of a time was recorded, in every thread. */
  covers(from: number, to: number): boolean;
}

/** Threads have the same times, as far as their event loops are not busy: what counts is when all of them were recorded. */
export function recordedTimes({ recording }: Pick<ProcessLog, 'recording'>): RecordedTimes {
  const pauses = [...new Set(recording.map(({ thread }) => thread))].flatMap((thread) =>
    pausesOf(recording.filter((line) => line.thread === thread)),
  );
  return {
    isPart: pauses.length > 0,
    covers: (from, to) => pauses.every((pause) => to <= pause.from || from >= pause.to),
  };
}

function pausesOf(lines: ProcessLog['recording']): { from: number; to: number }[] {
  const pauses: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const { at, isOn } of lines.toSorted((a, b) => a.at - b.at)) {
    if (!isOn) from ??= at;
    else if (from !== null) {
      pauses.push({ from, to: at });
      from = null;
    }
  }
  return from === null ? pauses : [...pauses, { from, to: Number.POSITIVE_INFINITY }];
}
