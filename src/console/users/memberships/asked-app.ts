import { applyDecorators, createParamDecorator, type ExecutionContext, Get } from '@nestjs/common';
import type { Request } from 'express';
import { ConsolePage } from '../../frame/pages/console-page.js';

/** Which app a page of a user is about, as the browser sent it. */
export interface AskedApp {
  /** An id, `?app=`. */
  readonly wanted: unknown;
  /** What was typed to search for one, `?app_q=`. */
  readonly typed: unknown;
}

/** A page about a user and one app that the operator chooses. */
export const UserAppPage = (path = '') => applyDecorators(Get(path), ConsolePage('app_admin'));

/** Hands over the {@link AskedApp} of a page. */
export const CurrentAskedApp = createParamDecorator((_: unknown, host: ExecutionContext): AskedApp => {
  const { app, app_q } = host.switchToHttp().getRequest<Request>().query;
  return { wanted: app, typed: app_q };
});
