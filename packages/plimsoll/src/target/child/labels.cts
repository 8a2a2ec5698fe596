/** A thread has at most this many named routes; further routes share one name. */
const MOST_ROUTES = 200;
const OTHER = '(other)';
const LONGEST = 160;
const LONGEST_METHOD = 20;
/** The rest of a longer URL is ignored. */
const LONGEST_URL = 1000;
const REMEMBERED = 2000;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a segment of a path looks like a number, a UUID, a hash or a token. */
function isId(segment: string): boolean {
  if (segment.length > 40) return true;
  if (!/\d/.test(segment)) return false;
  return (
    UUID.test(segment) ||
    /^\d+$|^[0-9a-f]{8,}$|\d{5}/i.test(segment) ||
    (segment.length >= 16 && /[a-z]/i.test(segment)) ||
    (segment.length >= 4 && segment.replace(/\D/g, '').length * 2 > segment.length)
  );
}

/** The path of a URL, with `:id` for segments that look like ids. */
function pathPattern(url: string): string {
  const path = url
    .slice(0, LONGEST_URL)
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '');
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

/** Numbers, from 1 on, for at most 201 names of routes; requests cannot create more. */
class Routes {
  readonly #numbers = new Map<string, number>();
  /** By method, then by URL as it was sent; emptied when full. One lookup by a joined key would cost more. */
  readonly #remembered = new Map<string, Map<string, number>>();
  #count = 0;
  readonly #announce: (route: number, name: string) => void;

  /** @param announce called once for each route, before its number is used. */
  constructor(announce: (route: number, name: string) => void) {
    this.#announce = announce;
  }

  /** The number of a route that the program or its framework named. */
  named(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const short = cut(name, LONGEST);
    const shortKnown = this.#numbers.get(short);
    if (shortKnown !== undefined) return shortKnown;
    if (this.#numbers.size >= MOST_ROUTES && short !== OTHER) return this.named(OTHER);
    const number = this.#numbers.size + 1;
    this.#announce(number, short);
    this.#numbers.set(short, number);
    return number;
  }

  /** The number for a request whose route has no name. */
  ofUrl(method: string, url: string): number {
    // The URL of a tunnel is its destination.
    if (method === 'CONNECT') return this.named(method);
    if (url.length > LONGEST_URL) return this.named(label(method, pathPattern(url)));
    const known = this.#remembered.get(method)?.get(url);
    if (known !== undefined) return known;
    if (this.#count++ >= REMEMBERED) {
      this.#remembered.clear();
      this.#count = 1;
    }
    const number = this.named(label(method, pathPattern(url)));
    const ofMethod = this.#remembered.get(method) ?? new Map<string, number>();
    this.#remembered.set(method, ofMethod.set(url, number));
    return number;
  }
}

export = { MOST_ROUTES, OTHER, LONGEST, label, pathPattern, Routes };
