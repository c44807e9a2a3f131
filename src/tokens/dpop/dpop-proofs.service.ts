import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { calculateJwkThumbprint } from 'jose';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SpentProofs } from '../proofs/spent-proofs.service.js';
import { isSignedBy } from '../protocol/is-signed-by.js';
import { DpopNonces } from './dpop-nonces.js';
import { judgeProof, readProof } from './dpop-proof.rules.js';
import { DpopFault } from './dpop-fault.js';

/** Parts of the request that a proof is about. */
export type ProvenRequest = Pick<Request, 'method' | 'path' | 'headers'>;

/** The key whose possession a request has proven. */
export interface DpopKey {
  /** RFC 7638. */
  readonly jkt: string;
  readonly jti: string;
  /** Unix seconds after which the proof is not accepted anyway. */
  readonly until: number;
}

/** Demonstrating proof of possession (RFC 9449): requests signed with a key that the client keeps. */
@Injectable()
export class DpopProofs {
  constructor(
    private readonly nonces: DpopNonces,
    private readonly spent: SpentProofs,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Checks everything about a proof except for its first use: see {@link spend}.
   * @param accessToken in the same request
   * @throws DpopFault
   */
  async check({ method, path, headers }: ProvenRequest, accessToken: string | null): Promise<DpopKey> {
    const proof = headers['dpop'];
    // Several headers of this name are joined with commas, which no JWT contains.
    const read = typeof proof === 'string' ? readProof(proof) : 'The DPoP header is missing';
    if (typeof read === 'string') throw new DpopFault('invalid_dpop_proof', read);
    const call = { method, url: this.settings.baseUrl + path, now: this.clock.seconds() };
    const fault = judgeProof(read.claims, call) ?? judgeAth(read.claims['ath'], accessToken);
    if (fault) throw new DpopFault('invalid_dpop_proof', fault);
    const { nonce, jti } = read.claims;
    const until = typeof nonce === 'string' ? this.nonces.judge(nonce) : null;
    if (until === null) throw new DpopFault('use_dpop_nonce', 'Send the nonce of the header DPoP-Nonce in the proof');
    if (!(await isSignedBy(read.key, proof as string, read.alg)))
      throw new DpopFault('invalid_dpop_proof', 'The DPoP proof has a wrong signature');
    return { jkt: await calculateJwkThumbprint({ ...read.key }), jti: jti as string, until };
  }

  /** Uses up the proof. @throws DpopFault if it has been used before, in any process */
  async spend({ jkt, jti, until }: DpopKey): Promise<void> {
    if (!(await this.spent.spend({ kind: 'dpop', owner: jkt, jti }, until)))
      throw new DpopFault('invalid_dpop_proof', 'The DPoP proof was used before (jti)');
  }
}

/** Section 4.3, step 12: with an access token, the proof is for that token. */
function judgeAth(ath: unknown, accessToken: string | null): string | null {
  if (accessToken === null) return null;
  const expected = createHash('sha256').update(accessToken).digest('base64url');
  return ath === expected ? null : 'The DPoP proof is for another access token (ath)';
}
