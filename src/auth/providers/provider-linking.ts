import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OWN_BRAND } from '../../common/pages/brand.js';
import { PageRenderer } from '../../common/pages/page-renderer.js';
import type { RequestContext } from '../../common/request-context.js';
import { PROVIDER_LABELS } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Transactions } from '../../database/transactions.js';
import { ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import { type AccountHolder, AccountHolders } from '../second-factor/account-holder.service.js';
import { accountSignInPath } from '../sign-in/account-places.js';
import { BrowserBinding } from '../sign-in/browser-binding.js';
import { OnwardRedirect } from '../sign-in/onward-redirect.js';
import { SignInExpired } from '../sign-in/sign-in.errors.js';
import type { ExternalIdentity, ExternalProvider } from './external-provider.js';
import { LinkedAccountsService } from './linked/linked-accounts.service.js';
import type { Failure } from './provider-pages.js';
import { LinkedElsewhere } from './provider.errors.js';
import { redirect } from './redirect.js';
import { ProviderStates } from './state/provider-states.service.js';

/** Where it is asked for and where it leads back. */
const ACCOUNT_PAGE = '/account';
/** A signed-in person adds a way in to their account. */
@Injectable()
export class ProviderLinking {
  constructor(
    private readonly states: ProviderStates,
    private readonly holders: AccountHolders,
    private readonly linked: LinkedAccountsService,
    private readonly browser: BrowserBinding,
    private readonly pages: PageRenderer,
    private readonly onward: OnwardRedirect,
    private readonly proofs: ProofGuard,
    private readonly transactions: Transactions,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * GET /oauth/{provider}/start?link=1. A new way in is as good as a new password: credentials must be fresh. A link on somebody else's page must not do it: with the provider signed in as the
   * attacker, the attacker's identity would open this account. Such a request is asked for once more by a form of ours.
   */
  async start(ctx: RequestContext, provider: ExternalProvider, request: Request, response: Response): Promise<void> {
    const holder = await this.fresh(ctx, request);
    if (!holder) return redirect(response, accountSignInPath(true, null));
    if (request.headers['sec-fetch-site'] !== 'same-origin')
      return this.confirm(provider, holder.user, request, response);
    await this.depart(provider, holder.user, request, response);
  }

  /** POST /oauth/{provider}/link, from the page that {@link start} shows. */
  async confirmed(
    ctx: RequestContext,
    provider: ExternalProvider,
    request: Request,
    response: Response,
  ): Promise<void> {
    this.browser.checkForm(request, purposeOf(provider));
    const holder = await this.fresh(ctx, request);
    if (!holder) return redirect(response, accountSignInPath(true, null), 303);
    await this.depart(provider, holder.user, request, response);
  }

  /** Back from the provider: only for whoever is still signed in as the one who went there. */
  async finish(
    ctx: RequestContext,
    provider: ExternalProvider,
    userId: string,
    answer: () => Promise<ExternalIdentity | Failure>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const holder = await this.holders.bySession(ctx, request);
    if (holder?.user.id !== userId) throw new SignInExpired();
    const identity = await answer();
    const label = PROVIDER_LABELS[provider.name];
    if (typeof identity === 'string') {
      const message = `${label} did not confirm who you are, so nothing has changed. You can try again.`;
      return this.tell(response, 400, `${label} was not linked`, message);
    }
    try {
      await this.link(holder, identity);
    } catch (error) {
      if (error instanceof ProofOutdated) throw new SignInExpired();
      if (!(error instanceof LinkedElsewhere)) throw error;
      const message = `That ${label} account opens another account here. Remove it there first, or use another one.`;
      return this.tell(response, 409, `${label} was not linked`, message);
    }
    redirect(response, `${ACCOUNT_PAGE}?done=linked`);
  }

  private async link({ ctx, user, proof }: AccountHolder, identity: ExternalIdentity): Promise<void> {
    await this.transactions.run(async (tx) => {
      await this.proofs.hold(tx, proof);
      const owner = await this.linked.findUserId(identity, tx);
      if (owner === user.id) return;
      if (owner) throw new LinkedElsewhere();
      await this.linked.link(tx, ctx, user, identity, 'account_page', null);
    });
  }

  private async depart(provider: ExternalProvider, user: User, request: Request, response: Response): Promise<void> {
    const browserHash = this.browser.hash(this.browser.ensure(request, response));
    const trip = { browserHash, attemptId: null, linkUserId: user.id, fromPage: true };
    // The person chooses, rather than the provider by whoever was signed in there last.
    const hints = { loginHint: null, prompt: 'select_account' };
    await this.onward.send(request, response, await this.states.depart(provider, { ...trip, ...hints }));
  }

  private async confirm(provider: ExternalProvider, user: User, request: Request, response: Response): Promise<void> {
    const secret = this.browser.ensure(request, response);
    const label = PROVIDER_LABELS[provider.name];
    await this.pages.send(response, {
      view: 'sign-in/provider-link',
      title: `Link ${label} to your account?`,
      formTargets: authorizationUrls(this.settings, provider),
      model: {
        label,
        email: user.email,
        action: `/oauth/${provider.name}/link`,
        formToken: this.browser.formToken(secret, purposeOf(provider)),
        backUrl: ACCOUNT_PAGE,
      },
    });
  }

  private async tell(response: Response, status: number, heading: string, message: string): Promise<void> {
    await this.pages.send(response, {
      view: 'sign-in/provider-refused',
      title: heading,
      status,
      brand: OWN_BRAND,
      model: { heading, message, signInUrl: null, backUrl: ACCOUNT_PAGE, backLabel: 'Back to your account' },
    });
  }

  private async fresh(ctx: RequestContext, request: Request): Promise<AccountHolder | null> {
    const holder = await this.holders.bySession(ctx, request);
    return holder && this.holders.isFresh(holder) ? holder : null;
  }
}

function purposeOf({ name }: ExternalProvider): string {
  return `link:${name}`;
}

function authorizationUrls({ providers }: Settings, { name }: ExternalProvider): string[] {
  const url = providers[name]?.authorizationUrl;
  return url === undefined ? [] : [url];
}
