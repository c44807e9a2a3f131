import { Inject, Injectable } from '@nestjs/common';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { judgeConfig, mergeConfig } from './app-config.rules.js';
import { APP_PICTURES, type PictureColumn, type Pictures } from './app-pictures.js';
import type { ConfigInput } from './app.dto.js';
import { LogoImages } from '../logo/logo-images.js';
import { UnsupportedImageType } from '../logo/logo.errors.js';

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

  /** Pictures sent within the config, in the form in which they are kept; without those that stay as they are. */
  async pictures(config: ConfigInput | undefined, current?: Pictures): Promise<Partial<Pictures>> {
    const changed: Partial<Record<PictureColumn, string>> = {};
    for (const { column, field, side } of Object.values(APP_PICTURES)) {
      const sent = config?.branding?.[field];
      if (sent && sent !== current?.[column]) changed[column] = await this.kept(sent, field, side);
    }
    return changed;
  }

  private kept(sent: string, field: string, side: number): Promise<string> {
    return this.images.normalizeDataUri(sent, side).catch((error: unknown) => {
      if (!(error instanceof UnsupportedImageType)) throw error;
      throw InvalidInput.field(`config.branding.${field}`, error.message);
    });
  }
}
