import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { RequestContext } from '../../../common/request-context.js';
import { isUuid } from '../../../common/validation/fields.js';
import { Transactions } from '../../../database/transactions.js';
import type { AccessClaims } from '../../jwt/token-use.js';
import { ExchangeRefused } from '../../protocol/tokens.errors.js';
import type { SubjectToken } from './subject-tokens.js';
import { type NewTokenExchange, TokenExchangesRepository } from './token-exchanges.repository.js';
import { appIdOf } from '../../jwt/token-app.rules.js';

/** Stores exchanges. Every exchanged token depends on its record. */
@Injectable()
export class TokenExchangeRecords {
  constructor(
    private readonly repository: TokenExchangesRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /**
   * The audit entry contains both the user and the app that acts for them. @throws ExchangeRefused if the sign-in has
   * just ended
   */
  async add(
    ctx: RequestContext,
    client: RegisteredClient,
    subject: SubjectToken,
    issued: Pick<NewTokenExchange, 'id' | 'resource' | 'scope' | 'lifetimeSeconds'>,
  ): Promise<void> {
    const { claims, family, servedResource } = subject;
    await this.transactions.run(async (tx) => {
      const recorded = await this.repository.insert(tx, {
        ...issued,
        end: claims.exp,
        familyId: family.id,
        parentId: claims.act ? claims.jti : null,
        actorAppId: client.app.id,
        servedResource,
      });
      if (!recorded) throw new ExchangeRefused('Invalid subject_token');
      await this.audit.record(tx, asServer(ctx, client), 'token.exchanged', {
        ...subjectOf(claims, issued.id),
        appId: family.appId,
        metadata: { resource: issued.resource, scope: issued.scope, refresh_family: family.id, from: appIdOf(claims) },
      });
    });
  }

  /** Revokes an exchanged token, with all tokens that it was exchanged for. The sign-in continues. */
  async revoke(ctx: RequestContext, client: RegisteredClient, claims: AccessClaims): Promise<void> {
    if (!isUuid(claims.jti)) return;
    await this.transactions.run(async (tx) => {
      if (!(await this.repository.revoke(tx, claims.jti))) return;
      await this.audit.record(tx, asServer(ctx, client), 'token.exchange_revoked', {
        ...subjectOf(claims, claims.jti),
        appId: client.app.id,
        metadata: { resource: claims.aud },
      });
    });
  }
}

/** The client has authenticated with its secret or key. */
export function asServer(ctx: RequestContext, { app }: RegisteredClient): RequestContext {
  return { ...ctx, actor: { type: 'service', appId: app.id, tenantId: app.tenantId, scopes: new Set() } };
}

function subjectOf({ sub, tenant_id }: AccessClaims, id: string) {
  return { userId: sub, tenantId: tenant_id, target: { type: 'token_exchange', id } };
}
