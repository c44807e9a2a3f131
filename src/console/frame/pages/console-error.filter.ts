import { type ArgumentsHost, Catch, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { DenialRecorder } from '../../../common/errors/denial-recorder.js';
import { ErrorFilter, wordsFor } from '../../../common/errors/error.filter.js';
import type { Failure } from '../../../common/errors/failure.js';
import { ReauthenticationRequired } from '../../../common/http/recent-sign-in.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { ConsoleLoginService } from '../../login/console-login.service.js';
import { ConsolePages } from './console-pages.js';
import type { RequestWithConsole } from '../requests/console-request.js';
import { askWhoItIs, ConsoleRedirect, NothingToAdminister } from '../requests/console.errors.js';

/** Shows errors in the console as a page in its frame. Visitors without a session are redirected to the sign-in. */
@Catch()
@Injectable()
export class ConsoleErrorFilter extends ErrorFilter {
  constructor(
    pages: PageRenderer,
    denials: DenialRecorder,
    private readonly console: ConsolePages,
    private readonly login: ConsoleLoginService,
  ) {
    super(pages, denials);
  }

  override async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const response = host.switchToHttp().getResponse<Response>();
    const { confirmationPage } = host.switchToHttp().getRequest<RequestWithConsole>();
    if (error instanceof ReauthenticationRequired && confirmationPage)
      return redirectTo(response, askWhoItIs(confirmationPage).location);
    if (error instanceof NothingToAdminister) return this.login.sendNoAccess(response);
    if (!(error instanceof ConsoleRedirect)) return super.catch(error, host);
    redirectTo(response, error.location);
  }

  /** Always a page, regardless of the Accept header. */
  protected override wantsPage(_: Request): boolean {
    return true;
  }

  protected override async sendPage(
    request: RequestWithConsole,
    response: Response,
    failure: Failure,
    requestId: string,
  ): Promise<void> {
    const consoleRequest = request.consoleRequest;
    if (!consoleRequest) return super.sendPage(request, response, failure, requestId);
    const { heading, message } = CONSOLE_WORDS[failure.status]?.(textOf(failure), failure.code) ?? wordsFor(failure);
    // A retry does not help if the page does not exist.
    const mayHelp = request.method === 'GET' && failure.status !== 404;
    const model = { heading, message, requestId, retryUrl: mayHelp ? request.originalUrl : null };
    const page = { view: 'problem', title: heading, area: null, status: failure.status, model };
    try {
      await this.console.show(consoleRequest, response, page);
    } catch {
      // The frame needs the database, which may be what has failed: sends a page without it.
      await super.sendPage(request, response, failure, requestId);
    }
  }
}

function textOf({ detail }: Failure): string {
  return typeof detail === 'string' ? detail : '';
}

interface ConsoleWords {
  readonly heading: string;
  readonly message: string;
}

/** Texts for operators that differ from those for other users. */
const CONSOLE_WORDS: Readonly<Record<number, (text: string, code: string | null) => ConsoleWords | null>> = {
  403: (text, code) =>
    code === 'cross_site_request'
      ? {
          heading: 'This form was not accepted',
          message:
            'It did not come from a page of your current session. You may have signed in again, or started or stopped impersonating, since you opened it. Nothing was changed. Open the page again and repeat the action.',
        }
      : {
          heading: 'You don’t have permission',
          message:
            code === 'insufficient_permissions'
              ? 'You don’t have permission to view this page or do this. Your permissions may have changed since you opened the previous page. Ask an admin of the tenant.'
              : `${text}.`,
        },
  404: (text) => ({
    heading: 'Page not found',
    message: `${text === 'Not Found' ? 'There is no page at this address' : text}. It may have been removed since you opened the previous page.`,
  }),
  409: (text) => ({ heading: 'This can’t be done now', message: `${text}. Nothing was changed.` }),
  429: (text, code) =>
    code === 'too_many_at_once'
      ? { heading: 'Too many at once', message: `${text}. Nothing was changed. Try again in a moment.` }
      : null,
  422: () => ({
    heading: 'The address or the form is not valid',
    message: 'Nothing was changed. Go back, check what you entered, and try again.',
  }),
};
