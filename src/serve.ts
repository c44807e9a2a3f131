import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Settings } from './config/settings.js';
import { startEmbeddedService } from './embedded/embedded-service.js';
import { ReadinessService } from './operations/readiness.service.js';
import { stopOnSignal } from './stop-on-signal.js';
import { createWebApp } from './web-app.js';

/** Starts to listen, and stops cleanly: not ready, then finish what is in flight, then let go of everything. */
export async function serve(settings: Settings): Promise<void> {
  if (settings.embedded) {
    const service = await startEmbeddedService(settings, createWebApp);
    stopOnSignal(() => service.stop());
    return;
  }
  const app = await createWebApp(settings);
  await app.listen(settings.port, settings.host);
  new Logger('Web').log(`Listening on ${settings.host}:${settings.port} for ${settings.baseUrl}`);
  stopOnSignal(() => closeGracefully(app));
}

async function closeGracefully(app: NestExpressApplication): Promise<void> {
  app.get(ReadinessService, { strict: false }).beginStop();
  await app.close();
}
