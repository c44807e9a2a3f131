import { NestFactory } from '@nestjs/core';
import { beginTracing } from './begin-tracing.js';
import { PinoNestLogger } from '../common/log/pino-nest-logger.js';
import { serviceLog } from '../common/log/service-log.js';
import { EnvironmentFault, readEnvironment } from '../config/env.js';
import { stopOnSignal } from './stop-on-signal.js';
import { WorkerModule } from './worker.module.js';

/** The worker: mails, pushes, housekeeping. Ends the process with 1 if it cannot start. */
export async function runWorker(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    const settings = readEnvironment(environment);
    if (!settings.redisUrl)
      throw new EnvironmentFault(['REDIS_URL is required here: without Redis the web process does this work']);
    const logger = new PinoNestLogger(serviceLog(settings.logLevel));
    const endTracing = await beginTracing(settings);
    const worker = await NestFactory.createApplicationContext(WorkerModule.register(settings), {
      logger,
      abortOnError: false,
    });
    stopOnSignal(() => worker.close().then(endTracing));
    logger.log('Worker is running');
  } catch (error) {
    process.stderr.write(`${error instanceof EnvironmentFault ? error.message : String((error as Error).stack)}\n`);
    process.exit(1);
  }
}
