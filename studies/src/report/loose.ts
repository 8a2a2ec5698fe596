/** Parts of a document whose shape nobody promised. */
export const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const asNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export const asRecord = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

/** Empty for what is no list; what is no record in it is left out. */
export const asRecords = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(asRecord).filter((one) => one !== null) : [];
