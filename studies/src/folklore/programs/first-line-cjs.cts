// Sets the size in the first line of a CommonJS program.
process.env.UV_THREADPOOL_SIZE = '9';
require('node:fs').access('.', () => {});
