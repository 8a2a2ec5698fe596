import type { AnyModule, NameOf, Pool, ResultOf, RunOptions, TaskOf } from '@plimsoll/pool';

/**
 * The worker modules of the pools by their namespace, for the types of `runTask`. Extend it:
 *
 * @example
 * declare module '@plimsoll/fastify' {
 *   interface PoolModules {
 *     default: typeof import('./worker.js');
 *     images: typeof import('./images.js');
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: users merge their modules into it
export interface PoolModules {}

/** The module of a namespace; one that nobody declared takes any name and task and gives `unknown`. */
export type ModuleOf<Namespace> = Namespace extends keyof PoolModules ? PoolModules[Namespace] : AnyModule;

/** The pools that a context sees, its ancestors' included, by namespace. */
export type Pools = keyof PoolModules extends never
  ? Readonly<Record<string, Pool>>
  : { readonly [Namespace in keyof PoolModules]: Pool<PoolModules[Namespace]> };

/** Options of `runTask`: those of `pool.run()`, and which pool. */
export interface RunTaskOptions<Namespace, Name> extends Omit<RunOptions, 'name'> {
  /** The namespace of the pool. Default: 'default'. */
  readonly pool?: Namespace | undefined;
  /** The exported function, instead of the pool's. */
  readonly name?: Name | null | undefined;
}

/** Runs a task in a pool of this context; see `fastify.runTask` and `request.runTask`. */
export type RunTask = <
  Namespace extends string = 'default',
  Name extends NameOf<ModuleOf<Namespace>> = Extract<'default', NameOf<ModuleOf<Namespace>>>,
>(
  task: TaskOf<ModuleOf<Namespace>, Name>,
  options?: RunTaskOptions<Namespace, Name>,
) => Promise<ResultOf<ModuleOf<Namespace>, Name>>;

declare module 'fastify' {
  interface FastifyInstance {
    /** The pool that was registered without a namespace. */
    readonly pool: Pool<ModuleOf<'default'>>;
    /** Every pool that this context sees. */
    readonly pools: Pools;
    /** Runs a task to its end, whatever becomes of a request. Refusals carry the status 503 and Retry-After. */
    readonly runTask: RunTask;
  }
  interface FastifyContextConfig {
    /** `false`: this route is answered although the plugin's option `shed` refuses the others. */
    readonly shed?: boolean | undefined;
  }
  interface FastifyRequest {
    /**
     * As `fastify.runTask`, but the task ends with the request: when the client goes away, one that waits is taken back, and one
     * that runs is asked to end (`task.aborted` of `@plimsoll/pool/worker`). With a `timeout` or a `signal`, or a `grace` of its
     * own, its worker is ended after that `grace` (0 ms).
     */
    readonly runTask: RunTask;
  }
}
