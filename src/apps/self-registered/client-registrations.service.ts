import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import { readRegistrationClientId } from '../app/client-id.rules.js';
import { ClientRegistrationsRepository } from './client-registrations.repository.js';
import { SelfRegisteredApps } from './self-registered-apps.js';
import type { SelfRegisteredKind } from './self-registered-kind.js';

/** Seconds after which a sign-in marks the client as used again, and applies changes of the tenant's settings. */
const KEEP_FOR = 3_600;

/** Clients that registered by a request (docs/decisions/0080). */
@Injectable()
export class ClientRegistrations implements SelfRegisteredKind {
  constructor(
    private readonly registrations: ClientRegistrationsRepository,
    private readonly selfRegistered: SelfRegisteredApps,
  ) {}

  keyOf(clientId: string) {
    const registrationId = readRegistrationClientId(clientId);
    return registrationId === null ? null : { registrationId };
  }

  /** A tenant that has too many clients refuses one that is not gone. */
  async isGone(clientId: string): Promise<boolean> {
    return !(await this.registrations.exists(this.keyOf(clientId)!.registrationId));
  }

  isAcceptedBy({ clientRegistration }: Tenant): boolean {
    return clientRegistration;
  }

  async read(ctx: RequestContext, tenantId: string, clientId: string): Promise<string | null> {
    const key = this.keyOf(clientId)!;
    return this.selfRegistered.save(ctx, tenantId, async (tx) => {
      const registration = await this.registrations.use(tx, key.registrationId);
      return (
        registration && {
          key,
          origin: 'dynamic_registration',
          // Uses nothing that the client claims, because the name appears in e-mails and on pages. The end of the id is
          // its random part.
          name: `Registered client ${key.registrationId.slice(-8)}`,
          claimedName: registration.clientName,
          redirectUris: registration.redirectUris,
          // The device grant would show the user nothing that identifies such a client, and the code may come from an
          // attacker (RFC 8628 section 5.4).
          usesDevices: false,
          keepFor: KEEP_FOR,
        }
      );
    });
  }
}
