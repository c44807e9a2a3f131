import { Injectable } from '@nestjs/common';
import { BrowserBinding } from '../../../auth/session/browser-binding.js';
import { Randomness } from '../../../common/randomness.js';
import { challengeOf } from './playground.rules.js';

/** The random part of a `state`; the rest proves that it belongs to this browser. */
const NONCE_BYTES = 12;
const NONCE_CHARACTERS = 16;

/** What an app stores between the redirect to the sign-in and the callback. */
export interface BegunSignIn {
  readonly state: string;
  readonly codeVerifier: string;
  readonly codeChallenge: string;
}

/**
 * `state` and PKCE verifier of the playground's sign-ins. An app stores both in its session; the playground stores
 * nothing, and derives the verifier from the `state` and the browser's secret.
 */
@Injectable()
export class PlaygroundSignIn {
  constructor(
    private readonly browser: BrowserBinding,
    private readonly randomness: Randomness,
  ) {}

  /** @param secret of {@link BrowserBinding.ensure} */
  begin(secret: string): BegunSignIn {
    const nonce = this.randomness.bytes(NONCE_BYTES).toString('base64url');
    return this.of(secret, nonce);
  }

  /** The sign-in of this `state`; null if this browser did not begin it. */
  find(secret: string, state: string | null): BegunSignIn | null {
    if (state === null) return null;
    const begun = this.of(secret, state.slice(0, NONCE_CHARACTERS));
    return begun.state === state ? begun : null;
  }

  private of(secret: string, nonce: string): BegunSignIn {
    const state = nonce + this.browser.formToken(secret, `playground:state:${nonce}`);
    const codeVerifier = this.browser.formToken(secret, `playground:verifier:${state}`);
    return { state, codeVerifier, codeChallenge: challengeOf(codeVerifier) };
  }
}
