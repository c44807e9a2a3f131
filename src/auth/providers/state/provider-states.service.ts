import { Injectable } from '@nestjs/common';
import { Randomness } from '../../../common/randomness.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import type { ExternalProvider } from '../external-provider.js';
import { ProviderStatesRepository } from './provider-states.repository.js';

const STATE_SECONDS = 600;
/** What {@link newOpaqueToken} makes. */
const STATE = /^[\w-]{43}$/;

/** What a trip to the provider is for. */
export interface Trip {
  readonly browserHash: Buffer;
  readonly attemptId: string | null;
  readonly linkUserId: string | null;
  readonly fromPage: boolean;
  readonly loginHint: string | null;
  readonly prompt: string | null;
}

export interface ReturnedTrip {
  readonly attemptId: string | null;
  readonly linkUserId: string | null;
  readonly fromPage: boolean;
  readonly verifier: string;
  readonly nonce: string;
  readonly postedName: string | null;
}

/**
 * `state`, `nonce` and PKCE verifier of every trip to a provider: 256 random bits, only the hash of the state stored,
 * the other two sealed with it, ten minutes, one use, in one browser, at one provider.
 */
@Injectable()
export class ProviderStates {
  constructor(
    private readonly states: ProviderStatesRepository,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
  ) {}

  /** @returns where the browser goes */
  async depart(provider: ExternalProvider, trip: Trip): Promise<string> {
    const { loginHint, prompt, ...kept } = trip;
    const { token: state, hash: stateHash } = newOpaqueToken(this.randomness);
    const { token: nonce } = newOpaqueToken(this.randomness);
    const { location, verifier } = await provider.start({ state, nonce, loginHint, prompt });
    const sealed = this.box.seal(JSON.stringify({ verifier, nonce }), aadOfProviderState(stateHash));
    await this.states.insert({ ...kept, stateHash, provider: provider.name, sealed }, STATE_SECONDS);
    return location;
  }

  /** Uses the state up. Null: unknown, used, too old, of another browser or for another provider; nobody is told which. */
  async arrive(provider: ProviderName, state: string, browserHashes: readonly Buffer[]): Promise<ReturnedTrip | null> {
    if (!STATE.test(state)) return null;
    const stateHash = hashOpaqueToken(state);
    const used = await this.states.consume(stateHash, provider, browserHashes);
    if (!used) return null;
    const { sealed, ...trip } = used;
    const secrets = JSON.parse(this.box.open(sealed, aadOfProviderState(stateHash))) as {
      verifier: string;
      nonce: string;
    };
    return { ...trip, ...secrets };
  }

  /** The one-time name that came by the posted callback, for the GET that follows it. */
  async keepName(provider: ProviderName, state: string, name: string): Promise<void> {
    if (STATE.test(state)) await this.states.keepName(hashOpaqueToken(state), provider, name);
  }
}

/** Additional data of what is sealed. */
export function aadOfProviderState(stateHash: Buffer): string {
  return `provider_states:${stateHash.toString('hex')}`;
}
