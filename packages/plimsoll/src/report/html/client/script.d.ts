/** The script of the page, minified; scripts/bundle.mjs writes the module. */
export declare const SCRIPT: string;
