import pc from 'picocolors';

export interface Style {
  readonly width: number;
  readonly color: ReturnType<typeof pc.createColors>;
}

const DEFAULT_WIDTH = 80;

/**
 * The style of a stream: colour on terminals unless NO_COLOR says otherwise, 80 columns where there are none.
 *
 * @example
 * console.log(reportText(result, terminalStyle(process.stdout)));
 */
export function terminalStyle(stream: { isTTY?: boolean; columns?: number }): Style {
  const wanted = process.env.FORCE_COLOR !== undefined && process.env.FORCE_COLOR !== '0';
  const refused = (process.env.NO_COLOR ?? '') !== '' || process.env.TERM === 'dumb';
  return {
    width: stream.columns || DEFAULT_WIDTH,
    color: pc.createColors(wanted || (stream.isTTY === true && !refused)),
  };
}

/**
 * A style without colour.
 *
 * @param width in columns
 * @example
 * const text = reportText(result, plainStyle(100));
 */
export const plainStyle = (width = DEFAULT_WIDTH): Style => ({ width, color: pc.createColors(false) });
