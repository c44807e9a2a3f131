import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import type { RequestContext } from '../../../common/request-context.js';
import { judgeEmail, readEmail } from '../../../common/validation/email.rules.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { cleanDisplayName } from '../../../users/display-name.rules.js';
import { ProofOutdated } from '../../../users/proof-outdated.js';
import { UserAlreadyExists } from '../../../users/users.errors.js';
import { AuditedDenials } from '../../access/denials/audited-denials.js';
import type { SignInAttempt } from '../../hosted-sign-in/attempts/sign-in-attempt.entity.js';
import { IdentityAccounts } from './identity-accounts.service.js';
import { IdentityEntry } from './identity-entry.service.js';
import type { ExternalIdentity } from '../linked/external-identity.js';
import { LinkedElsewhere } from '../linked/linked-accounts.errors.js';
import { PendingIdentities } from '../pending/pending-identities.service.js';

export type RefusedIdentity =
  | 'account_not_linked'
  | 'registration_closed'
  | 'no_account'
  | 'no_email'
  | 'unusable_email'
  | 'user_inactive'
  | 'credentials_changed';

export type ProviderSignInOutcome =
  /** The hosted sign-in continues with its next step; `ssoToken` is null while a second factor is due. */
  | { readonly kind: 'identified'; readonly ssoToken: string | null }
  | { readonly kind: 'invited'; readonly oauthToken: string }
  | { readonly kind: 'refused'; readonly why: RefusedIdentity };

interface JudgedIdentity extends ExternalIdentity {
  /** The provider has sent an address that is refused because it looks like another one. */
  readonly hasUnusableEmail: boolean;
}

/** Signs in with an identity: decides which account it opens, or why it is refused. */
@Injectable()
export class ProviderSignIn {
  constructor(
    private readonly accounts: IdentityAccounts,
    private readonly entry: IdentityEntry,
    private readonly pending: PendingIdentities,
    private readonly limits: RateLimitsService,
    private readonly denials: AuditedDenials,
  ) {}

  /** @throws RateLimited if too many accounts were created from this network address */
  async signIn(
    ctx: RequestContext,
    client: RegisteredClient,
    attempt: SignInAttempt,
    answered: ExternalIdentity,
    presentedSession: string | null,
  ): Promise<ProviderSignInOutcome> {
    const identity = judged(answered);
    try {
      return await this.decide(ctx, client, attempt, identity, presentedSession);
    } catch (error) {
      if (error instanceof ProofOutdated) return this.refuse(ctx, client, identity, 'credentials_changed');
      // The same user has signed in twice at once: the other request has created the account or the link, which is
      // found now.
      if (!(error instanceof UserAlreadyExists || error instanceof LinkedElsewhere)) throw error;
      return this.decide(ctx, client, attempt, identity, presentedSession);
    }
  }

  private async decide(
    ctx: RequestContext,
    client: RegisteredClient,
    attempt: SignInAttempt,
    identity: JudgedIdentity,
    presentedSession: string | null,
  ): Promise<ProviderSignInOutcome> {
    const found = await this.accounts.resolve(identity, client, attempt);
    switch (found.kind) {
      case 'account_not_linked':
      case 'registration_closed':
      case 'no_account':
        return this.refuse(ctx, client, identity, found.kind);
      case 'no_email':
        return this.refuse(ctx, client, identity, identity.hasUnusableEmail ? 'unusable_email' : 'no_email');
      case 'needs_invite':
        if (attempt.request.inviteCode === null) {
          const refused = await this.refuse(ctx, client, identity, 'registration_closed');
          // `prompt=none` forbids the page on which the user could enter a code.
          if (attempt.request.prompt === 'none') return refused;
        }
        return { kind: 'invited', oauthToken: await this.pending.keep(identity, attempt.id, attempt.browserHash) };
      case 'create':
        await this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
        break;
      case 'known':
      case 'link':
        if (!found.user.isActive) return this.refuse(ctx, client, identity, 'user_inactive');
        break;
    }
    const ssoToken = await this.entry.enter(ctx, client, attempt, identity, presentedSession);
    return { kind: 'identified', ssoToken };
  }

  private async refuse(
    ctx: RequestContext,
    { app }: RegisteredClient,
    { provider }: ExternalIdentity,
    why: RefusedIdentity,
  ): Promise<ProviderSignInOutcome> {
    const auditScope = { tenantId: app.tenantId, appId: app.id };
    await this.denials.recordSignIn(ctx, auditScope, { reason: why, method: provider });
    return { kind: 'refused', why };
  }
}

/**
 * Treats an address that is not accepted as missing, so that it neither finds nor creates an account. Makes the name a
 * single line, without characters that the database cannot store.
 */
function judged(answered: ExternalIdentity): JudgedIdentity {
  const identity = { ...answered, displayName: cleanDisplayName(answered.displayName) };
  const email = readEmail(identity.email ?? '');
  if (email) return { ...identity, email: email.typed, hasUnusableEmail: false };
  const hasUnusableEmail = judgeEmail(identity.email ?? '') === 'deceptive';
  return { ...identity, email: null, emailVerified: false, hasUnusableEmail };
}
