// A module as many are: it reads a file when it is loaded.
import { readFile } from 'node:fs/promises';

export const settings: string = await readFile(new URL(import.meta.url), 'utf8');
