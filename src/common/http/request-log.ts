import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { logJson } from '../log/service-log.js';

const GIVEN_ID = /^[\w.-]{1,64}$/;

/** The id of a request whose client has sent none. */
export function newRequestId(): string {
  return randomUUID();
}

/**
 * Logs one JSON line per request: method, path, status, milliseconds, request id, address. Neither query nor headers,
 * because they contain codes and tokens. Uses the client's X-Request-Id if it is well-formed.
 * @returns a function to call with each request as soon as it has arrived; it returns the request id
 */
export function requestLog(logger: Logger): (request: Request, response: Response) => string {
  return (request: Request & { id?: string }, response: Response): string => {
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : newRequestId();
    const begun = performance.now();
    request.id = id;
    // Emitted once for every request, including those that the client aborted.
    response.once('close', () => {
      const { method, originalUrl, url, ip } = request;
      const { statusCode } = response;
      const path = (originalUrl ?? url).split('?', 1)[0]!; // requests that are answered first never reach Express
      const fields =
        `,"request_id":"${id}","ms":${Math.round(performance.now() - begun)},"method":"${method}"` +
        `,"path":${JSON.stringify(path)},"status":${statusCode}` +
        `${ip === undefined ? '' : `,"ip":${JSON.stringify(ip)}`},"msg":"request"`;
      logJson(logger, statusCode >= 500 ? 'error' : 'info', fields);
    });
    return id;
  };
}
