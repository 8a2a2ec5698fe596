// `scripts/bundle.mjs` writes the module.

/** `boot.ts` as the text of a script. */
export declare const BOOT: string;
/** `entry.ts` with all that it imports, as the text of a function. */
export declare const ENTRY: string;
