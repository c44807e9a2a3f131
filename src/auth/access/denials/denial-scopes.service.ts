import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import type { Actor } from '../../../common/actor.js';
import { isUuid } from '../../../common/validation/fields.js';
import { TenantsService } from '../../../tenants/tenants.service.js';

/** The tenant and app in whose audit log a refusal is recorded. */
export interface DenialScope {
  readonly tenantId?: string;
  readonly appId?: string;
  /** Of a refused sign-in, if there is an account. */
  readonly userId?: string;
}

const NO_SCOPE: DenialScope = {};

/** Finds the tenant that a refusal concerns: the owner of the requested object, otherwise the tenant of the caller. */
@Injectable()
export class DenialScopes {
  constructor(
    private readonly directory: AppDirectory,
    private readonly tenants: TenantsService,
  ) {}

  /** @param parameters of the route; an id of an object that does not exist counts as absent */
  async find(actor: Actor, parameters: Readonly<Record<string, unknown>>): Promise<DenialScope> {
    return (await this.app(parameters['app_id'])) ?? (await this.tenant(parameters['tenant_id'])) ?? this.home(actor);
  }

  private async home(actor: Actor): Promise<DenialScope> {
    if (actor.type === 'service') return { appId: actor.appId, tenantId: actor.tenantId };
    return actor.type === 'user' ? ((await this.app(actor.audience)) ?? NO_SCOPE) : NO_SCOPE;
  }

  private async app(id: unknown): Promise<DenialScope | null> {
    const client = await this.directory.findByClientId(id);
    return client && { appId: client.app.id, tenantId: client.tenant.id };
  }

  private async tenant(id: unknown): Promise<DenialScope | null> {
    const found = isUuid(id) ? await this.tenants.find(id.toLowerCase()) : null;
    return found && { tenantId: found.id };
  }
}
