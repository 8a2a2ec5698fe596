// As much of jest-worker's class as terser-webpack-plugin uses, on a pool of threads.
const { Pool } = require('@plimsoll/pool');

exports.Worker = class Worker {
  constructor(filename, { numWorkers }) {
    this.pool = new Pool({ filename, minThreads: numWorkers, maxThreads: numWorkers });
  }
  transform = (task) => this.pool.run(task, { name: 'transform' });
  getStdout() {}
  getStderr() {}
  end = () => this.pool.close();
};
