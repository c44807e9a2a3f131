import { type DynamicModule, Global, Module } from '@nestjs/common';
import { SETTINGS, type Settings } from './settings.js';

/** Hands the frozen settings to whoever asks for SETTINGS. Owns nothing else: reading them is `env.ts`. */
@Global()
@Module({})
export class ConfigModule {
  static register(settings: Settings): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: SETTINGS, useValue: settings }], exports: [SETTINGS] };
  }
}
