/** The version of this package: that of its package.json, without a file to read at every start. */
export const VERSION = '1.0.0-rc.0';
