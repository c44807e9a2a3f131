import { applyDecorators, createParamDecorator, type ExecutionContext, Get } from '@nestjs/common';
import type { Request } from 'express';
import { ConsolePage } from '../../frame/pages/console-page.js';

/** The app in the query of a user's page. */
export interface AppParameters {
  /** Id, in `?app=`. */
  readonly wanted: unknown;
  /** Text of the search for an app, in `?app_q=`. */
  readonly typed: unknown;
}

/** A page about a user and an app that the operator chooses. */
export const UserAppPage = (path = '') => applyDecorators(Get(path), ConsolePage('app_admin'));

/** Injects the {@link AppParameters} of a page. */
export const CurrentAppParameters = createParamDecorator((_: unknown, host: ExecutionContext): AppParameters => {
  const { app, app_q } = host.switchToHttp().getRequest<Request>().query;
  return { wanted: app, typed: app_q };
});
