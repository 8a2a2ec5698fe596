class ConfigError extends Error {
  name = 'ConfigError';
  code = 'BAD_CONFIG';
  file = 'app.json';
}

export function parse(text) {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError('not JSON', { cause });
  }
}

export const quit = (code) => process.exit(code);
