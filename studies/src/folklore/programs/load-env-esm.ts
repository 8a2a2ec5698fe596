// Loads a .env file in the first line of an ES module.
import { access } from 'node:fs';

process.loadEnvFile(process.argv[2]);
access('.', () => {});
