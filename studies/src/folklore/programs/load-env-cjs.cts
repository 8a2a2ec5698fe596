// Loads a .env file in the first line of a CommonJS program.
process.loadEnvFile(process.argv[2]);
require('node:fs').access('.', () => {});
