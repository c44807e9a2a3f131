import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '../../common/request-context.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { clientAddressKey } from '../../rate-limits/client-address.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { TenantsService } from '../../tenants/tenants.service.js';
import { ClientRegistrationRefused, ClientsCannotRegister } from '../app/apps.errors.js';
import { readRegistration, type RequestedClient } from '../app/client-registration.rules.js';

/** Registration requests (RFC 7591): checks whether any tenant accepts them, and reads the metadata. */
@Injectable()
export class RegistrationRequests {
  constructor(
    private readonly tenants: TenantsService,
    private readonly limits: RateLimitsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ClientsCannotRegister, RateLimited, ClientRegistrationRefused */
  async read({ ip }: RequestContext, body: unknown): Promise<RequestedClient> {
    await this.limits.consume('client_registrations', clientAddressKey(ip));
    if (!(await this.tenants.acceptedClients()).registrations) throw new ClientsCannotRegister();
    const requested = readRegistration(body, this.settings.baseUrl);
    if ('error' in requested) throw new ClientRegistrationRefused(requested);
    return requested;
  }
}
