/** One command, and the experiments of the article that it draws: number, title, and what the article found. */
export interface Pictures {
  readonly args: readonly string[];
  readonly experiments: readonly (readonly [number: string, title: string, original: string])[];
}

/** Every command once, so that its pictures share one axis, with the experiments that it draws. */
export const EXPERIMENTS: readonly Pictures[] = [
  {
    args: ['pbkdf2-sync', '--requests', '2'],
    experiments: [
      ['1.1', 'pbkdf2Sync with two requests', 'One after the other, 91 and 87 ms: 179 ms in all.'],
    ],
  },
  {
    args: ['pbkdf2', '--requests', '2,4,6'],
    experiments: [
      ['1.2', 'pbkdf2 with two requests', 'Both at once, 102 ms in all.'],
      ['1.3', 'pbkdf2 with four requests', 'All at once, but each took twice as long, on a dual-core CPU.'],
      [
        '1.4',
        'pbkdf2 with six requests',
        'Four as before; the last two seemed to start when those were done.',
      ],
    ],
  },
  {
    args: ['pbkdf2', '--requests', '6', '--size', '6'],
    experiments: [
      [
        '1.5',
        'pbkdf2 with six requests and six pool threads',
        'All at once, each about three times as long as alone.',
      ],
    ],
  },
  {
    args: ['http', '--requests', '2,4,6'],
    experiments: [
      ['2.1', 'http.request with two requests', 'Both at once, 112 ms.'],
      ['2.2', 'http.request with four requests', 'All at once; each as fast as before.'],
      ['2.3', 'http.request with six requests', 'The same again: nothing to do with the pool.'],
    ],
  },
];
