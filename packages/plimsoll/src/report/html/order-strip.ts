interface Round {
  readonly size: number;
  readonly generation: number;
  readonly block: number;
  readonly group: number;
  readonly order: number;
  readonly disturbed: boolean;
}

const CELL = 8;
const MOST = 240;

/** The rounds in the order in which they ran: larger sizes are higher, disturbed ones have a mark under them. */
export function orderStrip(rounds: readonly Round[]): string {
  if (rounds.length < 2) return '';
  const inOrder = rounds
    .toSorted(
      (a, b) => a.generation - b.generation || a.group - b.group || a.block - b.block || a.order - b.order,
    )
    .slice(0, MOST);
  const sizes = [...new Set(rounds.map(({ size }) => size))].toSorted((a, b) => a - b);
  const step = 30 / sizes.length;
  const bars: [even: string, odd: string, disturbed: string] = ['', '', ''];
  for (const [index, { size, disturbed, generation }] of inOrder.entries()) {
    const height = Math.round(step * (sizes.indexOf(size) + 1));
    bars[generation % 2 === 0 ? 0 : 1] += `M${index * CELL} 30v-${height}h${CELL - 1}v${height}z`;
    if (disturbed) bars[2] += `M${index * CELL + 3} 35h1`;
  }
  const left = rounds.length - inOrder.length;
  const hit = inOrder.filter(({ disturbed }) => disturbed).length;
  return `<figure class="order"><figcaption>Order of the rounds: the height is the size (${sizes.join(', ')}), shades are generations${hit === 0 ? '' : ', a dot is a disturbed one'}${left > 0 ? `; the first ${MOST} of ${rounds.length}` : ''}</figcaption>
<div class="scroll" tabindex="0" role="group" aria-label="order of the rounds"><svg width="${inOrder.length * CELL}" height="40" role="img" aria-label="${inOrder.length} rounds, ${hit} disturbed"><path class="even" d="${bars[0]}"/><path class="odd" d="${bars[1]}"/><path class="disturbed" d="${bars[2]}"/></svg></div></figure>`;
}
