/** The text of `entry.ts` with its imports; `scripts/bundle.mjs` writes this module. */
export declare const SOURCE: string;
