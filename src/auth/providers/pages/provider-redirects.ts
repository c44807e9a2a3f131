import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { OnwardRedirect } from '../../hosted-sign-in/redirects/onward-redirect.js';
import { LinkPages } from './link-pages.js';
import type { PreparedRequest, ProviderFailure, ProviderRedirect } from './prepared-request.js';
import { ProviderPages } from './provider-pages.js';
import { redirectTo } from '../../../common/http/redirect-to.js';

/** Sends browsers to the provider. */
@Injectable()
export class ProviderRedirects {
  constructor(
    private readonly onward: OnwardRedirect,
    private readonly pages: ProviderPages,
    private readonly linkPages: LinkPages,
  ) {}

  async send(request: PreparedRequest, response: Response): Promise<void> {
    if (!request.prepared) return;
    const { purpose } = request.prepared;
    const outcome = request.user as ProviderRedirect | ProviderFailure;
    if (purpose.kind === 'link') {
      if (typeof outcome === 'string') return this.linkPages.notConfirmed(purpose.provider, response);
      return this.onward.send(request, response, outcome.location);
    }
    if (typeof outcome === 'string') return this.pages.fail(response, purpose.attempt, outcome);
    redirectTo(response, outcome.location);
  }
}
