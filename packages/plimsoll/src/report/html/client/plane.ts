import { ticksOf } from '../jobs/axis.js';
import type { Window } from './window.js';

const SVG = 'http://www.w3.org/2000/svg';

interface Bar {
  readonly element: SVGRectElement;
  readonly fromMs: number;
  readonly widthMs: number;
}

/** One drawing of a timeline. Its bars stand at percentages of its width; showing a part of it computes them anew. */
export class Plane {
  readonly svg: SVGSVGElement;
  readonly #axis: SVGGElement | null;
  readonly #bars: Bar[];

  /** @param all milliseconds that the drawing shows when it is whole. */
  constructor(svg: SVGSVGElement, all: number) {
    const msOf = (element: Element, name: string): number =>
      (Number.parseFloat(element.getAttribute(name) ?? '0') / 100) * all;
    this.svg = svg;
    this.#axis = svg.querySelector('[data-axis]');
    this.#bars = [...svg.querySelectorAll<SVGRectElement>('rect:not([data-fixed])')].map((element) => ({
      element,
      fromMs: msOf(element, 'x'),
      widthMs: msOf(element, 'width'),
    }));
  }

  show({ from, to }: Window): void {
    const percent = (ms: number): string => `${(100 * ms) / (to - from)}%`;
    for (const { element, fromMs, widthMs } of this.#bars) {
      element.setAttribute('x', percent(fromMs - from));
      element.setAttribute('width', percent(widthMs));
    }
    this.#showAxis(from, to);
  }

  #showAxis(from: number, to: number): void {
    const bottom = this.#axis?.querySelector('line')?.getAttribute('y2');
    if (this.#axis === null || bottom == null) return;
    const ticks = ticksOf(from, to).flatMap(({ x, label, anchor }) => {
      const y = String(Number(bottom) + 14);
      const text = created('text', { x, y, 'text-anchor': anchor });
      text.textContent = label;
      return [created('line', { x1: x, x2: x, y2: bottom }), text];
    });
    this.#axis.replaceChildren(...ticks);
  }
}

function created(name: string, attributes: Readonly<Record<string, string>>): Element {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}
