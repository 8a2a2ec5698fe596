/** The exports of a worker file that a task can call. */
type FunctionsOf<Module> = {
  [Name in keyof Module as Exported<Module[Name]> extends never ? never : Name]: Exported<Module[Name]>;
};

type Exported<Value> =
  Awaited<Value> extends (task: infer Task) => infer Result ? (task: Task) => Result : never;

/** Names that `run` takes for a worker module. */
export type NameOf<Module> = Extract<keyof FunctionsOf<Module>, string>;

/** What the function of that name takes. */
export type TaskOf<Module, Name> = Name extends keyof FunctionsOf<Module>
  ? Parameters<FunctionsOf<Module>[Name]>[0]
  : never;

/** What `run` gives for the function of that name. */
export type ResultOf<Module, Name> = Name extends keyof FunctionsOf<Module>
  ? Awaited<ReturnType<FunctionsOf<Module>[Name]>>
  : never;

/** What an iterable gives, item by item. */
export type ItemOf<Result> = unknown extends Result
  ? unknown
  : Result extends AsyncIterable<infer Item> | Iterable<infer Item>
    ? Awaited<Item>
    : never;

/** Names that `stream` takes: those of functions that may return an iterable, or a promise of one. */
export type StreamNameOf<Module> = {
  [Name in NameOf<Module>]: unknown extends ResultOf<Module, Name>
    ? Name
    : Extract<ResultOf<Module, Name>, AsyncIterable<unknown> | Iterable<unknown>> extends never
      ? never
      : Name;
}[NameOf<Module>];

/** The type of modules that are not known: every name, any task; what comes back is for the caller to judge. */
export type AnyModule = { [name: string]: (task: unknown) => unknown };

/**
 * What `pool.proxy()` makes of a worker module: its functions, each with a promise of what it gives. Other exports are left
 * out, and so is one called `then`.
 *
 * A function that gives a promise anyway keeps its type as it is, with type parameters and every overload. Of others,
 * TypeScript can only take apart up to four overloads, and puts the constraint (`unknown`) in the place of a type parameter.
 */
export type Proxied<Module> = string extends keyof Module
  ? { [name: string]: (...items: unknown[]) => Promise<unknown> }
  : { [Name in NamesOf<Module>]: Remote<Awaited<Module[Name]>> };

/** Any functions of a host. */
export type AnyHost = { [name: string]: (...items: unknown[]) => unknown };

/** The functions of a host as a task has them: each with a promise of what it gives, or by `sync` with that itself. */
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

/** Each of the last four signatures, with a promise of what it gives. */
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

/** Stands in front of a function, for the signatures that it has less than four. */
interface Missing {
  (...items: never): Promise<unknown>;
  (...items: never): Promise<unknown>;
  (...items: never): Promise<unknown>;
}

type Late<Items extends unknown[], Result> = [Items] extends [never]
  ? unknown
  : (...items: Items) => Promise<Awaited<Result>>;
