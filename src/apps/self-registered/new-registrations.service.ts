import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { Randomness } from '../../common/randomness.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { clientNetwork } from '../../rate-limits/client-address.js';
import { registrationClientId } from '../app/client-id.rules.js';
import type { RequestedClient } from '../app/client-registration.rules.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';
import { RegistrationRequests } from './registration-requests.js';

export interface NewRegistration extends RequestedClient {
  readonly clientId: string;
  readonly issuedAt: Date;
}

/**
 * Registers clients at their own request (RFC 7591). They belong to no tenant until they begin a sign-in for a tenant's
 * resource.
 */
@Injectable()
export class NewRegistrations {
  constructor(
    private readonly requests: RegistrationRequests,
    private readonly registrations: ClientRegistrationsRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
    private readonly randomness: Randomness,
  ) {}

  /** @throws ClientsCannotRegister, RateLimited, ClientRegistrationRefused */
  async register(ctx: RequestContext, body: unknown): Promise<NewRegistration> {
    const requested = await this.requests.read(ctx, body);
    const id = this.randomness.uuid();
    const clientId = registrationClientId(id);
    const issuedAt = await this.transactions.run(async (tx) => {
      const { clientName, redirectUris } = requested;
      await this.audit.record(tx, ctx, 'client.registered', {
        target: { type: 'client', id: clientId },
        metadata: { client_id: clientId, client_name: clientName, redirect_uris: redirectUris },
      });
      return this.registrations.insert(tx, id, requested, clientNetwork(ctx.ip));
    });
    return { ...requested, clientId, issuedAt };
  }
}
