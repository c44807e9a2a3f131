import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../common/actor.js';
import type { RequestContext } from '../common/request-context.js';
import { Statements } from '../database/statements.js';
import { Transactions } from '../database/transactions.js';
import { clientAddressKey } from '../rate-limits/client-address.js';
import { AuditService, type AuditSubject } from './audit.service.js';
import type { AuditAction } from './entries/audit-action.js';

/** Of concurrent reads, one gets the row, decided by the database. */
const BEGIN_HOUR = {
  name: 'audit.begin_hour_of_read',
  text: `INSERT INTO audited_reads AS earlier (read_hash, expires_at) VALUES ($1, now() + interval '1 hour')
    ON CONFLICT ON CONSTRAINT pk_audited_reads DO UPDATE SET expires_at = EXCLUDED.expires_at
      WHERE earlier.expires_at <= now()
    RETURNING 1`,
};

/**
 * Records who has read a secret. Reads are easily repeated, and entries cannot be deleted, so there is one entry in an
 * hour for each caller, network address and secret: a stolen session must not hide behind its owner. A secret that was
 * replaced in the meantime has an entry of its own, and so has an operator who acts as a tenant or an app.
 */
@Injectable()
export class AuditedReads {
  constructor(
    private readonly audit: AuditService,
    private readonly statements: Statements,
    private readonly transactions: Transactions,
  ) {}

  /** @param secret that is shown; only a hash of it is stored */
  async record(ctx: RequestContext, action: AuditAction, subject: AuditSubject, secret: string): Promise<void> {
    const hash = hashOf(ctx, action, subject, secret);
    await this.transactions.run(async (tx) => {
      const [isFirst] = await this.statements.run(BEGIN_HOUR, [hash], tx);
      if (isFirst) await this.audit.record(tx, ctx, action, subject);
    });
  }
}

function hashOf({ actor, actingAs, ip }: RequestContext, action: AuditAction, subject: AuditSubject, secret: string) {
  const { target } = subject;
  const read = [
    callerOf(actor),
    clientAddressKey(ip),
    actingAs?.type,
    actingAs?.id,
    action,
    target?.type,
    target?.id,
    secret,
  ];
  return createHash('sha256')
    .update(JSON.stringify(read.map((part) => part ?? null)))
    .digest();
}

/** A user is another caller at the server of an app, which has only their token. */
function callerOf(actor: Actor): string {
  switch (actor.type) {
    case 'user':
      return `user ${actor.userId} ${actor.viaApp ?? ''}`;
    case 'service':
      return `app ${actor.appId}`;
    case 'system':
      return `system ${actor.name}`;
    case 'anonymous':
      return actor.type;
  }
}
