import { Injectable } from '@nestjs/common';
import { MailLogos } from '../../mail/content/mail-logos.js';
import { brandLogos } from './app-brand.js';
import { AppDirectory } from './app-directory.js';

/** Reads an app's logo when a mail is sent. */
@Injectable()
export class LogosInMails extends MailLogos {
  constructor(private readonly directory: AppDirectory) {
    super();
  }

  /** Also of self-registered clients, because users get sign-in links in their name. */
  async find(appId: string): Promise<string | null> {
    const app = (await this.directory.findOfAnyOrigin(appId))?.app;
    return app ? brandLogos(app, app.logoCopy).logo : null;
  }
}
