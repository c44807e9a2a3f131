import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Messages of Nest about its wiring at each start. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

/** Nest's own log lines through pino: one JSON object per line. */
export class PinoNestLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    if (level === 'info' && context !== undefined && WIRING.has(context)) level = 'debug';
    if (typeof message === 'object' && message !== null) this.pino[level]({ context, ...message });
    else
      this.pino[level](
        { context, ...(rest.length > 1 && typeof rest[0] === 'string' ? { stack: rest[0] } : {}) },
        String(message),
      );
  }
}
