// Runs the loaders of one module in a worker of pool-loader.cjs.
const { readFile } = require('node:fs');
const { host } = require('@plimsoll/pool/worker');
const { runLoaders } = require('loader-runner');
const { validate } = require('schema-utils');

/** With a callback or with a promise, as loaders may choose. */
function either(promise, callback) {
  if (callback === undefined) return promise;
  promise.then((value) => callback(null, value), callback);
}

/** What a loader logs goes back with its result. */
function loggerOf(name, logs) {
  const lines = [];
  logs.push({ name, lines });
  return new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...items) =>
          lines.push([method, items]),
    },
  );
}

/** As much of webpack's context of loaders as those of the study need. */
const contextOf = (facts, logs) => ({
  ...facts,
  version: 2,
  webpack: true,
  getOptions(schema) {
    const options = this.loaders[this.loaderIndex].options ?? {};
    if (schema) validate(schema, options, { name: 'Loader', baseDataPath: 'options' });
    return options;
  },
  resolve: (folder, request, callback) => either(host.resolve(undefined, folder, request), callback),
  getResolve: (options) => (folder, request, callback) =>
    either(host.resolve(options, folder, request), callback),
  loadModule: (request, callback) =>
    host.loadModule(request).then((loaded) => callback(null, ...loaded), callback),
  importModule: (request, options, callback) => either(host.importModule(request, options), callback),
  emitWarning: (warning) => void host.emitWarning(warning),
  emitError: (error) => void host.emitError(error),
  getLogger: (name) => loggerOf(name, logs),
});

module.exports = ({ loaders, resource, facts }) =>
  new Promise((resolve, reject) => {
    const logs = [];
    const context = contextOf(facts, logs);
    runLoaders({ loaders, resource, context, readResource: readFile }, (error, outcome) => {
      const { result, cacheable, fileDependencies, contextDependencies, missingDependencies } = outcome;
      const dependencies = {
        files: fileDependencies,
        contexts: contextDependencies,
        missing: missingDependencies,
      };
      // A module that fails is built anew when one of these changes.
      if (error) host.addDependencies(dependencies).then(() => reject(error), reject);
      else resolve({ result, cacheable, dependencies, logs });
    });
  });
