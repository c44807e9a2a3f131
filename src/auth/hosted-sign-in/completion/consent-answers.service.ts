import { Injectable } from '@nestjs/common';
import { isSelfRegistered } from '../../../apps/app/app-origin.rules.js';
import type { RequestContext } from '../../../common/request-context.js';
import { type RequestedAccess, Consents } from '../../../tokens/grants/consent/consents.service.js';
import { DeviceAuthorizations } from '../../../tokens/grants/device/device-authorizations.service.js';
import { ProofTransactions } from '../../../users/proof-transactions.js';
import { actingAs } from '../../entry/entry.service.js';
import type { IdentifiedState } from './attempt-finisher.js';
import { ClientJoins } from './client-joins.js';
import { attemptProof } from '../attempts/attempt-proof.js';
import { SignInAttemptsRepository } from '../attempts/sign-in-attempts.repository.js';

/**
 * Answers to the consent page. They require a valid proof: an owner who takes over the account ends the answers of the
 * previous user.
 */
@Injectable()
export class ConsentAnswers {
  constructor(
    private readonly consents: Consents,
    private readonly joins: ClientJoins,
    private readonly attempts: SignInAttemptsRepository,
    private readonly devices: DeviceAuthorizations,
    private readonly proofs: ProofTransactions,
  ) {}

  /**
   * Enrolls a member of the tenant in a self-registered client.
   * @throws ProofOutdated
   */
  async allow(
    ctx: RequestContext,
    { attempt, user, client, entry }: IdentifiedState,
    access: RequestedAccess,
    scopes: readonly string[],
  ): Promise<void> {
    const { app } = client;
    const asUser = actingAs(ctx, user, client);
    const isJoining = entry === 'not_enrolled' && isSelfRegistered(app);
    await this.proofs.run(attemptProof(attempt), async (tx) => {
      if (isJoining) await this.joins.join(tx, asUser, user.id, app);
      await this.consents.give(tx, asUser, { userId: user.id, app }, access, scopes);
      await this.attempts.recordConsent(tx, attempt.id, user.id);
    });
    if (isJoining) this.joins.forget(user.id);
  }

  /**
   * A device gets the refusal with its next poll.
   * @throws ProofOutdated
   */
  async deny(ctx: RequestContext, { attempt, user, client }: IdentifiedState): Promise<void> {
    const { device } = attempt.request;
    await this.proofs.run(attemptProof(attempt), async (tx) => {
      await this.attempts.recordDenial(tx, attempt.id, user.id);
      if (device) await this.devices.deny(tx, device);
      await this.consents.recordDenial(tx, actingAs(ctx, user, client), user.id, client.app);
    });
  }
}
