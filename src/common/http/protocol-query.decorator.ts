import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { findHostileValue, withoutForbiddenNames } from '../validation/hostile-json.js';
import { InvalidInput } from '../validation/invalid-input.js';

/**
 * Injects the query of a request whose unknown parameters are ignored, whatever their names (RFC 6749 section 3.1). The
 * other parameters are checked as by `InputPipe`.
 */
export const ProtocolQuery = createParamDecorator((_: unknown, host: ExecutionContext): Record<string, unknown> => {
  const parameters = withoutForbiddenNames(host.switchToHttp().getRequest<Request>().query);
  const hostile = findHostileValue(parameters, ['query']);
  if (hostile) throw new InvalidInput([hostile]);
  return parameters;
});
