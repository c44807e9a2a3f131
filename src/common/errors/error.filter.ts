import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  Logger,
  MethodNotAllowedException,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { isStandardForm } from '../http/oauth-forms.js';
import { OAUTH_PATHS } from '../http/oauth-paths.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { waitThenTryAgain } from '../pages/waiting-words.js';
import { Refusal } from '../refusal.js';
import type { RequestContext } from '../request-context.js';
import { describeFaults, type InputFault } from '../validation/invalid-input.js';
import { allowedMethods } from './allowed-methods.js';
import { DenialRecorder } from './denial-recorder.js';
import { type Failure, failureOf } from './failure.js';

/** The one place where errors become answers: JSON for the API, OAuth's JSON, or a page where the client wants HTML. */
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
    if (failure.challenge !== null && !hasNamedItselfInBody(request, failure))
      response.setHeader('WWW-Authenticate', failure.challenge);
    response.setHeader('Cache-Control', 'no-store');
    if (this.wantsPage(request)) await this.sendPage(request, response, failure, requestId);
    else if (!OAUTH_PATHS.has(request.path.replace(/\/$/, '')))
      response.status(failure.status).json(apiBody(failure, requestId));
    else {
      const told = isStandardForm(request) ? asStandardForm(failure) : failure;
      response.status(told.status).json(oauthBody(told, requestId));
    }
  }

  protected wantsPage(request: Request): boolean {
    return prefersHtml(request);
  }

  protected async sendPage(_request: Request, response: Response, failure: Failure, requestId: string): Promise<void> {
    const { heading, message } = wordsFor(failure);
    await this.pages.send(response, {
      view: 'errors/error',
      title: heading,
      status: failure.status,
      model: { heading, message, developer: null, requestId, backUrl: null, backLabel: '' },
    });
  }
}

/** HTML only where the client prefers it to JSON; a client that accepts anything gets JSON. */
export function prefersHtml(request: Pick<Request, 'headers' | 'accepts'>): boolean {
  return (request.headers.accept ?? '').includes('text/html') && request.accepts(['json', 'html']) === 'html';
}

function apiBody(failure: Failure, requestId: string): object {
  return { detail: failure.detail, ...failure.beside, ...(failure.isFault ? { request_id: requestId } : {}) };
}

/** RFC 6749 section 5.2 beside our own `detail`. */
function oauthBody(failure: Failure, requestId: string): object {
  const description = failure.oauthDescription ?? (typeof failure.detail === 'string' ? failure.detail : null);
  return {
    ...apiBody(failure, requestId),
    error: failure.oauthError,
    ...(description !== null && description !== failure.oauthError ? { error_description: description } : {}),
  };
}

/** A malformed form is 400 in OAuth, and says in words what our list says (RFC 6749 section 5.2). */
function asStandardForm(failure: Failure): Failure {
  if (failure.status !== 422 || typeof failure.detail === 'string') return failure;
  return { ...failure, status: 400, oauthDescription: describeFaults(failure.detail as readonly InputFault[]) };
}

/**
 * A challenge answers those who use the Authorization header (RFC 6749 section 5.2). A client that names itself in the
 * body would take it for a demand to do so, and some do not even look at the error then.
 */
function hasNamedItselfInBody({ headers, body }: Request, { oauthError }: Failure): boolean {
  const named = (body as { client_id?: unknown } | undefined)?.client_id !== undefined;
  return oauthError === 'invalid_client' && headers.authorization === undefined && named;
}

/** What a page says about it. */
export function wordsFor(failure: Failure): { heading: string; message: string } {
  const text = typeof failure.detail === 'string' ? failure.detail : '';
  switch (failure.status) {
    case 404:
      return {
        heading: 'Nothing here',
        message: 'There is no page at this address. Check the address, or go back to where you came from.',
      };
    case 405:
      return {
        heading: 'That does not work here',
        message: 'This address does not accept what your browser sent. Go back and try again.',
      };
    case 403:
      if (failure.code === 'cross_site_request') {
        return {
          heading: 'This form was not accepted',
          message:
            'It did not come from our own page, or your browser keeps no cookies for it. Allow cookies for this site, then go back to the app and start again.',
        };
      }
      return { heading: 'You don’t have access', message: `${text}. Go back and start again from the app.` };
    case 422:
      return {
        heading: 'The form is not valid',
        message: 'Go back, check what you entered, and try again.',
      };
    case 429:
      return { heading: 'Too many attempts', message: waitThenTryAgain(failure.retryAfter ?? 300) };
    case 503:
      return {
        heading: 'Back in a moment',
        message: 'The service cannot answer just now. Try again in a few seconds.',
      };
    case 500:
      return {
        heading: 'Something went wrong on our side',
        message: 'The error was logged. If it keeps happening, contact us with the ID below.',
      };
    default:
      return { heading: 'That did not work', message: text || 'Go back and try again.' };
  }
}
