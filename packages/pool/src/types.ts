/** The exports of a worker file that a task can call. */
type FunctionsOf<Module> = {
  [Name in keyof Module as Exported<Module[Name]> extends never ? never : Name]: Exported<Module[Name]>;
};

type Exported<Value> =
  Awaited<Value> extends (task: infer Task) => infer Result ? (task: Task) => Result : never;

/** The names that `run` accepts for a worker module. */
export type NameOf<Module> = Extract<keyof FunctionsOf<Module>, string>;

/** The argument of the named function. */
export type TaskOf<Module, Name> = Name extends keyof FunctionsOf<Module>
  ? Parameters<FunctionsOf<Module>[Name]>[0]
  : never;

/** The result of `run` for the named function. */
export type ResultOf<Module, Name> = Name extends keyof FunctionsOf<Module>
  ? Awaited<ReturnType<FunctionsOf<Module>[Name]>>
  : never;

/** The type of an iterable's items. */
export type ItemOf<Result> = unknown extends Result
  ? unknown
  : Result extends AsyncIterable<infer Item> | Iterable<infer Item>
    ? Awaited<Item>
    : never;

/** The names that `stream` accepts: functions that may return an iterable, or a promise of one. */
export type StreamNameOf<Module> = {
  [Name in NameOf<Module>]: unknown extends ResultOf<Module, Name>
    ? Name
    : Extract<ResultOf<Module, Name>, AsyncIterable<unknown> | Iterable<unknown>> extends never
      ? never
      : Name;
}[NameOf<Module>];

/** A module of unknown type: any name, any task; the caller must check the result. */
export type AnyModule = { [name: string]: (task: unknown) => unknown };

/**
 * The type of `pool.proxy()` for a worker module: its functions, each returning a promise. Other exports are left out,
 * and so is a function called `then`.
 *
 * A function that already returns a promise keeps its type, with type parameters and every overload. Of other
 * functions, TypeScript can take apart at most four overloads, and replaces type parameters by their constraint
 * (`unknown`).
 */
export type Proxied<Module> = string extends keyof Module
  ? { [name: string]: (...items: unknown[]) => Promise<unknown> }
  : { [Name in NamesOf<Module>]: Remote<Awaited<Module[Name]>> };

export type AnyHost = { [name: string]: (...items: unknown[]) => unknown };

/** Host functions as a task sees them: each returns a promise, or under `sync` the result itself. */
export type HostCalls<Api> = Proxied<Api> & {
  readonly sync: {
    [Name in keyof Api]: Api[Name] extends (...items: infer Items) => infer Result
      ? (...items: Items) => Awaited<Result>
      : never;
  };
};

type NamesOf<Module> = {
  [Name in keyof Module]: Name extends 'then'
    ? never
    : Awaited<Module[Name]> extends (...items: never) => unknown
      ? Name
      : never;
}[keyof Module];

/** Each of the last four signatures, returning a promise. */
type Remote<Function> = Missing & Function extends {
  (...items: infer A): infer P;
  (...items: infer B): infer Q;
  (...items: infer C): infer R;
  (...items: infer D): infer S;
}
  ? [P | Q | R | S] extends [PromiseLike<unknown>]
    ? Function
    : Late<A, P> & Late<B, Q> & Late<C, R> & Late<D, S>
  : never;

/** Fills up functions that have fewer than four signatures. */
interface Missing {
  (...items: never): Promise<unknown>;
  (...items: never): Promise<unknown>;
  (...items: never): Promise<unknown>;
}

type Late<Items extends unknown[], Result> = [Items] extends [never]
  ? unknown
  : (...items: Items) => Promise<Awaited<Result>>;
