import type { ProviderName } from '../../config/provider-settings.js';

/** Who a provider says somebody is. The key is provider and subject; everything else may change there at any time. */
export interface ExternalIdentity {
  readonly provider: ProviderName;
  /** Never reassigned by the provider: `sub`, or GitHub's numeric id. */
  readonly subject: string;
  readonly email: string | null;
  /** The provider has itself made sure that the person reads mail at that address. */
  readonly emailVerified: boolean;
  readonly displayName: string | null;
}

/** What may be said to the provider; everything else stays with us, under `state`. */
export interface ProviderStart {
  readonly state: string;
  readonly nonce: string;
  readonly loginHint: string | null;
  /** `none`, `login`, `consent` or `select_account`, several separated by blanks; providers that know no such thing skip it. */
  readonly prompt: string | null;
}

export interface StartedAtProvider {
  /** Where the browser goes. */
  readonly location: string;
  /** PKCE verifier (RFC 7636), to be kept until {@link ExternalProvider.finish}. */
  readonly verifier: string;
}

export interface ProviderAnswer {
  readonly code: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Name that came beside the code, once in a lifetime (Apple). */
  readonly postedName: string | null;
}

/** One way to ask somebody else who a person is. Knows its protocol, and nothing of attempts, accounts or pages. */
export interface ExternalProvider {
  readonly name: ProviderName;

  start(asked: ProviderStart): Promise<StartedAtProvider>;

  /** Whether `iss` beside a code (RFC 9207) is this provider's. */
  acceptsIssuer(iss: string): boolean;

  /** Redeems the code and checks everything. @throws whatever is wrong with the provider or its answer */
  finish(answer: ProviderAnswer): Promise<ExternalIdentity>;
}
