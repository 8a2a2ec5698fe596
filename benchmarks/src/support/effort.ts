/** `smoke` only proves that everything runs; its figures mean nothing. */
export type Effort = 'full' | 'quick' | 'smoke';

export const EFFORTS: readonly Effort[] = ['full', 'quick', 'smoke'];
