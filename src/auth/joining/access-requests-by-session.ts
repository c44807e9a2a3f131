import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { NotAuthenticated } from '../../common/http/http.refusals.js';
import type { RequestContext } from '../../common/request-context.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import { AccountHolders } from '../access/account-holder.service.js';
import { InvalidAppId } from '../entry/auth.errors.js';
import { acceptsMethods } from '../entry/methods/sign-in-methods.rules.js';
import { AccessRequestsService } from './access-requests.service.js';

/** Requests for access to an app, by JSON and with an SSO session. */
@Injectable()
export class AccessRequestsBySession {
  constructor(
    private readonly requests: AccessRequestsService,
    private readonly holders: AccountHolders,
    private readonly directory: AppDirectory,
  ) {}

  /** @throws NotAuthenticated, InvalidAppId, and what {@link AccessRequestsService.request} throws */
  async request(
    ctx: RequestContext,
    request: Request,
    appId: string,
    message: string | null,
  ): Promise<'active' | 'pending'> {
    const holder = await this.holders.bySession(ctx, request);
    if (!holder) throw new NotAuthenticated();
    const client = await this.directory.findOpen(appId);
    if (!client) throw new InvalidAppId();
    if (!acceptsMethods(client, holder.session!.amr)) throw new NotAuthenticated();
    try {
      return await this.requests.request(ctx, holder.user, holder.proof, client, message);
    } catch (error) {
      throw error instanceof ProofOutdated ? new NotAuthenticated() : error;
    }
  }
}
