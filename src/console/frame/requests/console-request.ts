import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Authority, UserActor } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Impersonation, LiveConsoleSession } from '../../../operators/session/console-sessions.repository.js';

/** A request of an operator, after the guard. */
export interface ConsoleRequest {
  /** For services, which decide as for the admin API. Its actor is {@link actor}. */
  readonly ctx: RequestContext;
  /** The operator with their current authority: that of a tenant or app while impersonating it. */
  readonly actor: UserActor;
  /** The operator's own authority. */
  readonly own: Authority;
  readonly session: LiveConsoleSession;
  readonly impersonation: Impersonation | null;
  /** Value of `form_token` in every form. */
  readonly formToken: string;
  /** For reading lists: {@link ctx}, limited to the chosen tenant. */
  readonly listCtx: RequestContext;
  /** The tenant that limits lists; null: all tenants that they administer. */
  readonly chosenTenantId: string | null;
  /** The chosen tenant, or the only one; the operator always governs it. Null: several without a choice, or none. */
  readonly tenantId: string | null;
}

/** Values of a submitted form. Repeated fields, and those that are not text, are left out. */
export type Fields = Readonly<Record<string, string>>;

export interface RequestWithConsole extends Request {
  consoleRequest?: ConsoleRequest;
  /** The page to which the operator returns after a new sign-in that a change requires. */
  confirmationPage?: string;
}

/** Injects the {@link ConsoleRequest} into a handler with `@ConsolePage`. */
export const CurrentConsoleRequest = createParamDecorator(
  (_: unknown, host: ExecutionContext): ConsoleRequest =>
    host.switchToHttp().getRequest<RequestWithConsole>().consoleRequest!,
);

/** Injects the {@link Fields} of a form, with blanks trimmed. */
export const FormFields = createParamDecorator((_: unknown, host: ExecutionContext): Fields => {
  const body = (host.switchToHttp().getRequest<Request>().body ?? {}) as Record<string, unknown>;
  const texts = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts.map(([name, text]) => [name, text.replaceAll('\0', '').trim()]));
});
