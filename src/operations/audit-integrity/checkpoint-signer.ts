import { Inject, Injectable } from '@nestjs/common';
import { CompactSign, compactVerify } from 'jose';
import type { ChainHead } from '../../audit/chain/audit-chains.repository.js';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SigningKeys } from '../../tokens/keys/signing-keys.js';
import type { StoredCheckpoint } from './audit-checkpoints.repository.js';

/** No access token, ID token or other signed object has this type (RFC 8725 section 3.11). */
const TYPE = 'audit-checkpoint+jwt';
const ALGORITHM = 'RS256';

/** The content of a checkpoint. */
export interface Checkpoint {
  readonly chain: string;
  readonly seq: number;
  readonly hash: Buffer;
  /** In ISO 8601. */
  readonly time: string;
}

/** Signs the head of a chain with the key that signs tokens, and verifies such signatures. */
@Injectable()
export class CheckpointSigner {
  constructor(
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async sign({ id, seq, hash }: ChainHead): Promise<StoredCheckpoint & { readonly kid: string }> {
    const { kid, privateKey } = this.keys.current();
    const said = { iss: this.settings.baseUrl, chain: id, seq, hash: hash.toString('hex'), time: this.clock.now() };
    const jws = await new CompactSign(Buffer.from(JSON.stringify(said)))
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: TYPE })
      .sign(privateKey);
    return { chain: id, seq, hash, kid, jws };
  }

  /** The content of the stored signature; null if it is invalid. Keys are kept, however long ago they were retired. */
  async read(jws: string): Promise<Checkpoint | null> {
    try {
      const { payload } = await compactVerify(
        jws,
        async ({ kid, typ }) => {
          const key = typ === TYPE && kid ? await this.keys.findEver(kid) : null;
          if (!key) throw new Error('unknown key');
          return key;
        },
        { algorithms: [ALGORITHM] },
      );
      const { chain, seq, hash, time } = JSON.parse(Buffer.from(payload).toString('utf8')) as Record<string, string>;
      return { chain: chain!, seq: Number(seq), hash: Buffer.from(hash!, 'hex'), time: time! };
    } catch {
      return null;
    }
  }
}
