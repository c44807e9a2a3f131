import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { canAdministerTenant, NO_AUTHORITY, type UserActor } from '../../../common/actor.js';
import { ClientCookie } from '../../../common/http/browser/client-cookie.js';
import type { RequestContext } from '../../../common/request-context.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';

const MONTH_SECONDS = 30 * 24 * 3600;

/**
 * The tenant that an operator has chosen. The cookie is only a hint: it gives no access to a tenant that they do not
 * govern.
 */
@Injectable()
export class ActiveTenant {
  private readonly cookie: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('tenant', settings.baseUrl, /^[0-9a-f-]{36}$/);
  }

  /** The chosen tenant; null for all tenants, and for operators without a choice. */
  read(request: Request, actor: UserActor): string | null {
    const hint = this.cookie.read(request);
    return hint && mayChooseTenant(actor) && canAdministerTenant(actor, hint) ? hint : null;
  }

  /** @param tenantId null: all */
  write(response: Response, tenantId: string | null): void {
    if (tenantId) this.cookie.write(response, tenantId, MONTH_SECONDS);
    else this.cookie.clear(response);
  }
}

/** An operator of a single tenant has no choice. */
export function mayChooseTenant({ authority: { platform, tenants } }: UserActor): boolean {
  return platform || tenants.size > 1;
}

/** The only tenant of an operator without a choice. */
export function onlyTenantOf(actor: UserActor): string | null {
  return mayChooseTenant(actor) ? null : ([...actor.authority.tenants][0] ?? null);
}

/**
 * Context for reading lists: has the authority of an admin of the chosen tenant. Lists are limited to the caller's
 * authority, so this limits every list, and shows nothing that the operator could not see otherwise.
 */
export function cutToTenant<Context extends RequestContext>(ctx: Context, actor: UserActor, chosen: string | null) {
  if (!chosen) return ctx;
  return { ...ctx, actor: { ...actor, authority: { ...NO_AUTHORITY, tenants: new Set([chosen]) } } };
}
