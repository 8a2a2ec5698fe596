/**
 * A sentence that somebody wrote about one result. It is shown beside that result only: another measurement may contradict
 * it.
 */
export interface Note {
  /** When the result was measured: its `startedAt`. */
  readonly of: string;
  /** When it was written, as a date. */
  readonly written: string;
  /** What it speaks of: a workload, say. */
  readonly about: string;
  /** Markdown. */
  readonly text: string;
}

/** A section of the notes that speak of this very result and of what is shown of it; empty when there are none. */
export function notesMarkdown(
  notes: readonly Note[],
  startedAt: string,
  isShown: (about: string) => boolean = () => true,
): string[] {
  const own = notes.filter(({ of, about }) => of === startedAt && isShown(about));
  if (own.length === 0) return [];
  return [
    '## Notes on this measurement',
    '',
    `Written by hand about the runs of ${startedAt.slice(0, 10)}; a new measurement leaves them behind.`,
    '',
    ...own.map(({ written, about, text }) => `- ${about} (${written}): ${text}`),
    '',
  ];
}
