/** A number with at most one digit behind the point: `1.9`, `2`. */
export const formatDecimal = (value: number): string => String(Number(value.toFixed(1)));

/** A number of things: `1 core`, `2.5 cores`. */
export const formatCount = (count: number, thing: string): string =>
  `${formatDecimal(count)} ${thing}${count === 1 ? '' : 's'}`;
