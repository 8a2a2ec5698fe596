// A loader for webpack that runs those behind it on a pool of threads. What they need of webpack they call on its own thread.
const { Pool } = require('@plimsoll/pool');

const pools = new WeakMap();

/** One pool for each compiler, and as long as it. */
function poolOf(compiler, { workers = 2 }) {
  const existing = pools.get(compiler);
  if (existing !== undefined) return existing;
  const filename = require.resolve('./pool-loader-worker.cjs');
  // Loaders that wait for webpack let others of their worker go on.
  const pool = new Pool({ filename, minThreads: workers, maxThreads: workers, concurrentTasksPerWorker: 4 });
  pools.set(compiler, pool);
  compiler.hooks.shutdown.tapPromise('pool-loader', () => pool.close());
  return pool;
}

function addDependencies(context, { files, contexts, missing }) {
  for (const file of files) context.addDependency(file);
  for (const folder of contexts) context.addContextDependency(folder);
  for (const file of missing) context.addMissingDependency(file);
}

/** The functions of webpack that the loaders of one module may call. */
const hostOf = (context) => ({
  resolve: (options, folder, request) => context.getResolve(options)(folder, request),
  loadModule: (request) =>
    new Promise((resolve, reject) => {
      context.loadModule(request, (error, ...loaded) =>
        error ? reject(error) : resolve(loaded.slice(0, 2)),
      );
    }),
  importModule: (request, options) => context.importModule(request, options),
  emitWarning: (warning) => context.emitWarning(warning),
  emitError: (error) => context.emitError(error),
  addDependencies: (dependencies) => addDependencies(context, dependencies),
});

async function run(context) {
  const { loaders, loaderIndex, resource, mode, target, environment, sourceMap, rootContext, hot } = context;
  const task = {
    loaders: loaders
      .slice(loaderIndex + 1)
      .map(({ path, options, ident, type }) => ({ loader: path, options, ident, type })),
    resource,
    facts: { mode, target, environment, sourceMap, rootContext, hot },
  };
  const pool = poolOf(context._compiler, context.getOptions());
  const { result, cacheable, dependencies, logs } = await pool.run(task, { host: hostOf(context) });
  context.cacheable(cacheable);
  addDependencies(context, dependencies);
  for (const { name, lines } of logs) {
    const logger = context.getLogger(name);
    for (const [method, items] of lines) logger[method](...items);
  }
  const [content, ...rest] = result;
  return [ArrayBuffer.isView(content) ? Buffer.from(content) : content, ...rest];
}

exports.pitch = function pitch() {
  const callback = this.async();
  run(this).then((result) => callback(null, ...result), callback);
};
