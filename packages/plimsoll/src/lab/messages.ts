/** One line of the guardian's standard input. */
export type GuardianOrder =
  | { do: 'watch'; pid: number; startTime: number | null }
  | { do: 'forget'; pid: number }
  | { do: 'keep-clean'; directory: string };
