import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Randomness } from '../../../common/randomness.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import { ProviderStatesRepository } from './provider-states.repository.js';

const STATE_SECONDS = 600;
/** The format of {@link newOpaqueToken}. */
const STATE = /^[\w-]{43}$/;

/** The values that are stored with a new state: the browser, the purpose, and the nonce that the provider gets. */
export interface NewState {
  readonly browserHash: Buffer;
  readonly attemptId: string | null;
  readonly linkUserId: string | null;
  readonly fromPage: boolean;
  readonly nonce: string;
}

export interface UsedState {
  readonly attemptId: string | null;
  readonly linkUserId: string | null;
  readonly fromPage: boolean;
  /** PKCE verifier (RFC 7636). */
  readonly verifier: string;
  readonly nonce: string;
  readonly postedName: string | null;
}

/** A request to `/oauth/{provider}/…`. */
export interface ProviderRequest extends Request {
  /** The values of the state in the URL, once it has been used up. */
  usedState?: Promise<UsedState | null>;
}

/**
 * Creates and uses up `state`, `nonce` and PKCE verifier of every sign-in at a provider. The state has 256 random bits,
 * and only its hash is stored; nonce and verifier are stored encrypted. It is valid for ten minutes and one use, in one
 * browser and at one provider.
 *
 * Strategies of passport-oauth2 get this object as their `store`. The library counts the parameters of the two hooks,
 * and passes the PKCE verifier only if they have exactly five and four.
 */
@Injectable()
export class ProviderStates {
  constructor(
    private readonly states: ProviderStatesRepository,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
    private readonly browser: BrowserBinding,
  ) {}

  /** Options for the start of a strategy. The nonce is sent to the provider and stored with the state. */
  startOf(kept: Omit<NewState, 'nonce'>): { readonly nonce: string; readonly state: NewState } {
    const { token: nonce } = newOpaqueToken(this.randomness);
    return { nonce, state: { ...kept, nonce } };
  }

  /**
   * Hook of passport-oauth2 before the redirect to the provider.
   * @param done gets the `state` for the URL
   */
  store(
    request: ProviderRequest,
    verifier: string,
    state: NewState,
    _meta: unknown,
    done: (error: unknown, state?: string) => void,
  ): void {
    // If `done` throws, the request fails, not the process.
    void this.begin(request, verifier, state)
      .then((handle) => done(null, handle))
      .catch(done);
  }

  /**
   * Hook of passport-oauth2 for a callback with a state.
   * @param done gets the PKCE verifier
   */
  verify(
    request: ProviderRequest,
    _state: string,
    _meta: unknown,
    done: (error: unknown, verifier?: string | false, info?: object) => void,
  ): void {
    void this.use(request)
      .then((used) => (used ? done(null, used.verifier) : done(null, false, { message: 'unknown state' })))
      .catch(done);
  }

  /** @returns the new `state` */
  async begin(request: ProviderRequest, verifier: string, { nonce, ...kept }: NewState): Promise<string> {
    const { token: state, hash: stateHash } = newOpaqueToken(this.randomness);
    const sealed = this.box.seal(JSON.stringify({ verifier, nonce }), aadOfProviderState(stateHash));
    await this.states.insert({ ...kept, stateHash, provider: providerOf(request), sealed }, STATE_SECONDS);
    return state;
  }

  /**
   * Uses up the state in the URL. A second call in the same request returns the same result.
   * @returns null if the state is unknown, used, expired, of another browser or of another provider; no response says
   * which
   */
  use(request: ProviderRequest): Promise<UsedState | null> {
    return (request.usedState ??= this.consume(request));
  }

  /** Stores the name that Apple posts once, for the GET that follows. */
  async keepName(provider: ProviderName, state: string, name: string): Promise<void> {
    if (STATE.test(state)) await this.states.keepName(hashOpaqueToken(state), provider, name);
  }

  private async consume(request: ProviderRequest): Promise<UsedState | null> {
    const { state } = request.query;
    if (typeof state !== 'string' || !STATE.test(state)) return null;
    const stateHash = hashOpaqueToken(state);
    const used = await this.states.consume(stateHash, providerOf(request), this.browser.readHashes(request));
    if (!used) return null;
    const { sealed, ...kept } = used;
    const secrets = JSON.parse(this.box.open(sealed, aadOfProviderState(stateHash))) as {
      verifier: string;
      nonce: string;
    };
    return { ...kept, ...secrets };
  }
}

function providerOf(request: ProviderRequest): ProviderName {
  return request.params['provider'] as ProviderName;
}

/** Additional authenticated data of the encrypted values. */
export function aadOfProviderState(stateHash: Buffer): string {
  return `provider_states:${stateHash.toString('hex')}`;
}
