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

/** The type of modules that are not known: every name, any task; what comes back is for the caller to judge. */
export type AnyModule = { [name: string]: (task: unknown) => unknown };
