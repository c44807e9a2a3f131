import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { BundleIdAlreadyExists } from '../../../apps/app/apps.errors.js';
import { AppsService } from '../../../apps/directory/apps.service.js';
import { ExampleDataPresent, OnlyInEmbeddedMode } from './example-data.errors.js';
import { ExampleWriter } from './rows/example-writer.js';
import { FIRST_BUNDLE_ID } from './plan/example-tenants.js';

/** Adds three tenants, eight apps and 300 users to the embedded mode, for trying it out. */
@Injectable()
export class ExampleData {
  private filling: Promise<void> | null = null;

  constructor(
    private readonly apps: AppsService,
    private readonly writer: ExampleWriter,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async isPresent(): Promise<boolean> {
    return (await this.apps.findByBundleId(FIRST_BUNDLE_ID)) !== null;
  }

  /**
   * Runs once: a concurrent call waits for the first, and one in another process is refused by the unique bundle ids.
   * @throws OnlyInEmbeddedMode, ExampleDataPresent
   */
  fill(): Promise<void> {
    this.filling ??= this.fillNow().finally(() => (this.filling = null));
    return this.filling;
  }

  private async fillNow(): Promise<void> {
    if (!this.settings.embedded) throw new OnlyInEmbeddedMode();
    if (await this.isPresent()) throw new ExampleDataPresent();
    try {
      await this.writer.write(this.clock.now());
    } catch (error) {
      if (error instanceof BundleIdAlreadyExists) throw new ExampleDataPresent();
      throw error;
    }
  }
}
