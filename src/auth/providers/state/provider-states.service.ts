import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Randomness } from '../../../common/randomness.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import { hashOpaqueToken, newOpaqueToken } from '../../../crypto/opaque-token.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { BrowserBinding } from '../../session/browser-binding.js';
import { ProviderStatesRepository } from './provider-states.repository.js';

const STATE_SECONDS = 600;
/** What {@link newOpaqueToken} makes. */
const STATE = /^[\w-]{43}$/;

/** What is kept under a new state: who goes to the provider and what for, and the nonce that the provider is given. */
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
  /** Of the state in the address, once it is used up. */
  usedState?: Promise<UsedState | null>;
}

/**
 * `state`, `nonce` and PKCE verifier of every sign-in at a provider: 256 random bits, only the hash of the state stored,
 * the other two sealed with it, ten minutes, one use, in one browser, at one provider.
 *
 * Given to the strategies as their `store`. passport-oauth2 counts the parameters of the two hooks: with exactly five
 * and four it passes the PKCE verifier.
 */
@Injectable()
export class ProviderStates {
  constructor(
    private readonly states: ProviderStatesRepository,
    private readonly box: SecretBox,
    private readonly randomness: Randomness,
    private readonly browser: BrowserBinding,
  ) {}

  /** Options of a strategy that starts. The nonce goes into the address and is kept with the state. */
  startOf(kept: Omit<NewState, 'nonce'>): { readonly nonce: string; readonly state: NewState } {
    const { token: nonce } = newOpaqueToken(this.randomness);
    return { nonce, state: { ...kept, nonce } };
  }

  /** Hook: the request goes to the provider. @param done gets the `state` for the address */
  store(
    request: ProviderRequest,
    verifier: string,
    state: NewState,
    _meta: unknown,
    done: (error: unknown, state?: string) => void,
  ): void {
    // A `done` that throws ends the request with an error, not the process.
    void this.begin(request, verifier, state)
      .then((handle) => done(null, handle))
      .catch(done);
  }

  /** Hook: the request comes back with a state. @param done gets the PKCE verifier */
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
   * Uses up the state in the address; asked again in the same request, the answer is the same. Null if it is unknown,
   * used, too old, of another browser or for another provider: no answer says which.
   */
  use(request: ProviderRequest): Promise<UsedState | null> {
    return (request.usedState ??= this.consume(request));
  }

  /** The name that Apple posts once, for the GET that follows. */
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

/** Additional data of what is sealed. */
export function aadOfProviderState(stateHash: Buffer): string {
  return `provider_states:${stateHash.toString('hex')}`;
}
