import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../apps/directory/app-directory.js';
import type { RequestContext } from '../../common/request-context.js';
import { EmailNotVerified } from '../../tokens/protocol/tokens.errors.js';
import { type Proof, proofOf } from '../../users/proof.js';
import { ProofTransactions } from '../../users/proof-transactions.js';
import type { User } from '../../users/user.entity.js';
import { AuditedDenials } from '../access/denials/audited-denials.js';
import { TotpChallenges } from '../credentials/second-factor/check/totp-challenges.service.js';
import { VerificationRequests } from '../email-links/verification-requests.service.js';
import {
  AccountSuspendedForApp,
  InvalidAppId,
  InvalidCredentials,
  NoAccess,
  SecondFactorRequired,
  SignInMethodNotAllowed,
} from '../entry/auth.errors.js';
import { lacksProvenEmail } from '../../enrollment/admission/admission.rules.js';
import type { EntryVerdict } from '../entry/entry.rules.js';
import { EntryService } from '../entry/entry.service.js';

/** Why a sign-in by JSON is refused. */
export type RefusedVerdict = Exclude<EntryVerdict, 'enter' | 'second_factor_due'>;

/** A required second factor, and what is needed to answer. */
export interface SecondFactorChallenge {
  readonly totpSession: string;
}

/** The answers to a sign-in by JSON other than tokens: a refusal, or a further requirement. */
@Injectable()
export class SignInDemands {
  constructor(
    private readonly entry: EntryService,
    private readonly challenges: TotpChallenges,
    private readonly verification: VerificationRequests,
    private readonly proofs: ProofTransactions,
    private readonly denials: AuditedDenials,
  ) {}

  /** @throws ProofOutdated */
  async askSecondFactor(
    proof: Proof,
    { app }: RegisteredClient,
    shown: { deviceId: string | null; authTime: Date; amr: readonly string[]; beginsNoSession?: boolean },
  ): Promise<SecondFactorChallenge> {
    const { deviceId, authTime, amr, beginsNoSession = false } = shown;
    const facts = { appId: app.id, deviceId, authTime, amr: [...amr], beginsNoSession };
    return { totpSession: await this.proofs.run(proof, (tx, held) => this.challenges.begin(tx, held, facts)) };
  }

  /** The reason of a refused sign-in in the audit log. */
  recordRefusal(
    ctx: RequestContext,
    { user, client: { app } }: { readonly user: User; readonly client: RegisteredClient },
    reason: RefusedVerdict | 'credentials_changed',
  ): Promise<void> {
    return this.denials.recordSignIn(ctx, { userId: user.id, tenantId: app.tenantId, appId: app.id }, { reason });
  }

  /** @param setsUpNoFactor the credential of the request cannot set up a second factor */
  async refusalOf(
    verdict: RefusedVerdict,
    client: RegisteredClient,
    proof: Proof,
    setsUpNoFactor = false,
  ): Promise<Error> {
    switch (verdict) {
      case 'suspended':
        return new AccountSuspendedForApp();
      case 'pending':
      case 'not_enrolled':
        return new NoAccess();
      case 'email_not_verified':
        return this.demandVerification(proof.userId, client);
      case 'second_factor_required':
        return new SecondFactorRequired(setsUpNoFactor ? null : await this.setupToken(proof, client));
      case 'method_not_allowed':
        return new SignInMethodNotAllowed();
      case 'app_closed':
        return new InvalidAppId();
      case 'user_inactive':
        return new InvalidCredentials();
    }
  }

  /** Whether a new account must meet further requirements before it enters: a second factor, or a verified address. */
  areLeft(client: RegisteredClient, user: Pick<User, 'emailVerified'>): boolean {
    return this.entry.demandsSecondFactor(client) || lacksProvenEmail(user, client);
  }

  /** For a new account for which {@link areLeft} is true; its verification mail has been queued. */
  async refusalOfNew(user: User, client: RegisteredClient): Promise<Error> {
    if (lacksProvenEmail(user, client)) return new EmailNotVerified();
    return this.refusalOf('second_factor_required', client, proofOf(user));
  }

  private setupToken(proof: Proof, { app }: RegisteredClient): Promise<string> {
    return this.proofs.run(proof, (_, held) => this.challenges.setupToken(held, app.id));
  }

  /**
   * A sign-in by JSON has no page on which the link could be requested again, so it is mailed here, within its limit.
   */
  private async demandVerification(userId: string, client: RegisteredClient): Promise<Error> {
    await this.verification.request(userId, client.app.id);
    return new EmailNotVerified();
  }
}
