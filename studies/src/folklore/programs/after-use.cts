// Sets the size when the pool has been used once, and then gives it more to do than the old size can hold.
import fs = require('node:fs');

fs.access('.', () => {
  process.env.UV_THREADPOOL_SIZE = '9';
  for (let job = 0; job < 20; job++) fs.access('.', () => {});
});
