/** Every error of the plugin itself, with its stable code. What the pool raises keeps the pool's codes. */
const TABLE = {
  PLIMSOLL_FASTIFY_BAD_OPTION: 'an option of the plugin has a wrong type or value',
  PLIMSOLL_FASTIFY_POOL_EXISTS: 'this context has a pool of that namespace already',
  PLIMSOLL_FASTIFY_NO_POOL: 'no pool of that namespace can be seen from this context',
  PLIMSOLL_FASTIFY_POOL_SATURATED: "a request was refused, because jobs wait too long for libuv's pool",
} as const;

export type FastifyErrorCode = keyof typeof TABLE;

const shown = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

function coded<Failure extends Error>(error: Failure, code: FastifyErrorCode): Failure {
  return Object.assign(error, { code });
}

/** An option of the plugin that is wrong. */
export const badOption = (name: string, value: unknown, right: string): TypeError =>
  coded(
    new TypeError(`options.${name} must be ${right}, not ${shown(value)}`),
    'PLIMSOLL_FASTIFY_BAD_OPTION',
  );

export const poolExists = (namespace: string): Error =>
  coded(
    new Error(
      `This context already has a pool '${namespace}': give the second pool another namespace, or register it in a child context`,
    ),
    'PLIMSOLL_FASTIFY_POOL_EXISTS',
  );

export const noPool = (namespace: unknown, known: readonly string[]): Error =>
  coded(
    new Error(
      `There is no pool ${shown(namespace)} in this context; it has ${known.map(shown).join(', ') || 'no pool'}`,
    ),
    'PLIMSOLL_FASTIFY_NO_POOL',
  );

/** The answer to a request that is refused; Fastify takes the status and the headers from it. */
export const poolSaturated = (poolWaitMs: number, retryAfter: number | undefined): Error =>
  Object.assign(
    coded(
      new Error(`Jobs wait longer than ${poolWaitMs} ms for a thread of libuv's pool`),
      'PLIMSOLL_FASTIFY_POOL_SATURATED',
    ),
    {
      statusCode: 503,
      ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
    },
  );
