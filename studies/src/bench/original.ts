/** Mean of the original suite on 12 cores, Linux, Node 22.19, in milliseconds by pool size. */
export const ORIGINAL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  crypto: { 4: 1903.74, 8: 1493.63, 12: 1541.72 },
  zlib: { 4: 173.56, 8: 141.99, 12: 136.05 },
  dns: { 4: 409.35, 8: 174.21, 12: 156.59 },
  file: { 4: 215.15, 8: 236.69, 12: 241.96 },
};

/** What the original compares with. */
export const ORIGINAL_BASELINE = 4;
