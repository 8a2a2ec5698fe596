/** The version in package.json, copied here so that no start reads that file. */
export const VERSION = '1.0.0-rc.0';
