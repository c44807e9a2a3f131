import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';

const GIVEN_ID = /^[\w.-]{1,64}$/;

/**
 * One JSON line per request: method, path, status, milliseconds, request id, address. Neither query nor headers: codes
 * and tokens travel there. A well-formed X-Request-Id is taken over.
 */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
    },
    serializers: { req: () => undefined, res: () => undefined, err: () => undefined },
    customAttributeKeys: { reqId: 'request_id', responseTime: 'ms' },
    customSuccessObject: line,
    customErrorObject: (request, response, _error, object: object) => line(request, response, object),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
  });
}

function line(
  request: IncomingMessage & { originalUrl?: string; ip?: string },
  response: ServerResponse,
  object: object,
): object {
  const path = (request.originalUrl ?? request.url ?? '').split('?')[0];
  return { ...object, method: request.method, path, status: response.statusCode, ip: request.ip };
}
