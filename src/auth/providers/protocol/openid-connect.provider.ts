import type { Clock } from '../../../common/clock.js';
import type { ProviderName } from '../../../config/provider-settings.js';
import type {
  ExternalIdentity,
  ExternalProvider,
  ProviderAnswer,
  ProviderStart,
  StartedAtProvider,
} from '../external-provider.js';
import { ProviderFault } from '../provider.errors.js';
import { isIssuer } from './id-token.rules.js';
import { OpenIdConnectStrategy, type OpenIdOptions } from './openid-connect.strategy.js';
import type { ProviderHttp } from './provider-http.js';
import { runStrategy, type StrategyRequest } from './strategy-run.js';

/** A provider behind {@link OpenIdConnectStrategy}; what is special about one comes as its options. */
export class OpenIdConnectProvider implements ExternalProvider {
  private readonly strategy: OpenIdConnectStrategy;

  constructor(
    readonly name: ProviderName,
    private readonly options: OpenIdOptions,
    /** Whether it knows `login_hint` and `prompt`. */
    private readonly takesHints: boolean,
    private readonly http: ProviderHttp,
    clock: Clock,
  ) {
    this.strategy = new OpenIdConnectStrategy(options, http, clock);
  }

  async start({ state, nonce, loginHint, prompt }: ProviderStart): Promise<StartedAtProvider> {
    const request: StrategyRequest = { query: {}, flow: { state, nonce, verifier: '' } };
    const parameters = this.takesHints
      ? { ...(loginHint ? { login_hint: loginHint } : {}), ...(prompt ? { prompt } : {}) }
      : {};
    const outcome = await runStrategy(this.strategy, request, { parameters }, this.http);
    if (outcome.kind !== 'redirect') throw new ProviderFault('the strategy did not redirect');
    return { location: outcome.location, verifier: request.flow.verifier };
  }

  acceptsIssuer(iss: string): boolean {
    return isIssuer(this.options.endpoints.issuer, iss);
  }

  async finish({ code, state, nonce, verifier, postedName }: ProviderAnswer): Promise<ExternalIdentity> {
    const request: StrategyRequest = { query: { code, state }, flow: { state, nonce, verifier, postedName } };
    const outcome = await runStrategy(this.strategy, request, {}, this.http);
    if (outcome.kind !== 'identity') throw new ProviderFault('the strategy redirected again');
    return outcome.identity;
  }
}
