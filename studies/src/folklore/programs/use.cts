// Uses the pool once, by a call that no version of libuv gives to io_uring.
import fs = require('node:fs');

fs.access('.', () => {});
