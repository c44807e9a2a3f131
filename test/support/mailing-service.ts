import type { Settings } from '../../src/config/settings.js';
import { SmtpInbox } from './smtp.js';
import { startTestApp, type TestApp } from './test-app.js';
import { freshDatabase } from './test-database.js';
import { World } from './world.js';

/** A service that mails for real, with its own database: no other test's service takes its mails. */
export interface MailingService {
  readonly service: TestApp;
  readonly world: World;
  readonly smtp: SmtpInbox;
  close(): Promise<void>;
}

export async function startMailingService(settings: Partial<Settings> = {}): Promise<MailingService> {
  const [database, smtp] = await Promise.all([freshDatabase(), SmtpInbox.start()]);
  const service = await startTestApp({ settings: { databaseUrl: database.url, mailUrl: smtp.url, ...settings } });
  const world = await World.open(service.baseUrl, database.url);
  return {
    service,
    world,
    smtp,
    close: async () => {
      await world.close();
      await service.close();
      await smtp.stop();
      await database.drop();
    },
  };
}
