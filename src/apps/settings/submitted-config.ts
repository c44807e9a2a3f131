import { Inject, Injectable } from '@nestjs/common';
import { InvalidInput } from '../../common/validation/invalid-input.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { judgeConfig, judgeNewKeys, mergeConfig } from './app-config.rules.js';
import { APP_PICTURES, type PictureColumn, type Pictures } from './app-pictures.js';
import type { ConfigInput } from './app.dto.js';
import { LogoImages, type PictureSender } from '../logo/logo-images.js';
import { UnsupportedImageType } from '../logo/logo.errors.js';

/** The config of an app in a request: merges it into the current config and checks whether the result is valid. */
@Injectable()
export class SubmittedConfig {
  constructor(
    private readonly images: LogoImages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * @returns the config after the change
   * @throws InvalidInput
   */
  merge(current: Parameters<typeof mergeConfig>[0], sent: ConfigInput | undefined): ReturnType<typeof mergeConfig> {
    if (!sent) return current;
    const merged = mergeConfig(current, sent);
    const faults = [
      ...judgeConfig(merged, this.settings, current.config),
      ...judgeNewKeys(merged.config, current.config),
    ];
    if (faults.length > 0) throw new InvalidInput(faults);
    return merged;
  }

  /** Changed pictures in the config, converted to the stored format. */
  async pictures(
    sender: PictureSender,
    config: ConfigInput | undefined,
    current?: Pictures,
  ): Promise<Partial<Pictures>> {
    const changed: Partial<Record<PictureColumn, string>> = {};
    for (const { column, field, side } of Object.values(APP_PICTURES)) {
      const sent = config?.branding?.[field];
      if (sent && sent !== current?.[column]) changed[column] = await this.kept(sender, sent, field, side);
    }
    return changed;
  }

  private kept(sender: PictureSender, sent: string, field: string, side: number): Promise<string> {
    return this.images.normalizeDataUri(sender, sent, side).catch((error: unknown) => {
      if (!(error instanceof UnsupportedImageType)) throw error;
      throw InvalidInput.field(`config.branding.${field}`, error.message);
    });
  }
}
