import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { isProviderName, type ProviderName } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import type { ExternalProvider } from './external-provider.js';
import { appleProvider } from './protocol/apple.provider.js';
import { GithubProvider } from './protocol/github.provider.js';
import { GoogleProvider } from './protocol/google.provider.js';
import { microsoftProvider } from './protocol/microsoft.provider.js';
import { ProviderHttp } from './protocol/provider-http.js';
import { UnknownProvider } from './provider.errors.js';

/** The providers that are configured, by name. */
@Injectable()
export class ExternalProviders {
  private readonly known: ReadonlyMap<ProviderName, ExternalProvider>;

  constructor(@Inject(SETTINGS) { providers, baseUrl }: Settings, http: ProviderHttp, clock: Clock) {
    const { google, microsoft, github, apple } = providers;
    // One callback each: a code of one provider never comes to the door of another (RFC 9700 section 4.4).
    const callback = (name: ProviderName) => `${baseUrl}/oauth/${name}/callback`;
    const made: (ExternalProvider | null)[] = [
      google && new GoogleProvider(google, callback('google'), http, clock),
      microsoft && microsoftProvider(microsoft, callback('microsoft'), http, clock),
      github && new GithubProvider(github, callback('github'), http),
      apple && appleProvider(apple, callback('apple'), http, clock),
    ];
    this.known = new Map(made.filter((each) => each !== null).map((each) => [each.name, each]));
  }

  /** @throws UnknownProvider for any other name, and for one that is not configured */
  get(name: string): ExternalProvider {
    const provider = isProviderName(name) ? this.known.get(name) : undefined;
    if (!provider) throw new UnknownProvider();
    return provider;
  }
}
