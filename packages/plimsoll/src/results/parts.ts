import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';

export const text = z.string();
export const number = z.number().nonnegative();
export const count = z.int().nonnegative();
export const positive = z.int().positive();
export const ratio = z.number().positive();
export const chance = z.number().min(0).max(1);
export const size = z.int().min(1).max(LARGEST_POOL_SIZE);
export const intervalSchema = z.tuple([ratio, ratio]);
export const delaySchema = z.object({ p50: number, p99: number, max: number });

export const orNull = <Schema extends z.ZodType>(schema: Schema, about: string) =>
  schema.nullable().describe(about);

export const listOf = <Schema extends z.ZodType>(schema: Schema, about: string) =>
  z.array(schema).describe(about);

export const resultSchema = <Kind extends string, Shape extends z.ZodRawShape>(
  kind: Kind,
  command: string,
  shape: Shape,
) => z.object({ schema: z.literal('plimsoll/1'), kind: z.literal(kind), ...shape }).describe(command);
