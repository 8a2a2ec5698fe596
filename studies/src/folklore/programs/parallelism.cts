// Says how many CPUs Node takes to be its own.
import os = require('node:os');

process.stdout.write(JSON.stringify(os.availableParallelism()));
