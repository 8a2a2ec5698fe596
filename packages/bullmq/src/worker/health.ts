import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { prometheusContentType } from '@plimsoll/pool/observe';

/** What a worker process says of itself at `/health`. */
export interface Health {
  /** Only 'ok' is answered by 200, everything else by 503. */
  readonly status: 'starting' | 'ok' | 'offline' | 'refused' | 'closing';
  readonly queue: string;
  readonly threads: number;
  /** Jobs that run here. */
  readonly running: number;
  /** Jobs that have ended here, well or not. */
  readonly ended: number;
}

/** Serves `/health` and `/metrics`. @throws (rejects) the system's error when the port is taken */
export class HealthServer {
  readonly #server: Server;

  constructor(health: () => Health, metrics: () => string) {
    this.#server = createServer((request, response) => {
      if (request.url === '/health') {
        const body = health();
        response.writeHead(body.status === 'ok' ? 200 : 503, { 'content-type': 'application/json' });
        response.end(`${JSON.stringify(body)}\n`);
      } else if (request.url === '/metrics') {
        response.writeHead(200, { 'content-type': prometheusContentType }).end(metrics());
      } else {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('/health and /metrics are here\n');
      }
    });
  }

  get port(): number | undefined {
    return (this.#server.address() as AddressInfo | null)?.port;
  }

  listen(port: number, host: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(port, host, resolve);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
