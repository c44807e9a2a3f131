import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { type CryptoKey, importJWK } from 'jose';
import { Clock } from '../../common/clock.js';
import { type RequestContext } from '../../common/request-context.js';
import { SecretBox } from '../../crypto/secret-box.js';
import { NotificationListener } from '../../database/notifications/notification-listener.js';
import { CACHE_CHANNEL } from '../../database/notifications/notified-cache.js';
import { aadOfSigningKey, NewSigningKeys } from './new-signing-keys.js';
import type { SigningKey } from './signing-key.entity.js';
import { SigningKeysRepository } from './signing-keys.repository.js';

const ALGORITHM = 'RS256';
const RELOAD_MS = 60_000;

export interface UsableKey {
  readonly kid: string;
  readonly publicJwk: SigningKey['publicJwk'];
  readonly privateKey: KeyObject;
  readonly publicKey: CryptoKey;
  /** In Unix milliseconds. */
  readonly activatesAt: number;
  readonly retiresAt: number;
}

/** What an operator can see of a key: everything except for the key itself. */
export type KeyFacts = Pick<SigningKey, 'kid' | 'createdAt' | 'activatesAt' | 'retiresAt'>;

/**
 * The RSA keys, decrypted once and cached, so that tokens can be verified and the key set is served while the database
 * is unavailable. Reloaded when the table changes, when the listening connection is restored, and every minute.
 */
@Injectable()
export class SigningKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(SigningKeys.name);
  private keys: readonly UsableKey[] = [];
  private timer?: NodeJS.Timeout;
  private reloading: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: SigningKeysRepository,
    private readonly newKeys: NewSigningKeys,
    private readonly box: SecretBox,
    private readonly clock: Clock,
    private readonly listener: NotificationListener,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.newKeys.createFirst();
    await this.reloadQuietly();
    this.listener.on(CACHE_CHANNEL, (table) => {
      if (table === 'signing_keys') void this.reloadQuietly();
    });
    this.listener.onReconnect(() => void this.reloadQuietly());
    this.timer = setInterval(() => void this.reloadQuietly(), RELOAD_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The current signing key: the latest active one. */
  current(): UsableKey {
    const now = this.clock.now().getTime();
    const active = this.keys.filter((key) => key.activatesAt <= now).at(-1) ?? this.keys[0];
    if (!active) {
      throw new Error(
        'There is no signing key. If the log says that it cannot be decrypted, set the SECRET_KEY that encrypted it, or ' +
          'add a key with "npm run cli -- keys rotate --immediately", which ends all access tokens.',
      );
    }
    return active;
  }

  /** A published key by id. */
  find(kid: string): UsableKey | null {
    const now = this.clock.now().getTime();
    return this.keys.find((key) => key.kid === kid && key.retiresAt > now) ?? null;
  }

  /**
   * The public key by id, however long ago it was retired. It is derived from the private key, which only SECRET_KEY
   * decrypts: a row that an attacker wrote into the table proves nothing.
   * @throws SealedValueUnreadable
   */
  async findEver(kid: string): Promise<KeyObject | null> {
    const row = await this.repository.find(kid);
    return row && createPublicKey(this.box.open(row.sealedPrivateKey, aadOfSigningKey(kid)));
  }

  /** Published keys, oldest first. The array is replaced when the set changes. */
  published(): readonly UsableKey[] {
    return this.keys;
  }

  /** The published keys, read from the table, oldest first: another process may have just rotated them. */
  async list(): Promise<KeyFacts[]> {
    const rows = await this.repository.listPublished();
    return rows.map(({ kid, createdAt, activatesAt, retiresAt }) => ({ kid, createdAt, activatesAt, retiresAt }));
  }

  /**
   * Adds a key. It is published at once and signs an hour later, so that no client with a cached key set meets an
   * unknown key id. `immediately` is for a leaked key: tokens of the old keys are refused, which ends every access
   * token that they signed.
   * @returns the new key id
   */
  async rotate(ctx: RequestContext, { immediately }: { readonly immediately: boolean }): Promise<string> {
    const kid = await this.newKeys.rotate(ctx, { immediately });
    await this.reload();
    return kid;
  }

  private reload(): Promise<void> {
    this.reloading = this.reloading
      .catch(() => undefined)
      .then(async () => {
        const rows = await this.repository.listPublished();
        // Retired keys are dropped first, because the new key may be one that this process cannot decrypt.
        this.keys = withoutRetired(this.keys, rows);
        this.keys = await this.decodeAll(rows);
      });
    return this.reloading;
  }

  private async reloadQuietly(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      this.logger.warn(
        `Signing keys could not be loaded; those already loaded are still used: ${(error as Error).message}`,
      );
    }
  }

  /**
   * A key that cannot be decrypted is left out, and clients refuse its tokens. The other keys still sign and verify.
   * @throws if it is the current signing key, because an older one must not replace it unnoticed
   */
  private async decodeAll(rows: readonly SigningKey[]): Promise<UsableKey[]> {
    const now = this.clock.now();
    const current = rows.findLast(({ activatesAt }) => activatesAt <= now) ?? rows[0];
    const keys: UsableKey[] = [];
    for (const row of rows) {
      const decoded = await this.decode(row).catch((error: unknown) => {
        if (row === current) throw error;
        this.logger.error(`Signing key ${row.kid} is left out: ${(error as Error).message}`);
        return null;
      });
      if (decoded) keys.push(decoded);
    }
    return keys;
  }

  private async decode(row: SigningKey): Promise<UsableKey> {
    const known = this.keys.find((key) => key.kid === row.kid);
    return {
      kid: row.kid,
      publicJwk: row.publicJwk,
      privateKey: known?.privateKey ?? createPrivateKey(this.box.open(row.sealedPrivateKey, aadOfSigningKey(row.kid))),
      publicKey: known?.publicKey ?? ((await importJWK({ ...row.publicJwk }, ALGORITHM)) as CryptoKey),
      activatesAt: row.activatesAt.getTime(),
      retiresAt: retirementOf(row),
    };
  }
}

/** The loaded keys that are still published, which retire when the table says. */
function withoutRetired(keys: readonly UsableKey[], rows: readonly SigningKey[]): readonly UsableKey[] {
  return keys.flatMap((key) => {
    const row = rows.find(({ kid }) => kid === key.kid);
    return row ? [{ ...key, retiresAt: retirementOf(row) }] : [];
  });
}

/** In Unix milliseconds. */
function retirementOf({ retiresAt }: SigningKey): number {
  return retiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
}
