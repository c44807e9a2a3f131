import { Inject, Injectable } from '@nestjs/common';
import { InvalidInput } from '../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { judgeConfig, mergeConfig } from './app-config.rules.js';
import type { ConfigInput } from './app.dto.js';
import { LogoImages } from './logo/logo-images.js';
import { UnsupportedImageType } from './logo/logo.errors.js';

/** The config of an app as a caller sends it: what it changes, and whether it may. */
@Injectable()
export class SubmittedConfig {
  constructor(
    private readonly images: LogoImages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** What the app has afterwards. @throws InvalidInput */
  merge(current: Parameters<typeof mergeConfig>[0], sent: ConfigInput | undefined): ReturnType<typeof mergeConfig> {
    const merged = mergeConfig(current, sent);
    const faults = judgeConfig(merged, this.settings);
    if (faults.length > 0) throw new InvalidInput(faults);
    return merged;
  }

  /** A logo sent within the config, in the form in which it is kept; undefined where it stays as it is. */
  async logo(config: ConfigInput | undefined, current: string | null = null): Promise<string | undefined> {
    const sent = config?.branding?.logo_data;
    if (!sent || sent === current) return undefined;
    return this.images.normalizeDataUri(sent).catch((error: unknown) => {
      if (!(error instanceof UnsupportedImageType)) throw error;
      throw InvalidInput.field('config.branding.logo_data', error.message);
    });
  }
}
