import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running HTTP server on a free loopback port. */
export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, no trailing slash. */
  readonly url: string;
  /** Stops listening and drops open connections, hung ones included. */
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>;

/**
 * Serves `handler` on 127.0.0.1, port 0. The handler gets the whole body; what it throws becomes a 500 whose text
 * says so, and is kept in `failures`, because a client would hide it.
 */
export async function serve(handler: Handler): Promise<Listening & { readonly failures: readonly unknown[] }> {
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      try {
        await handler(request, response, Buffer.concat(chunks));
      } catch (error) {
        failures.push(error);
        if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
        response.end(`fake failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    });
  });
  const port = await listen(server);
  return { port, url: `http://127.0.0.1:${port}`, failures, close: () => close(server) };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
