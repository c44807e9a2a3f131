import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { ProviderName } from '../../../config/provider-settings.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { type AccountHolder, AccountHolders } from '../../access/account-holder.service.js';
import { accountSignInPath } from '../../hosted-sign-in/authorization-request/account-sections.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import { SignInExpired } from '../../hosted-sign-in/authorization-request/sign-in.errors.js';
import { IdentityLink } from '../identities/identity-link.service.js';
import { ACCOUNT_PAGE, LinkPages } from './link-pages.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { LinkedElsewhere } from '../linked/linked-accounts.errors.js';
import type { PassportInput, PreparedRequest, ProviderFailure, ProviderPurpose } from './prepared-request.js';
import { redirectTo } from '../../../common/http/redirect-to.js';
import { ProviderStates } from '../state/provider-states.service.js';

/** Links an identity at a provider to the account of a signed-in user. */
@Injectable()
export class ProviderLinking {
  constructor(
    private readonly states: ProviderStates,
    private readonly holders: AccountHolders,
    private readonly links: IdentityLink,
    private readonly browser: BrowserBinding,
    private readonly pages: LinkPages,
  ) {}

  /**
   * GET /oauth/{provider}/start?link=1. A linked identity is as powerful as a new password, so the user must have
   * authenticated recently. Following a link, even on one of our pages, is not enough: if the browser is signed in at
   * the provider as an attacker, the attacker's identity would then open this account. So the page of this route asks
   * for a confirmation by form.
   */
  async start(provider: ProviderName, request: PreparedRequest, response: Response): Promise<null> {
    const holder = await this.fresh(request);
    if (holder) await this.pages.confirm(provider, holder.user, request, response);
    else redirectTo(response, accountSignInPath({ fresh: true }));
    return null;
  }

  /** POST /oauth/{provider}/link, from the page that {@link start} shows. */
  async confirmed(provider: ProviderName, request: PreparedRequest, response: Response): Promise<PassportInput | null> {
    this.pages.checkForm(provider, request);
    const holder = await this.fresh(request);
    if (holder) return this.go(provider, holder, request, response);
    redirectTo(response, accountSignInPath({ fresh: true }), 303);
    return null;
  }

  /**
   * Checks the callback.
   * @throws SignInExpired unless the same user is still signed in
   */
  async returned(provider: ProviderName, userId: string, request: PreparedRequest): Promise<ProviderPurpose> {
    const holder = await this.holders.bySession(request.context, request);
    if (holder?.user.id !== userId) throw new SignInExpired();
    return { kind: 'link', provider, holder };
  }

  /** @throws SignInExpired if the session has ended in the meantime */
  async finish(
    { provider, holder }: Extract<ProviderPurpose, { kind: 'link' }>,
    identity: ExternalIdentity | ProviderFailure,
    response: Response,
  ): Promise<void> {
    if (typeof identity === 'string') return this.pages.notConfirmed(provider, response);
    try {
      await this.links.add(holder, identity);
    } catch (error) {
      if (error instanceof ProofOutdated) throw new SignInExpired();
      if (!(error instanceof LinkedElsewhere)) throw error;
      return this.pages.linkedElsewhere(provider, response);
    }
    redirectTo(response, `${ACCOUNT_PAGE}?done=linked`);
  }

  private go(
    provider: ProviderName,
    holder: AccountHolder,
    request: PreparedRequest,
    response: Response,
  ): PassportInput {
    const browserHash = this.browser.hash(this.browser.ensure(request, response));
    const kept = { browserHash, attemptId: null, linkUserId: holder.user.id, fromPage: true };
    // The user must choose the account, so that the session at the provider does not choose it.
    const options = { loginHint: null, prompt: 'select_account', ...this.states.startOf(kept) };
    return { purpose: { kind: 'link', provider, holder }, options, failure: null };
  }

  private async fresh(request: PreparedRequest): Promise<AccountHolder | null> {
    const holder = await this.holders.bySession(request.context, request);
    return holder && this.holders.isFresh(holder) ? holder : null;
  }
}
