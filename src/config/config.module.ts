import { type DynamicModule, Global, Module } from '@nestjs/common';
import { SETTINGS, type Settings } from './settings.js';

/** Provides the frozen settings as SETTINGS. Owns nothing else: `env.ts` reads them. */
@Global()
@Module({})
export class ConfigModule {
  static register(settings: Settings): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: SETTINGS, useValue: settings }], exports: [SETTINGS] };
  }
}
