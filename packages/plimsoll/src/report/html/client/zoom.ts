import { Plane } from './plane.js';
import { moved, type Window, zoomed } from './window.js';

const STEP = 1.5;
const MOVE = 0.2;

/** `<div data-timeline data-ms="…">`: its planes are zoomed and moved together, by keyboard, mouse, touch and buttons. */
export function timelines(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-timeline]')) new Timeline(element);
}

class Timeline {
  readonly #all: number;
  readonly #element: HTMLElement;
  readonly #planes: Plane[];
  /** Where each finger or the mouse is, by its id. */
  readonly #pointers = new Map<number, PointerEvent>();
  #window: Window;
  #frame = 0;

  constructor(element: HTMLElement) {
    this.#element = element;
    this.#all = Number(element.dataset.ms);
    this.#window = { from: 0, to: this.#all };
    this.#planes = [...element.querySelectorAll<SVGSVGElement>('[data-plane]')].map(
      (svg) => new Plane(svg, this.#all),
    );
    element.tabIndex = 0;
    element.role = 'group';
    element.ariaLabel = 'Timeline of jobs: plus and minus zoom, arrows move, 0 shows all';
    this.#addButtons();
    element.addEventListener('keydown', (event) => this.#key(event));
    for (const plane of this.#planes) this.#listen(plane.svg);
  }

  #addButtons(): void {
    const bar = document.createElement('p');
    bar.className = 'jobs-zoom';
    const actions: [text: string, label: string, key: string][] = [
      ['+', 'Zoom in', '+'],
      ['−', 'Zoom out', '-'],
      ['←', 'Earlier', 'ArrowLeft'],
      ['→', 'Later', 'ArrowRight'],
      ['All', 'Show all', '0'],
    ];
    for (const [text, label, key] of actions) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = text;
      button.title = label;
      button.ariaLabel = label;
      button.addEventListener('click', () => this.#act(key));
      bar.append(button);
    }
    const hint = document.createElement('span');
    hint.textContent = 'keys + − ← → 0, drag, pinch, or Ctrl and wheel';
    bar.append(hint);
    this.#element.prepend(bar);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#act(event.key)) event.preventDefault();
  }

  #act(key: string): boolean {
    const next = this.#windowAfter(key);
    if (next === null) return false;
    this.#show(next);
    return true;
  }

  #windowAfter(key: string): Window | null {
    if (key === '+' || key === '=') return zoomed(this.#window, STEP, 0.5, this.#all);
    if (key === '-') return zoomed(this.#window, 1 / STEP, 0.5, this.#all);
    if (key === 'ArrowLeft') return moved(this.#window, -MOVE, this.#all);
    if (key === 'ArrowRight') return moved(this.#window, MOVE, this.#all);
    return key === '0' ? { from: 0, to: this.#all } : null;
  }

  #listen(svg: SVGSVGElement): void {
    const placeOf = (x: number): number =>
      (x - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width;
    svg.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        this.#show(zoomed(this.#window, Math.exp(-event.deltaY / 300), placeOf(event.clientX), this.#all));
      },
      { passive: false },
    );
    svg.addEventListener('pointerdown', (event) => {
      this.#pointers.set(event.pointerId, event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener('pointermove', (event) => {
      const before = this.#pointers.get(event.pointerId);
      if (before === undefined) return;
      const others = [...this.#pointers.values()].filter(({ pointerId }) => pointerId !== event.pointerId);
      this.#pointers.set(event.pointerId, event);
      const [other] = others;
      if (other !== undefined) this.#pinch(before.clientX, event.clientX, other.clientX, placeOf);
      else this.#show(moved(this.#window, placeOf(before.clientX) - placeOf(event.clientX), this.#all));
    });
    for (const end of ['pointerup', 'pointercancel'] as const)
      svg.addEventListener(end, ({ pointerId }) => this.#pointers.delete(pointerId));
  }

  /** One finger went from a place to another while the other one stood. */
  #pinch(before: number, after: number, other: number, placeOf: (x: number) => number): void {
    const [least, was, is] = [8, Math.abs(before - other), Math.abs(after - other)];
    if (was < least || is < least) return;
    this.#show(zoomed(this.#window, is / was, placeOf(other), this.#all));
  }

  /** At once, without an animation; at most once for each frame of the screen. */
  #show(window: Window): void {
    this.#window = window;
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      for (const plane of this.#planes) plane.show(this.#window);
    });
  }
}
