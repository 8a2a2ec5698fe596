/** `entry.ts` with all that it imports, as the text of a script; `scripts/bundle.mjs` writes the module. */
export declare const SOURCE: string;
