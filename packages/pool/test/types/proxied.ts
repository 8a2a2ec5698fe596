import type { Pool, Proxied } from '@plimsoll/pool';

// Compiled, never run: each line that is wrong ends the build.

/** What a worker module may export. */
interface Api {
  resize(image: Uint8Array, width: number, height?: number): Uint8Array;
  hash(text: string): Promise<string>;
  first<Item>(items: readonly Item[]): Promise<Item | undefined>;
  firstNow<Item extends { id: number }>(items: readonly Item[]): Item;
  parse(text: string): object;
  parse(text: string, reviver: string): number;
  read(path: string): Promise<string>;
  read(path: string, raw: true): Promise<Uint8Array>;
  three(one: 1): 1;
  three(two: 2): Promise<2>;
  three(three: 3): 3;
  four(one: 1): 'one';
  four(two: 2): 'two';
  four(three: 3): 'three';
  four(four: 4): 'four';
  all(...numbers: number[]): number;
  none(): void;
  // biome-ignore lint/suspicious/noExplicitAny: fits into every signature that the compiler fills in
  anything(value: any): number;
  promised: Promise<(value: number) => string>;
  default: (task: { a: number; b: number }) => number;
  limit: number;
  then: (value: number) => number;
}

type Equal<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const is = <_Claim extends true>(): void => {};

declare const pool: Pool;
const api = pool.proxy<Api>();

export async function results(image: Uint8Array): Promise<void> {
  is<Equal<Awaited<ReturnType<typeof api.resize>>, Uint8Array>>();
  const thumbnail = await api.resize(image, 200);
  is<Equal<typeof thumbnail, Uint8Array>>();
  await api.resize(image, 200, 100);
  const text = await api.hash('a');
  is<Equal<typeof text, string>>();
  const none = await api.none();
  is<Equal<typeof none, void>>();
  const sum = await api.all(1, 2, 3);
  is<Equal<typeof sum, number>>();
  const anything = await api.anything(Symbol.iterator);
  is<Equal<typeof anything, number>>();
  const promised = await api.promised(1);
  is<Equal<typeof promised, string>>();
  const total = await api.default({ a: 1, b: 2 });
  is<Equal<typeof total, number>>();
}

export async function generics(): Promise<void> {
  const first = await api.first([1, 2]);
  is<Equal<typeof first, number | undefined>>();
  // A function that gives no promise has its constraint in place of the type parameter.
  const now = await api.firstNow([{ id: 1 }]);
  is<Equal<typeof now, { id: number }>>();
}

export async function overloads(): Promise<void> {
  const parsed = await api.parse('{}');
  is<Equal<typeof parsed, object>>();
  const revived = await api.parse('{}', 'reviver');
  is<Equal<typeof revived, number>>();
  const text = await api.read('a');
  is<Equal<typeof text, string>>();
  const raw = await api.read('a', true);
  is<Equal<typeof raw, Uint8Array>>();
  const [one, two, three] = [await api.three(1), await api.three(2), await api.three(3)];
  is<Equal<[typeof one, typeof two, typeof three], [1, 2, 3]>>();
  const [first, last] = [await api.four(1), await api.four(4)];
  is<Equal<[typeof first, typeof last], ['one', 'four']>>();
}

export function mistakes(image: Uint8Array): void {
  // @ts-expect-error one argument is missing
  void api.resize(image);
  // @ts-expect-error a string is no number
  void api.resize(image, '200');
  // @ts-expect-error one argument too many
  void api.hash('a', 'b');
  // @ts-expect-error no overload takes a number
  void api.parse(1);
  // @ts-expect-error no such function
  void api.reduce(image);
  // @ts-expect-error not a function
  void api.limit;
  // @ts-expect-error a proxy is no thenable
  void api.then;
  // @ts-expect-error a promise is no string
  const text: string = api.hash('a');
  void text;
  // @ts-expect-error a proxy calls by the name of its member
  pool.proxy({ name: 'resize' });
  // @ts-expect-error arguments are marked by move()
  pool.proxy({ transferList: [] });
}

/** The Pool has the type of its module, or none. */
export async function typedPools(typed: Pool<Api>): Promise<void> {
  const own = typed.proxy();
  is<Equal<typeof own, Proxied<Api>>>();
  const text = await typed.proxy({ timeout: 10 }).hash('a');
  is<Equal<typeof text, string>>();
  const unknown = await pool.proxy().whatever?.(1, 'a');
  is<Equal<typeof unknown, unknown>>();
  // An await of a proxy gives the proxy.
  const awaited = await api;
  is<Equal<typeof awaited, typeof api>>();
}
