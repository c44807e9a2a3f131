import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Randomness } from '../common/randomness.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted value that no known key decrypts, or that was moved to another row. */
export class SealedValueUnreadable extends Error {
  constructor(reason: string) {
    super(`A sealed value cannot be opened: ${reason}`);
  }
}

/**
 * Encryption at rest: AES-256-GCM with a new nonce for each value, and the key id in the stored string. The row's
 * identity is additional authenticated data, so a value that is copied to another row does not decrypt. Format:
 * `v1.<key id>.<base64url nonce|ciphertext|tag>`.
 */
export class SecretBox {
  private readonly current: { id: string; key: Buffer };
  private readonly known: ReadonlyMap<string, Buffer>;

  /** @param alarm called with each value that cannot be decrypted, before the caller gets the error */
  constructor(
    key: Buffer,
    previous: Buffer | null,
    private readonly randomness: Randomness,
    private readonly alarm: (row: string, error: SealedValueUnreadable) => void = () => undefined,
  ) {
    this.current = { id: keyId(key), key };
    this.known = new Map([key, ...(previous ? [previous] : [])].map((each) => [keyId(each), each]));
  }

  /** @param row that stores the value, for example `signing_keys:<kid>` */
  seal(plain: string, row: string): string {
    const nonce = this.randomness.bytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.current.key, nonce, { authTagLength: TAG_BYTES }).setAAD(
      Buffer.from(row),
    );
    const sealed = Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.current.id}.${sealed.toString('base64url')}`;
  }

  /** @throws SealedValueUnreadable */
  open(sealed: string, row: string): string {
    try {
      return this.decrypt(sealed, row);
    } catch (error) {
      if (error instanceof SealedValueUnreadable) this.alarm(row, error);
      throw error;
    }
  }

  /** As {@link open}; null if the value cannot be decrypted, for callers that can continue without it. */
  openIfReadable(sealed: string, row: string): string | null {
    try {
      return this.open(sealed, row);
    } catch (error) {
      if (error instanceof SealedValueUnreadable) return null;
      throw error;
    }
  }

  /** Whether the value was encrypted with an older key and should be encrypted again. */
  isStale(sealed: string): boolean {
    return sealed.split('.')[1] !== this.current.id;
  }

  private decrypt(sealed: string, row: string): string {
    const [version, id, body] = sealed.split('.');
    const key = version === 'v1' && id && body ? this.known.get(id) : undefined;
    if (!key || !body)
      throw new SealedValueUnreadable(`no key ${id ?? '?'}; SECRET_KEY or SECRET_KEY_PREVIOUS must hold it`);
    const bytes = Buffer.from(body, 'base64url');
    // Without a fixed length, Node accepts shorter tags, which are easier to guess.
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(row))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new SealedValueUnreadable('it was altered or belongs to another row');
    }
  }
}

function keyId(key: Buffer): string {
  return createHash('sha256').update('secret-box key id').update(key).digest('hex').slice(0, 8);
}
