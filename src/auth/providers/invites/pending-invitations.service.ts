import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { allowsMethod } from '../../entry/methods/allows-method.rules.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import { SignInAttempts } from '../../hosted-sign-in/attempts/sign-in-attempts.service.js';
import type { PendingIdentity } from '../pending/pending-identity.entity.js';
import { PendingIdentities } from '../pending/pending-identities.service.js';
import { InvalidOauthToken } from '../pending/provider.errors.js';

export interface PendingInvitation {
  readonly pending: PendingIdentity;
  readonly attempt: SignInAttempt;
  readonly client: RegisteredClient;
}

/** Finds the pending identity, the attempt and the app of an `oauth_token`. */
@Injectable()
export class PendingInvitations {
  constructor(
    private readonly pending: PendingIdentities,
    private readonly signIns: SignInAttempts,
    private readonly browser: BrowserBinding,
  ) {}

  /**
   * Does not use up the token.
   * @throws InvalidOauthToken, also if the app no longer allows the provider
   */
  async get(oauthToken: string, request: Request): Promise<PendingInvitation> {
    // The form token of the page is derived from this cookie.
    if (!this.browser.read(request)) throw new InvalidOauthToken();
    const pending = await this.pending.find(oauthToken, this.browser.readHashes(request));
    const attempt = pending && (await this.signIns.find(pending.attemptId, pending.browserHash));
    const client = attempt && (await this.signIns.findClient(attempt));
    const isAllowed = !!client && allowsMethod(client.app, pending!.provider);
    if (!pending || !attempt || attempt.finishedAt || !isAllowed) throw new InvalidOauthToken();
    return { pending, attempt, client };
  }
}
