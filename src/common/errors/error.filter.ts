import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Logger,
  MethodNotAllowedException,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { message, type Text } from '../i18n/message.js';
import type { Credential } from '../http/access-marks.js';
import { isTokenPath } from '../http/bodies/oauth-paths.js';
import { challengeFor } from '../http/token-challenge.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { waitThenTryAgain } from '../pages/durations.js';
import { Refusal } from '../refusal.js';
import type { RequestContext } from '../request-context.js';
import { allowedMethods } from './allowed-methods.js';
import { DenialRecorder } from './denial-recorder.js';
import { type Failure, failureOf } from './failure.js';
import { jsonAnswer } from './json-answer.js';
import { REFUSAL_MESSAGES } from './refusal-messages.js';

/** Turns every error into an answer: JSON for the API, OAuth's JSON, or a page if the client prefers HTML. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(
    protected readonly pages: PageRenderer,
    private readonly denials: DenialRecorder,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const request = http.getRequest<Request & { id?: string; context?: RequestContext }>();
    const response = http.getResponse<Response>();
    const allowed = error instanceof NotFoundException ? allowedMethods(request) : [];
    const wrongMethod = allowed.length > 0 && !allowed.includes(request.method);
    if (wrongMethod) response.setHeader('Allow', allowed.join(', '));
    const failure = failureOf(wrongMethod ? new MethodNotAllowedException() : error);
    const requestId = request.id ?? '';
    if (failure.isFault) {
      this.logger.error({
        request_id: requestId,
        message: (error as Error)?.message ?? String(error),
        stack: (error as Error)?.stack,
      });
    }
    if (error instanceof Refusal && error.kind === 'forbidden' && request.context) {
      const route = (request.route as { path?: string } | undefined)?.path ?? '';
      const { method, params: parameters } = request;
      await this.denials.record(request.context, { method, route, parameters });
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (failure.retryAfter !== null) response.setHeader('Retry-After', failure.retryAfter);
    const challenge = challengeOf(request, failure);
    if (challenge !== null) response.setHeader('WWW-Authenticate', challenge);
    response.setHeader('Cache-Control', 'no-store');
    if (!isTokenPath(request.path) && this.wantsPage(request))
      return this.sendPage(request, response, failure, requestId);
    const { status, body } = jsonAnswer(request, failure, requestId);
    response.status(status).json(body);
  }

  protected wantsPage(request: Request): boolean {
    return prefersHtml(request);
  }

  protected async sendPage(request: Request, response: Response, failure: Failure, requestId: string): Promise<void> {
    const { heading, message: lead } = wordsFor(failure);
    await this.pages.send(response, {
      view: 'errors/error',
      title: heading,
      status: failure.status,
      model: { heading, message: lead, developer: null, requestId, ...wayOn(request, failure.status) },
    });
  }
}

const WORTH_TRYING_AGAIN = new Set([429, 500, 503]);

/** The link on an error page: the same page again if that may help, otherwise one that always exists. */
function wayOn({ method, path, originalUrl }: Request, status: number): { backUrl: string; backLabel: Text } {
  // Two slashes would lead to another site.
  if (method === 'GET' && WORTH_TRYING_AGAIN.has(status) && /^\/(?![/\\])/.test(originalUrl))
    return { backUrl: originalUrl, backLabel: message('errors.try_again') };
  if (/^\/console(?:\/|$)/.test(path)) return { backUrl: '/console/', backLabel: message('errors.go_to_console') };
  return { backUrl: '/account', backLabel: message('errors.go_to_account') };
}

/** HTML only if the client prefers it to JSON; a client that accepts anything gets JSON. */
export function prefersHtml(request: Pick<Request, 'headers' | 'accepts'>): boolean {
  return (request.headers.accept ?? '').includes('text/html') && request.accepts(['json', 'html']) === 'html';
}

function challengeOf(request: Request & { credentials?: readonly Credential[] }, failure: Failure): string | null {
  const { challenge } = failure;
  if (challenge === null) return null;
  if (typeof challenge !== 'string') return challengeFor(request, challenge);
  return hasNamedItselfInBody(request, failure) ? null : challenge;
}

const CLIENT_FIELDS = ['app_id', 'client_id', 'client_assertion'];

/**
 * A challenge is for clients that use the Authorization header (RFC 6749 section 5.2). A client that identifies itself
 * in the body could take it as a demand to use the header, and some clients then do not read the error.
 */
function hasNamedItselfInBody({ headers, body }: Request, { oauthError }: Failure): boolean {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const isNamed = CLIENT_FIELDS.some((name) => fields[name] !== undefined);
  return oauthError === 'invalid_client' && headers.authorization === undefined && isNamed;
}

/** Heading and text of the error page. */
export function wordsFor(failure: Failure): { heading: Text; message: Text } {
  switch (failure.status) {
    case 404:
      return { heading: message('errors.not_found'), message: message('errors.not_found_lead') };
    case 405:
      return { heading: message('errors.method_not_allowed'), message: message('errors.method_not_allowed_lead') };
    case 403:
      return failure.code === 'cross_site_request'
        ? { heading: message('errors.cross_site_request'), message: message('errors.cross_site_request_lead') }
        : { heading: message('errors.forbidden'), message: forbidden(failure) };
    case 422:
      return { heading: message('errors.invalid'), message: message('errors.invalid_lead') };
    case 429:
      return { heading: message('errors.too_many_requests'), message: waitThenTryAgain(failure.retryAfter ?? 300) };
    case 503:
      return { heading: message('errors.unavailable'), message: message('errors.unavailable_lead') };
    case 500:
      return { heading: message('errors.fault'), message: message('errors.fault_lead') };
    default:
      return { heading: message('errors.other'), message: refusalText(failure) ?? message('errors.other_lead') };
  }
}

function forbidden(failure: Failure): Text {
  const refusal = refusalText(failure);
  if (refusal === null) return message('errors.forbidden_unexplained');
  return typeof refusal === 'string' ? message('errors.forbidden_lead', { refusal }) : refusal;
}

function refusalText({ code, detail }: Failure): Text | null {
  const known = code === null ? undefined : REFUSAL_MESSAGES.get(code);
  if (known) return known;
  return typeof detail === 'string' && detail !== '' ? detail : null;
}
