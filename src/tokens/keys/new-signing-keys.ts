import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { Injectable } from '@nestjs/common';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { AuditService } from '../../audit/audit.service.js';
import { type RequestContext, systemContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { Transactions } from '../../database/transactions.js';
import type { SigningKey } from './signing-key.entity.js';
import { SigningKeysRepository } from './signing-keys.repository.js';

const MODULUS_BITS = 2048;

/** Clients cache the key set for an hour, so a new key is published that long before it signs. */
const PUBLISHED_AHEAD_SECONDS = 3600;
/** An access token is valid for at most 1440 minutes; a retired key stays a little longer. */
const KEPT_AFTER_SECONDS = 1440 * 60 + 300;

/** Creates keys and stores them with an audit entry. */
@Injectable()
export class NewSigningKeys {
  constructor(
    private readonly repository: SigningKeysRepository,
    private readonly box: SecretBox,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @returns the new key id */
  async rotate(ctx: RequestContext, { immediately }: { readonly immediately: boolean }): Promise<string> {
    const key = await this.generate();
    const delay = immediately ? 0 : PUBLISHED_AHEAD_SECONDS;
    await this.transactions.run(async (tx) => {
      await this.repository.lock(tx);
      await this.repository.insert(tx, key, delay);
      await this.repository.retireOthers(tx, key.kid, immediately ? 0 : delay + KEPT_AFTER_SECONDS);
      await this.audit.record(tx, ctx, 'signing_key.rotated', {
        target: { type: 'signing_key', id: key.kid },
        metadata: { immediately },
      });
    });
    return key.kid;
  }

  /** Does nothing if there is already a key. */
  async createFirst(): Promise<void> {
    if ((await this.repository.listPublished()).length > 0) return;
    const key = await this.generate();
    await this.transactions.run(async (tx) => {
      await this.repository.lock(tx);
      if (await this.repository.exists(tx)) return;
      await this.repository.insert(tx, key, 0);
      await this.audit.record(tx, systemContext('start'), 'signing_key.created', {
        target: { type: 'signing_key', id: key.kid },
      });
    });
  }

  private async generate(): Promise<Pick<SigningKey, 'kid' | 'publicJwk' | 'sealedPrivateKey'>> {
    const pair = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
    const { n, e } = await exportJWK(pair.publicKey);
    const publicJwk = { kty: 'RSA' as const, n: n!, e: e! };
    const kid = await calculateJwkThumbprint(publicJwk);
    const pem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { kid, publicJwk, sealedPrivateKey: this.box.seal(pem, aadOfSigningKey(kid)) };
  }
}

/** Additional authenticated data of the encrypted private key. */
export function aadOfSigningKey(kid: string): string {
  return `signing_keys:${kid}`;
}
