import type { NestExpressApplication } from '@nestjs/platform-express';
import { canHavePasskeys } from '../auth/credentials/passkeys/ceremonies/relying-party.rules.js';
import { FirstAdminLinks } from '../auth/setup/first-admin-links.service.js';
import type { Settings } from '../config/settings.js';
import { applyMigrations } from '../database/connection/migrator.js';
import { DemoData } from './dev/playground/demo-data.js';
import { startEmbeddedMode } from './embedded-mode.js';

/** The whole service in one process. */
export interface EmbeddedService {
  /** Stops everything, the database last. */
  stop(): Promise<void>;
}

/** Starts the database, migrations, web application and demo data, and prints the links. */
export async function startEmbeddedService(
  given: Settings,
  createWebApp: (settings: Settings) => Promise<NestExpressApplication>,
): Promise<EmbeddedService> {
  const verbose = ['debug', 'trace'].includes(given.logLevel);
  const mode = await startEmbeddedMode(given, (line) => void (verbose && process.stderr.write(`${line}\n`)));
  try {
    await applyMigrations(mode.settings.databaseUrl!);
    const app = await createWebApp(mode.settings);
    await app.listen(mode.settings.port, mode.settings.host);
    process.stdout.write(await links(app, mode.settings));
    if (given.allowExposedDev) process.stderr.write(exposureWarning(mode.settings));
    return {
      stop: async () => {
        await app.close();
        await mode.stop();
      },
    };
  } catch (error) {
    await mode.stop();
    throw error;
  }
}

async function links(app: NestExpressApplication, { baseUrl, port }: Settings): Promise<string> {
  const demo = app.get(DemoData, { strict: false });
  const [token, demoApp] = await Promise.all([app.get(FirstAdminLinks, { strict: false }).create(), demo.ensureApp()]);
  const query = new URLSearchParams({ app_id: demoApp.id, redirect_uri: demo.redirectUri });
  return [
    '',
    `  Console        ${baseUrl}/console/`,
    `  First admin    ${token ? `${baseUrl}/setup?token=${token}` : 'exists already: sign in at the console'}`,
    `  Try sign-in    ${baseUrl}/login?${query.toString()}`,
    `  Mailbox        ${baseUrl}/dev/mailbox`,
    `  Push           ${baseUrl}/dev/push-demo`,
    `  API            ${baseUrl}/docs`,
    `  Passkeys       ${canHavePasskeys(baseUrl) ? `${baseUrl}/account/passkeys/new` : `start with BASE_URL=http://localhost:${port} npm start`}`,
    '',
    '',
  ].join('\n');
}

/** Printed last, so that it stays visible. */
function exposureWarning({ host, port, baseUrl }: Settings): string {
  return [
    '  WARNING: ALLOW_EXPOSED_DEV is set, so this development service may be reached from other machines',
    `  (it listens on ${host}:${port} for ${baseUrl}). Anyone who can reach it can sign in as any user, administrators included,`,
    '  and read every e-mail. Never use it with real accounts. For production set DATABASE_URL.',
    '',
    '',
  ].join('\n');
}
