/** `boot.ts` and `entry.ts` as the text of a script; `scripts/bundle.mjs` writes the module. */
export declare const SOURCE: string;
