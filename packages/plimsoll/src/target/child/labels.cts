/** So many routes of a thread have a name of their own; all others share one. */
const MOST_ROUTES = 200;
const OTHER = '(other)';
const LONGEST = 160;
const LONGEST_METHOD = 20;
/** Of a URL no more is looked at. */
const LOOKED_AT = 1000;
const REMEMBERED = 2000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a segment of a path looks like one of many: a number, a UUID, a hash, a token. */
function isId(segment: string): boolean {
  if (segment.length > 40) return true;
  if (!/\d/.test(segment)) return false;
  return (
    /^\d+$/.test(segment) ||
    UUID.test(segment) ||
    /^[0-9a-f]{8,}$/i.test(segment) ||
    /\d{5}/.test(segment) ||
    (segment.length >= 16 && /[a-z]/i.test(segment)) ||
    (segment.length >= 4 && segment.replace(/\D/g, '').length * 2 > segment.length)
  );
}

/** The path of a URL, with `:id` for what looks like one of many. */
function pathPattern(url: string): string {
  const all = url.slice(0, LOOKED_AT).replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  const path = all.replace(/[?#].*$/s, '');
  return path
    .split('/')
    .map((segment) => (isId(segment) ? ':id' : segment))
    .join('/');
}

/** Cut to a length, without halves of characters. */
const cut = (text: string, length: number): string =>
  (text.length <= length ? text : `${text.slice(0, length - 1)}…`).replace(/\p{Surrogate}/gu, '\uFFFD');

/** `GET /users/:id`. */
const label = (method: string, path: string): string =>
  cut(`${cut(method, LONGEST_METHOD)} ${path === '' ? '/' : path}`, LONGEST);

/** Numbers, from 1 on, for names of routes, of which there are at most 201; what a client sends cannot make more. */
class Routes {
  readonly #numbers = new Map<string, number>();
  /** By method, by URL as it was sent; emptied when it is full. To put the two together would cost more than to look both up. */
  readonly #remembered = new Map<string, Map<string, number>>();
  #count = 0;
  readonly #tell: (route: number, name: string) => void;

  /** @param tell called once for each route, before its number is given out. */
  constructor(tell: (route: number, name: string) => void) {
    this.#tell = tell;
  }

  /** Of a name that the program or its framework gave. */
  named(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const kept = cut(name, LONGEST);
    if (this.#numbers.size >= MOST_ROUTES && kept !== OTHER && !this.#numbers.has(kept))
      return this.named(OTHER);
    const again = this.#numbers.get(kept);
    if (again !== undefined) return again;
    const number = this.#numbers.size + 1;
    this.#tell(number, kept);
    this.#numbers.set(kept, number);
    return number;
  }

  /** Of a request without a pattern. */
  ofUrl(method: string, url: string): number {
    // Its URL is where the tunnel leads.
    if (method === 'CONNECT') return this.named(method);
    if (url.length > LOOKED_AT) return this.named(label(method, pathPattern(url)));
    const known = this.#remembered.get(method)?.get(url);
    if (known !== undefined) return known;
    if (this.#count >= REMEMBERED) this.#forget();
    const number = this.named(label(method, pathPattern(url)));
    const ofMethod = this.#remembered.get(method) ?? new Map<string, number>();
    this.#remembered.set(method, ofMethod.set(url, number));
    this.#count++;
    return number;
  }

  #forget(): void {
    this.#remembered.clear();
    this.#count = 0;
  }
}

export = { MOST_ROUTES, OTHER, LONGEST, label, pathPattern, Routes };
