import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { beginTracing } from './begin-tracing.js';
import { ConnectionDrain } from '../common/http/express/connection-drain.js';
import { collectGarbage } from './collect-garbage.js';
import type { Settings } from '../config/settings.js';
import { startEmbeddedService } from '../embedded/embedded-service.js';
import { ReadinessService } from '../operations/readiness.service.js';
import { stopOnSignal } from './stop-on-signal.js';
import { createWebApp } from './web-app.js';

/**
 * Listens, and shuts down cleanly: reports that it is not ready, waits for the load balancer, finishes requests in
 * progress, and closes all connections.
 */
export async function serve(settings: Settings): Promise<void> {
  const endTracing = await beginTracing(settings);
  if (settings.embedded) {
    const service = await startEmbeddedService(settings, createWebApp);
    stopOnSignal(() => service.stop().then(endTracing));
    return;
  }
  const app = await createWebApp(settings);
  collectGarbage();
  await app.listen(settings.port, settings.host);
  new Logger('Web').log(`Listening on ${settings.host}:${settings.port} for ${settings.baseUrl}`);
  const { shutdownDelaySeconds } = settings;
  stopOnSignal(() => closeGracefully(app, shutdownDelaySeconds).then(endTracing), shutdownDelaySeconds);
}

async function closeGracefully(app: NestExpressApplication, delaySeconds: number): Promise<void> {
  app.get(ReadinessService, { strict: false }).beginStop();
  app.get(ConnectionDrain, { strict: false }).begin();
  await sleep(delaySeconds * 1_000);
  await app.close();
}
