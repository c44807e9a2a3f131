import { Injectable } from '@nestjs/common';
import { AppDirectory, type KnownApp } from '../apps/app-directory.js';
import { AuditService } from '../audit/audit.service.js';
import type { RequestContext } from '../common/request-context.js';
import { isUuid } from '../common/validation/fields.js';
import { matchesHash } from '../crypto/opaque-token.js';
import { InvalidClient } from './tokens.errors.js';

/** Compared against for unknown clients: the same work on a miss. */
const NO_HASH = Buffer.alloc(32);

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** Client secrets are 256 random bits, so SHA-256 and a constant-time comparison suffice. */
@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly directory: AppDirectory,
    private readonly audit: AuditService,
  ) {}

  /** The open app whose secret this is. Unknown, switched off and wrong are not told apart. @throws InvalidClient */
  async authenticate(ctx: RequestContext, { clientId, clientSecret }: ClientCredentials): Promise<KnownApp> {
    const known = isUuid(clientId) ? await this.directory.find(clientId.toLowerCase()) : null;
    const matches = matchesHash(clientSecret ?? '', known?.app.clientSecretHash ?? NO_HASH);
    if (known?.isOpen && matches) return known;
    if (known) {
      await this.audit.recordAlone(ctx, 'service_token.refused', {
        appId: known.app.id,
        tenantId: known.app.tenantId,
        outcome: 'failure',
        metadata: { reason: matches ? 'switched_off' : 'wrong_secret' },
      });
    }
    throw new InvalidClient();
  }
}
