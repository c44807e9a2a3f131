import { Injectable } from '@nestjs/common';
import { isSelfRegistered } from '../../apps/app-origin.rules.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { type AskedAccess, Consents } from '../../tokens/grants/consents.service.js';
import { DeviceAuthorizations } from '../../tokens/grants/device-authorizations.service.js';
import { actingAs } from '../entry/sign-in-completion.service.js';
import type { IdentifiedState } from './attempt-ending.js';
import { ClientJoins } from './client-joins.js';
import { SignInAttemptsRepository } from './sign-in-attempts.repository.js';

/** What a user answers on the page that asks what an app may get. */
@Injectable()
export class ConsentAnswers {
  constructor(
    private readonly consents: Consents,
    private readonly joins: ClientJoins,
    private readonly attempts: SignInAttemptsRepository,
    private readonly devices: DeviceAuthorizations,
    private readonly transactions: Transactions,
  ) {}

  /** A member of the tenant joins a client that has registered itself. */
  async allow(
    ctx: RequestContext,
    { attempt, user, client, entry }: IdentifiedState,
    access: AskedAccess,
    scopes: readonly string[],
  ): Promise<void> {
    const { app } = client;
    const asUser = actingAs(ctx, user, client);
    const isJoining = entry === 'not_enrolled' && isSelfRegistered(app);
    await this.transactions.run(async (tx) => {
      if (isJoining) await this.joins.join(tx, asUser, user.id, app);
      await this.consents.give(tx, asUser, { userId: user.id, app }, access, scopes);
      await this.attempts.consent(tx, attempt.id, user.id, true);
    });
    if (isJoining) this.joins.forget(user.id);
  }

  /** A device hears it at its next poll. */
  async deny(ctx: RequestContext, { attempt, user, client }: IdentifiedState): Promise<void> {
    const { device } = attempt.request;
    await this.transactions.run(async (tx) => {
      await this.attempts.consent(tx, attempt.id, user.id, false);
      if (device) await this.devices.deny(tx, device);
      await this.consents.recordDenial(tx, actingAs(ctx, user, client), user.id, client.app);
    });
  }
}
