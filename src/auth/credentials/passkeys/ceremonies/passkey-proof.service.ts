import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { RequestContext } from '../../../../common/request-context.js';
import { type HeldProof } from '../../../../users/proof-guard.js';
import { proofOf, type Proof } from '../../../../users/proof.js';
import { ProofTransactions } from '../../../../users/proof-transactions.js';
import type { User } from '../../../../users/user.entity.js';
import { UsersService } from '../../../../users/users.service.js';
import { PasskeyAssertion, type VerifiedAssertion } from './passkey-assertion.service.js';
import { PasskeyChanges } from '../stored/passkey-changes.service.js';
import type { ExpectedChallenge, ChallengeContext } from '../challenges/passkey-challenges.service.js';
import { countedCeremony } from './passkey-metrics.js';
import { hasCounterGoneBack, passkeyAmr } from '../stored/passkey.rules.js';
import { InvalidPasskey } from '../stored/passkeys.errors.js';
import { PasskeysRepository } from '../stored/passkeys.repository.js';

/** The user who authenticated with a passkey, and how. */
export interface PasskeyOwner {
  readonly user: User;
  /** RFC 8176. */
  readonly amr: readonly string[];
  /** Where the passkey was used. */
  readonly origin: string;
}

interface Claimant {
  readonly user: User;
  readonly proof: Proof;
}

/** The only place where an authenticator's answer is verified and used. */
@Injectable()
export class PasskeyProof {
  constructor(
    private readonly assertions: PasskeyAssertion,
    private readonly passkeys: PasskeysRepository,
    private readonly users: UsersService,
    private readonly proofs: ProofTransactions,
    private readonly changes: PasskeyChanges,
  ) {}

  /**
   * Uses the passkey together with what it gives access to, in one transaction.
   * @param claimant the user, if already identified by another factor; null: the passkey identifies the user
   * @throws InvalidPasskey, ProofOutdated
   */
  prove<T>(
    ctx: RequestContext,
    context: ChallengeContext | ExpectedChallenge,
    claimant: Claimant | null,
    answer: string,
    opens: (tx: EntityManager, held: HeldProof, owner: PasskeyOwner) => Promise<T>,
  ): Promise<T> {
    const expected = typeof context === 'string' ? { context } : context;
    return countedCeremony(claimant ? 'second_factor' : 'sign_in', () =>
      this.tryAnswer(ctx, expected, claimant, answer, opens),
    );
  }

  private async tryAnswer<T>(
    ctx: RequestContext,
    expected: ExpectedChallenge,
    claimant: Claimant | null,
    answer: string,
    opens: (tx: EntityManager, held: HeldProof, owner: PasskeyOwner) => Promise<T>,
  ): Promise<T> {
    // Must come before the account is read: the answer counts for the account as it is from here on.
    const shown = await this.assertions.verify(answer, expected, claimant?.user.id ?? null);
    const user = claimant?.user ?? (await this.users.find(shown.passkey.userId));
    // Not `unknown_credential`: the device must keep the passkey of a user who may be reactivated.
    if (!user?.isActive) throw new InvalidPasskey('not_verified');
    const owner = { user, amr: passkeyAmr(shown.passkey, shown), origin: shown.origin };
    const used = await this.proofs.run(claimant?.proof ?? proofOf(user), async (tx, held) => {
      if (!(await this.passkeys.use(tx, shown.passkey, shown))) return null;
      return { opened: await opens(tx, held, owner) };
    });
    return used ? used.opened : this.refuse(ctx, shown);
  }

  /** The passkey was removed in the meantime, or may have been copied; the audit log records the second case. */
  private async refuse(ctx: RequestContext, { passkey, signCount }: VerifiedAssertion): Promise<never> {
    const current = await this.passkeys.find(passkey.userId, passkey.id);
    if (!current) throw new InvalidPasskey('unknown_credential', passkey.credentialId);
    if (hasCounterGoneBack(current, signCount)) await this.changes.refused(ctx, current, signCount);
    throw new InvalidPasskey('counter');
  }
}
