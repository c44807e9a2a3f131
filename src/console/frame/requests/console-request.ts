import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Authority, UserActor } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Impersonation, LiveConsoleSession } from '../../../operators/session/console-sessions.repository.js';

/** An operator at a page of the console, as the guard let them in. */
export interface ConsoleRequest {
  /** For the services: they decide as they do for the admin API. Its actor is {@link actor}. */
  readonly ctx: RequestContext;
  /** The operator, with the authority that they have now: another's while they act as a tenant or an app. */
  readonly actor: UserActor;
  /** What they may do as themselves. */
  readonly own: Authority;
  readonly session: LiveConsoleSession;
  readonly impersonation: Impersonation | null;
  /** `form_token` of every form. */
  readonly formToken: string;
  /** For reading lists: as {@link ctx}, cut to the chosen tenant. */
  readonly listCtx: RequestContext;
  /** The tenant that lists are cut to; null: all that they administer. */
  readonly chosenTenantId: string | null;
  /** The chosen tenant, or the only one that they administer; one that they govern in any case. */
  readonly tenantId: string | null;
}

/** Values of a form as the browser sent them; what came several times or not as text is left out. */
export type Fields = Readonly<Record<string, string>>;

export interface RequestWithConsole extends Request {
  consoleRequest?: ConsoleRequest;
}

/** Hands the {@link ConsoleRequest} to a handler that is marked with `@ConsolePage`. */
export const CurrentConsoleRequest = createParamDecorator(
  (_: unknown, host: ExecutionContext): ConsoleRequest =>
    host.switchToHttp().getRequest<RequestWithConsole>().consoleRequest!,
);

/** Hands over the {@link Fields} of a form, cut of blanks at both ends. */
export const FormFields = createParamDecorator((_: unknown, host: ExecutionContext): Fields => {
  const body = (host.switchToHttp().getRequest<Request>().body ?? {}) as Record<string, unknown>;
  const texts = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([name, text]) => [name, text.replaceAll('\0', '').trim()]));
});
