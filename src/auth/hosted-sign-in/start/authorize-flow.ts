import { Injectable } from '@nestjs/common';
import { answerPrefetch } from '../../../common/http/browser/prefetch.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { isMeant } from '../authorization-request/authorization-request.js';
import type { RawParameters } from '../authorization-request/authorization-request.rules.js';
import { AuthorizationRequests } from '../authorization-request/authorization-requests.service.js';
import type { HostedRequest } from '../attempts/hosted-request.js';
import { SignInPages } from '../pages/sign-in-pages.js';
import { SignInStart } from './sign-in-start.js';
import { UsedLinkPage } from './used-link-page.js';

/** GET and POST /login, to which an app sends a user to sign in. */
@Injectable()
export class AuthorizeFlow {
  constructor(
    private readonly requests: AuthorizationRequests,
    private readonly sessions: SsoSessionsService,
    private readonly pages: SignInPages,
    private readonly spentLink: UsedLinkPage,
    private readonly starts: SignInStart,
  ) {}

  async authorize(hosted: HostedRequest, raw: RawParameters): Promise<void> {
    const { ctx, request, response } = hosted;
    if (answerPrefetch(request, response)) return;
    if (isAboutSpentLink(raw)) return this.spentLink.explain(raw, request, response);
    const read = await this.requests.read(ctx, raw);
    if (read.kind === 'page') return this.pages.showFault(ctx.requestId, response, read.fault, read.client);
    if (read.kind === 'answer') return this.pages.answer(response, read.answer, read.client, { isByUser: false });
    const { client, asked } = read;
    if (raw['error'] === 'invalid_magic_link') return this.spentLink.explainTo(client, asked, request, response);
    const subject = await this.requests.readSubject(read);
    const found = await this.sessions.find(request);
    // If another user than the expected one is signed in, the session is not used, so that the expected user can sign
    // in as well.
    const session = found && !asked.create && isMeant({ subject }, found.userId) ? found : null;
    await this.starts.start(hosted, client, { ...asked, subject }, session);
  }
}

/** Our own redirects contain a saved attempt, or no app; an app that redirects here sends a complete request. */
function isAboutSpentLink(raw: RawParameters): boolean {
  const isWhole = raw['app_id'] !== undefined || raw['client_id'] !== undefined;
  return raw['error'] === 'invalid_magic_link' && (raw['attempt'] !== undefined || !isWhole);
}
