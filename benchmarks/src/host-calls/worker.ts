import { hostCalls } from '@plimsoll/pool/worker';

const host = hostCalls<{ answer(): number }>();

export const empty = (): void => {};

export function blocking(count: number): void {
  for (let call = 0; call < count; call++) host.sync.answer();
}

export async function awaited(count: number): Promise<void> {
  for (let call = 0; call < count; call++) await host.answer();
}
