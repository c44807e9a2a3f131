import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { canAdministerTenant, type UserActor } from '../../common/actor.js';
import { ClientCookie } from '../../common/http/client-cookie.js';
import { SETTINGS, type Settings } from '../../config/settings.js';

const MONTH_SECONDS = 30 * 24 * 3600;

/** Which of their tenants an operator looks at. The cookie is a hint: it opens nothing that they do not govern. */
@Injectable()
export class ActiveTenant {
  private readonly cookie: ClientCookie;

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.cookie = new ClientCookie('tenant', settings.baseUrl, /^[0-9a-f-]{36}$/);
  }

  read(request: Request, actor: UserActor): string | null {
    const own = [...actor.authority.tenants];
    const hint = this.cookie.read(request);
    if (hint && canAdministerTenant(actor, hint)) return hint;
    return own.length === 1 && !actor.authority.platform ? own[0]! : null;
  }

  write(response: Response, tenantId: string): void {
    this.cookie.write(response, tenantId, MONTH_SECONDS);
  }
}
