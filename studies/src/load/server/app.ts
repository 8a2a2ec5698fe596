import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { RequestMeter } from './request-meter.js';

/** Longer than the pauses of any traffic: a connection that the server closes meanwhile would count as a failed request. */
const KEEP_ALIVE_MS = 72_000;

/**
 * The sample server: `GET /test` starts a request's operations and answers at once (`?wait=1`: when they are done),
 * `GET /ping` does nothing else than answer. It does not listen yet.
 */
export function sampleApp(meter: RequestMeter): Server {
  return createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    // What a meter gives never rejects.
    void answer(request, response, meter);
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  meter: RequestMeter,
): Promise<void> {
  const { method, url = '/' } = request;
  const [path = '', query] = url.split('?', 2);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && path === '/test') {
    const done = meter.request();
    if (new URLSearchParams(query).get('wait') === '1') await done;
    send(response, 200, 'text/plain', 'ok');
  } else if (isRead && path === '/ping') {
    send(response, 200, 'text/plain', 'pong');
  } else {
    const message = `Route ${method}:${url} not found`;
    const body = JSON.stringify({ message, error: 'Not Found', statusCode: 404 });
    send(response, 404, 'application/json', body);
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
