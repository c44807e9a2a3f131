import type { Strategy } from 'passport';
import type { ExternalIdentity } from '../external-provider.js';
import { ProviderFault } from '../provider.errors.js';
import type { ProviderHttp } from './provider-http.js';

/** What a Passport strategy of ours sees as its request: the answer of the provider, and what we kept until it came. */
export interface StrategyRequest {
  readonly query: { readonly code?: string; readonly state?: string };
  readonly flow: {
    readonly state: string;
    readonly nonce: string;
    /** Made by the strategy when it starts, handed back to it when it finishes. */
    verifier: string;
    readonly postedName?: string | null;
  };
}

export type StrategyOutcome =
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'identity'; readonly identity: ExternalIdentity };

type RunningStrategy = Pick<Strategy, 'authenticate'> & {
  _oauth2?: object;
  redirect(location: string): void;
  success(identity: ExternalIdentity): void;
  fail(challenge: unknown): void;
  error(error: unknown): void;
  pass(): void;
};

/**
 * Runs a Passport strategy without `passport.authenticate`, by the same contract: a delegate of the strategy with the
 * five actions on it. So nothing is global, nothing writes to a response, and no session is needed. What the OAuth 2.0
 * strategies send goes through our own HTTP: theirs has no time limit and follows whatever it is told.
 * @throws ProviderFault for everything that is not a redirect or an identity
 */
export function runStrategy(
  strategy: object,
  request: StrategyRequest,
  options: Readonly<Record<string, unknown>>,
  http: ProviderHttp,
): Promise<StrategyOutcome> {
  return new Promise((resolve, reject) => {
    const fail = (reason: unknown): void =>
      reject(
        reason instanceof ProviderFault ? reason : new ProviderFault((reason as Error)?.message ?? 'refused', reason),
      );
    const run = Object.create(strategy) as RunningStrategy;
    if (run._oauth2) run._oauth2 = guarded(run._oauth2, http, fail);
    run.redirect = (location) => resolve({ kind: 'redirect', location });
    run.success = (identity) => resolve({ kind: 'identity', identity });
    run.fail = (challenge) => fail(new ProviderFault(`refused: ${JSON.stringify(challenge)}`));
    run.error = fail;
    run.pass = () => fail(new ProviderFault('passed on'));
    try {
      (run.authenticate as (request: unknown, options: unknown) => void)(request, options);
    } catch (error) {
      fail(error);
    }
  });
}

type Callback = (error: unknown, data?: string, response?: unknown) => void;

/** node-oauth's one method that calls out, replaced for this run. A throwing callback ends the run, not the process. */
function guarded(oauth2: object, http: ProviderHttp, fail: (reason: unknown) => void): object {
  const { _customHeaders: customHeaders } = oauth2 as { _customHeaders?: Record<string, string> };
  const request = async (
    method: string,
    url: string,
    headers: Record<string, string>,
    body: string,
    _accessToken: string | null,
    callback: Callback,
  ): Promise<void> => {
    const sent = { method, headers: { ...customHeaders, ...headers }, ...(body ? { body } : {}) };
    const response = await http.fetch(url, sent);
    const data = await response.text();
    if (response.ok) callback(null, data, { statusCode: response.status });
    else callback({ statusCode: response.status, data });
  };
  return Object.assign(Object.create(oauth2) as object, {
    _request: (...args: Parameters<typeof request>) => void request(...args).catch(fail),
  });
}

/**
 * Passport's hook for `state` and PKCE (passport-oauth2 counts the parameters: exactly five and four). Both live in our
 * own table, and have been checked and used up by the time a strategy finishes.
 */
export const FLOW_STORE = {
  store(
    request: StrategyRequest,
    verifier: string,
    _state: unknown,
    _meta: unknown,
    done: (error: null, state: string) => void,
  ): void {
    request.flow.verifier = verifier;
    done(null, request.flow.state);
  },
  verify(
    request: StrategyRequest,
    _state: string,
    _meta: unknown,
    done: (error: null, verifier: string) => void,
  ): void {
    done(null, request.flow.verifier);
  },
};
