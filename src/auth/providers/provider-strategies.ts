import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { isProviderName, PROVIDERS, type ProviderName } from '../../config/provider-settings.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { AppleStrategy } from './protocol/apple.strategy.js';
import { GithubStrategy } from './protocol/github.strategy.js';
import { GoogleStrategy } from './protocol/google.strategy.js';
import { MicrosoftStrategy } from './protocol/microsoft.strategy.js';
import type { ProviderStrategy } from './protocol/provider-strategy.js';
import { UnknownProvider } from './pending/provider.errors.js';

const STRATEGIES: Readonly<Record<ProviderName, Type<ProviderStrategy>>> = {
  google: GoogleStrategy,
  microsoft: MicrosoftStrategy,
  github: GithubStrategy,
  apple: AppleStrategy,
};

/** The strategies of the configured providers, by name. */
@Injectable()
export class ProviderStrategies implements OnModuleInit {
  private readonly strategies = new Map<ProviderName, ProviderStrategy>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly module: ModuleRef,
  ) {}

  async onModuleInit(): Promise<void> {
    const configured = PROVIDERS.filter((name) => this.settings.providers[name]);
    for (const name of configured) this.strategies.set(name, await this.module.create(STRATEGIES[name]));
  }

  /** @throws UnknownProvider if there is no such provider, or it is not configured */
  get(name: string): { readonly name: ProviderName; readonly strategy: ProviderStrategy } {
    const strategy = isProviderName(name) ? this.strategies.get(name) : undefined;
    if (!isProviderName(name) || !strategy) throw new UnknownProvider();
    return { name, strategy };
  }
}
