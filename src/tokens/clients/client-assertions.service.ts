import { Inject, Injectable } from '@nestjs/common';
import { type ClientKey, keysFor } from '../../apps/app/client-keys.rules.js';
import type { LiveKeys } from '../../apps/directory/live-clients.js';
import { Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { SpentProofs } from '../proofs/spent-proofs.service.js';
import { isSignedBy } from '../protocol/is-signed-by.js';
import { type AssertionFault, judgeAssertion, readAssertion } from './client-assertion.rules.js';
import { PublishedKeys } from './published-keys.js';

/** Assertions that clients sign with their own key (RFC 7523, OpenID Connect Core section 9). */
@Injectable()
export class ClientAssertions {
  constructor(
    private readonly published: PublishedKeys,
    private readonly spent: SpentProofs,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Verifies an assertion and uses it up. The app's keys are fetched after the claims are checked, so that a caller
   * without a key cannot cause requests to `jwks_uri` at will.
   * @param clientId in lower case
   * @returns why it does not authenticate this client; null: it does
   */
  async spend(clientId: string, { jwks, jwks_uri: uri }: LiveKeys, assertion: string): Promise<AssertionFault | null> {
    const read = readAssertion(assertion);
    if (typeof read === 'string') return read;
    const { header, claims } = read;
    const about = { clientId, issuer: this.settings.baseUrl, now: this.clock.seconds() };
    const fault = judgeAssertion(claims, about);
    if (fault) return fault;
    const keys = uri ? await this.published.find(uri, header) : keysFor(jwks ?? { keys: [] }, header);
    if (keys.length === 0) return 'assertion_unknown_key';
    if (!(await isSignedByOne(keys, assertion, header.alg))) return 'assertion_signature';
    const name = { kind: 'assertion', owner: clientId, jti: claims['jti'] as string } as const;
    return (await this.spent.spend(name, claims['exp'] as number)) ? null : 'assertion_replayed';
  }
}

async function isSignedByOne(keys: readonly ClientKey[], assertion: string, alg: string): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(key, assertion, alg)) return true;
  return false;
}
