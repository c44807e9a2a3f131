import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { KnownApp } from '../../apps/app-directory.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { judgeEmail, readEmail } from '../../common/validation/email.rules.js';
import { Transactions } from '../../database/transactions.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { proofOf } from '../../users/proof.js';
import { type HeldProof, ProofGuard } from '../../users/proof-guard.js';
import { ProofOutdated } from '../../users/proof-outdated.js';
import type { User } from '../../users/user.entity.js';
import { UserAlreadyExists } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import { actingAs } from '../sign-in-completion.service.js';
import { Identification } from '../sign-in/identification.service.js';
import type { SignInAttempt } from '../sign-in/sign-in-attempt.entity.js';
import type { ExternalIdentity } from './external-provider.js';
import { judgeLink, type LinkVerdict } from './linked/link.rules.js';
import { LinkedAccountsService } from './linked/linked-accounts.service.js';
import { NewcomersService } from './newcomers.service.js';
import { PendingIdentities } from './pending/pending-identities.service.js';
import { LinkedElsewhere } from './provider.errors.js';

export type RefusedIdentity =
  | 'account_not_linked'
  | 'registration_closed'
  | 'no_account'
  | 'no_email'
  | 'unusable_email'
  | 'user_inactive'
  | 'credentials_changed';

export type ProviderSignInOutcome =
  /** From here on the one state machine decides; `ssoToken` is null while a second factor is due. */
  | { readonly kind: 'identified'; readonly ssoToken: string | null }
  | { readonly kind: 'invited'; readonly oauthToken: string }
  | { readonly kind: 'refused'; readonly why: RefusedIdentity };

interface JudgedIdentity extends ExternalIdentity {
  /** The provider told an address, but one that only looks like what it is. */
  readonly hasUnusableEmail: boolean;
}

type Resolution =
  | { readonly kind: 'known'; readonly user: User }
  | { readonly kind: Extract<LinkVerdict, 'link'>; readonly user: User }
  | { readonly kind: Exclude<LinkVerdict, 'link'> };

/** From what a provider says to an account of ours, and with it into the attempt. */
@Injectable()
export class ProviderSignIn {
  constructor(
    private readonly users: UsersService,
    private readonly linked: LinkedAccountsService,
    private readonly newcomers: NewcomersService,
    private readonly pending: PendingIdentities,
    private readonly identification: Identification,
    private readonly proofs: ProofGuard,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws RateLimited where a new account would be one too many from this address */
  async signIn(
    ctx: RequestContext,
    known: KnownApp,
    attempt: SignInAttempt,
    said: ExternalIdentity,
    presentedSession: string | null,
  ): Promise<ProviderSignInOutcome> {
    const identity = judged(said);
    try {
      return await this.decide(ctx, known, attempt, identity, presentedSession);
    } catch (error) {
      if (error instanceof ProofOutdated) return this.refuse(ctx, known, identity, 'credentials_changed');
      // The same person twice at once: one has made the account or the link, so now it is there to be found.
      if (!(error instanceof UserAlreadyExists || error instanceof LinkedElsewhere)) throw error;
      return this.decide(ctx, known, attempt, identity, presentedSession);
    }
  }

  private async decide(
    ctx: RequestContext,
    known: KnownApp,
    attempt: SignInAttempt,
    identity: JudgedIdentity,
    presentedSession: string | null,
  ): Promise<ProviderSignInOutcome> {
    const found = await this.resolve(identity, known, attempt);
    switch (found.kind) {
      case 'account_not_linked':
      case 'registration_closed':
      case 'no_account':
        return this.refuse(ctx, known, identity, found.kind);
      case 'no_email':
        return this.refuse(ctx, known, identity, identity.hasUnusableEmail ? 'unusable_email' : 'no_email');
      case 'needs_invite':
        if (attempt.request.inviteCode === null) {
          const refused = await this.refuse(ctx, known, identity, 'registration_closed');
          // Nothing may be asked; everywhere else the person may have a code on paper.
          if (attempt.request.prompt === 'none') return refused;
        }
        return { kind: 'invited', oauthToken: await this.pending.keep(identity, attempt.id, attempt.browserHash) };
      case 'create':
        await this.limits.consume('signup_ip', clientAddressKey(ctx.ip));
        break;
      case 'known':
      case 'link':
        if (!found.user.isActive) return this.refuse(ctx, known, identity, 'user_inactive');
        break;
    }
    return this.transactions.run(async (tx) => {
      const { held, user } = await this.settle(tx, ctx, known, attempt, identity);
      const amr = ['fed', identity.provider];
      const ssoToken = await this.identification.identifyHeld(tx, ctx, held, attempt.id, user, amr, presentedSession);
      return { kind: 'identified' as const, ssoToken };
    });
  }

  /** Decided once more inside the transaction; whatever has changed since goes to the caller as a conflict. */
  private async settle(
    tx: EntityManager,
    ctx: RequestContext,
    known: KnownApp,
    attempt: SignInAttempt,
    identity: ExternalIdentity,
  ): Promise<{ held: HeldProof; user: User }> {
    const found = await this.resolve(identity, known, attempt, tx);
    if (found.kind === 'create') {
      const user = await this.newcomers.create(tx, ctx, known, identity);
      return { held: await this.proofs.hold(tx, proofOf(user)), user };
    }
    if (found.kind !== 'known' && found.kind !== 'link') throw new UserAlreadyExists();
    const { user } = found;
    const held = await this.proofs.hold(tx, proofOf(user));
    if (found.kind === 'link')
      await this.linked.link(tx, actingAs(ctx, user, known), user, identity, 'verified_email', known);
    return { held, user };
  }

  /** By provider and subject first: whatever the e-mail says by now, it is that account. */
  private async resolve(
    identity: ExternalIdentity,
    { app }: KnownApp,
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
      isConsoleApp: app.isConsoleApp,
      purpose: request.purpose,
      hasInvite: request.inviteCode !== null,
    });
    return verdict === 'link' ? { kind: verdict, user: local! } : { kind: verdict };
  }

  private async refuse(
    ctx: RequestContext,
    { app }: KnownApp,
    { provider }: ExternalIdentity,
    why: RefusedIdentity,
  ): Promise<ProviderSignInOutcome> {
    await this.audit.recordAlone(ctx, 'user.login_failed', {
      tenantId: app.tenantId,
      appId: app.id,
      outcome: 'denied',
      metadata: { reason: why, method: provider },
    });
    return { kind: 'refused', why };
  }
}

/** What is no address to us is none: neither to look for an account by nor to make one with. */
function judged(identity: ExternalIdentity): JudgedIdentity {
  const email = readEmail(identity.email ?? '');
  if (email) return { ...identity, email: email.typed, hasUnusableEmail: false };
  const hasUnusableEmail = judgeEmail(identity.email ?? '') === 'deceptive';
  return { ...identity, email: null, emailVerified: false, hasUnusableEmail };
}
