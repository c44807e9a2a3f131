import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { acceptsNoNewUsers } from '../../../apps/app/app-origin.rules.js';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { User } from '../../../users/user.entity.js';
import { UsersService } from '../../../users/users.service.js';
import { actingAs } from '../../entry/entry.service.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { judgeLink, type LinkVerdict } from '../linked/link.rules.js';
import { LinkedAccountsService } from '../linked/linked-accounts.service.js';

export type Resolution =
  | { readonly kind: 'known'; readonly user: User }
  | { readonly kind: Extract<LinkVerdict, 'link'>; readonly user: User }
  | { readonly kind: Exclude<LinkVerdict, 'link'> };

/** Finds the account that an identity opens. */
@Injectable()
export class IdentityAccounts {
  constructor(
    private readonly users: UsersService,
    private readonly linked: LinkedAccountsService,
  ) {}

  /**
   * Looks for the provider and the subject first: a linked identity opens its account even if the e-mail address has
   * changed.
   */
  async resolve(
    identity: ExternalIdentity,
    { app }: RegisteredClient,
    { request }: SignInAttempt,
    tx?: EntityManager,
  ): Promise<Resolution> {
    const userId = await this.linked.findUserId(identity, tx);
    if (userId) return { kind: 'known', user: await this.users.get(userId, tx) };
    const local = identity.email === null ? null : await this.users.findByEmail(identity.email, tx);
    const verdict = judgeLink({
      email: identity.email,
      emailVerified: identity.emailVerified,
      local,
      policy: app.registrationPolicy,
      isConsoleApp: acceptsNoNewUsers(app),
      purpose: request.purpose === 'account' ? 'account' : 'app',
      hasInvite: request.inviteCode !== null,
    });
    return verdict === 'link' ? { kind: verdict, user: local! } : { kind: verdict };
  }

  /** Whether the identity still opens this account. Called while the proof of the account is held. */
  async opens(identity: ExternalIdentity, user: User, tx: EntityManager): Promise<boolean> {
    return (await this.linked.findUserId(identity, tx)) === user.id;
  }

  /**
   * Links the identity for the verdict `link`, with which both sides have verified the address.
   * @throws LinkedElsewhere
   */
  link(
    tx: EntityManager,
    ctx: RequestContext,
    user: User,
    identity: ExternalIdentity,
    client: RegisteredClient,
  ): Promise<void> {
    return this.linked.link(tx, actingAs(ctx, user, client), user, identity, 'verified_email', client);
  }
}
