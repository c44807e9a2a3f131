import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Settings } from '../../config/settings.js';
import { MetricsToken } from './metrics-token.js';

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', metrics: 'text/plain; version=0.0.4; charset=utf-8' };

interface Answer {
  readonly status: number;
  readonly type: keyof typeof CONTENT_TYPES;
  readonly body: string;
}

const json = (status: number, content: unknown): Answer => ({ status, type: 'json', body: JSON.stringify(content) });

/** The server of METRICS_PORT: `GET /metrics`, with the token if there is one, and `GET /health/live`. */
export function createMetricsServer({ metricsToken }: Settings, read: () => Promise<string>): Server {
  const token = metricsToken === null ? null : new MetricsToken(metricsToken);
  const answerTo = async ({ method, url, headers }: IncomingMessage): Promise<Answer> => {
    const path = url?.split('?', 1)[0];
    if (method !== 'GET' && method !== 'HEAD') return json(405, { detail: 'Method Not Allowed' });
    if (path === '/health/live') return json(200, { status: 'ok' });
    if (path !== '/metrics') return json(404, { detail: 'Not Found' });
    if (token && !token.isIn(headers.authorization)) return json(401, { detail: 'Not authenticated' });
    return { status: 200, type: 'metrics', body: await read() };
  };
  return createServer((request, response) => {
    answerTo(request).then(
      (answer) => send(response, answer),
      () => send(response, json(503, { detail: 'Service Unavailable' })),
    );
  });
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'Content-Type': CONTENT_TYPES[type],
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
  });
  response.end(body);
}
