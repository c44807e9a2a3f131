import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { message, type Text } from '../../../common/i18n/message.js';
import { OWN_BRAND } from '../../../common/pages/brand/brand.js';
import { PageRenderer } from '../../../common/pages/page-renderer.js';
import { PROVIDER_LABELS, type ProviderName } from '../../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import type { User } from '../../../users/user.entity.js';
import { BrowserBinding } from '../../session/browser-binding.js';

/** The page on which linking starts and ends. */
export const ACCOUNT_PAGE = '/account';

/** Pages for linking an account at a provider. */
@Injectable()
export class LinkPages {
  constructor(
    private readonly pages: PageRenderer,
    private readonly browser: BrowserBinding,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Shows a form that asks the user to confirm the link. */
  async confirm(provider: ProviderName, user: User, request: Request, response: Response): Promise<void> {
    const secret = this.browser.ensure(request, response);
    const label = PROVIDER_LABELS[provider];
    await this.pages.send(response, {
      view: 'sign-in/provider-link',
      title: message('sign-in.provider_link.heading', { provider: label }),
      formTargets: authorizationUrls(this.settings, provider),
      model: {
        label,
        email: user.email,
        action: `/oauth/${provider}/link`,
        formToken: this.browser.formToken(secret, purposeOf(provider)),
        backUrl: ACCOUNT_PAGE,
      },
    });
  }

  /** @throws CrossSiteRequest unless the form is from {@link confirm}, shown in this browser */
  checkForm(provider: ProviderName, request: Request): void {
    this.browser.checkForm(request, purposeOf(provider));
  }

  notConfirmed(provider: ProviderName, response: Response): Promise<void> {
    const said = message('sign-in.provider_link.not_confirmed', { provider: PROVIDER_LABELS[provider] });
    return this.refuse(response, 400, provider, said);
  }

  linkedElsewhere(provider: ProviderName, response: Response): Promise<void> {
    const said = message('sign-in.provider_link.linked_elsewhere', { provider: PROVIDER_LABELS[provider] });
    return this.refuse(response, 409, provider, said);
  }

  private async refuse(response: Response, status: number, provider: ProviderName, said: Text): Promise<void> {
    const heading = message('sign-in.provider_link.not_linked', { provider: PROVIDER_LABELS[provider] });
    await this.pages.send(response, {
      view: 'sign-in/provider-refused',
      title: heading,
      status,
      brand: OWN_BRAND,
      model: {
        ...{ heading, message: said, signInUrl: null, accountUrl: null },
        ...{ backUrl: ACCOUNT_PAGE, backLabel: message('sign-in.provider_link.back_to_account') },
      },
    });
  }
}

function purposeOf(provider: ProviderName): string {
  return `link:${provider}`;
}

function authorizationUrls({ providers }: Settings, provider: ProviderName): string[] {
  const url = providers[provider]?.authorizationUrl;
  return url === undefined ? [] : [url];
}
