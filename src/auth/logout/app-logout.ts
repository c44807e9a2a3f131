import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestContext } from '../../common/request-context.js';
import { ActiveGrants } from '../../tokens/grants/active-grants.service.js';
import { BrowserSignOut } from '../session/browser-sign-out.js';
import type { LogoutRequest } from './logout-requests.service.js';

/** Signs a browser out because an app asked for it, and revokes the tokens that were issued from its session. */
@Injectable()
export class AppLogout {
  constructor(
    private readonly signOut: BrowserSignOut,
    private readonly grants: ActiveGrants,
  ) {}

  end(ctx: RequestContext, { client }: LogoutRequest, request: Request, response: Response): Promise<void> {
    return this.signOut.end(ctx, request, response, async (tx, ended) => ({
      ...(client ? { appId: client.app.id, tenantId: client.app.tenantId } : {}),
      metadata: { via: 'logout', refresh_families: await this.grants.revokeSession(tx, ended.userId, ended) },
    }));
  }
}
