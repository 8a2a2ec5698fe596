// `scripts/bundle.mjs` generates this module.

/** `boot.ts` as the text of a script. */
export declare const BOOT: string;
/** `entry.ts` and its imports, as the text of a function. */
export declare const ENTRY: string;
