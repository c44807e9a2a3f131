import { applyDecorators, type ExecutionContext, Injectable, Logger, SetMetadata, UseGuards } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import type { Response } from 'express';
import { answerPrefetch } from '../../common/http/browser/prefetch.js';
import { InputPipe } from '../../common/validation/input.pipe.js';
import type { PreparedRequest } from './pages/prepared-request.js';
import { ProviderFault } from './protocol/provider-fault.js';
import { strategyRun } from './protocol/strategy-run.js';
import { ProviderCallback } from './callback/provider-callback.js';
import { ProviderStart } from './start/provider-start.js';
import { ProviderStrategies } from './provider-strategies.js';

const LEG = 'provider-leg';
type Leg = 'start' | 'callback';

const INPUT = new InputPipe();

/** Time limit for all calls to the provider in one callback. */
const DEADLINE_MS = 10_000;

/**
 * Runs Passport with the strategy of the provider in the route. The strategies are injected, and never found by name in
 * the registry of Passport, which two applications in one process would share.
 */
@Injectable()
export class ProviderAuthGuard extends AuthGuard() {
  private readonly logger = new Logger(ProviderAuthGuard.name);

  constructor(
    private readonly strategies: ProviderStrategies,
    private readonly start: ProviderStart,
    private readonly callback: ProviderCallback,
    private readonly reflector: Reflector,
  ) {
    super({ defaultStrategy: 'provider' });
  }

  /** @throws UnknownProvider, InvalidInput, and what start and callback throw */
  override async canActivate(host: ExecutionContext): Promise<boolean> {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<PreparedRequest>(), http.getResponse<Response>()];
    const { name, strategy } = this.strategies.get(String(request.params['provider']));
    if (answerPrefetch(request, response)) return true;
    refuseUnreadable(request);
    const leg = this.reflector.get<Leg>(LEG, host.getHandler());
    const prepared =
      leg === 'start'
        ? await this.start.prepare(name, request, response)
        : await this.callback.prepare(name, strategy, request, response);
    if (!prepared) return true;
    request.prepared = prepared;
    if (prepared.failure) request.user = prepared.failure;
    else await this.authenticate(host, strategyRun(strategy, leg));
    return true;
  }

  override getAuthenticateOptions(host: ExecutionContext): object {
    return host.switchToHttp().getRequest<PreparedRequest>().prepared?.options ?? {};
  }

  /** The exact error is only logged: it concerns the provider, or an attack. */
  override handleRequest<T>(error: unknown, outcome: T | false, info: unknown, host: ExecutionContext): T {
    if (outcome) return outcome;
    return this.unavailable(host, error ?? info) as T;
  }

  /** `AuthGuard` uses one strategy for all requests, so this derives a guard with the strategy of this request. */
  private async authenticate(host: ExecutionContext, strategy: object): Promise<void> {
    const guard = Object.create(this, { options: { value: { defaultStrategy: strategy } } }) as this;
    const request = host.switchToHttp().getRequest<PreparedRequest>();
    try {
      await inTime(Promise.resolve(super.canActivate.call(guard, host) as Promise<boolean>));
    } catch (error) {
      request.user = this.unavailable(host, error);
    }
  }

  private unavailable(host: ExecutionContext, error: unknown): 'unavailable' {
    const { params } = host.switchToHttp().getRequest<PreparedRequest>();
    const { message, oauthError } = (error ?? {}) as { message?: string; oauthError?: { message?: string } };
    this.logger.warn([params['provider'], message, oauthError?.message].filter(Boolean).join(': '));
    return 'unavailable';
  }
}

/** @param leg `start`: the browser is sent to the provider; `callback`: it comes back */
export function UseProvider(leg: Leg): MethodDecorator {
  return applyDecorators(SetMetadata(LEG, leg), UseGuards(ProviderAuthGuard));
}

/**
 * Guards run before pipes, and this guard stores values of the request, so it applies the input pipe of every route
 * first.
 * @throws InvalidInput
 */
function refuseUnreadable({ query, body }: PreparedRequest): void {
  INPUT.transform(query, { type: 'query' });
  INPUT.transform(body, { type: 'body' });
}

/**
 * Rejects after the deadline. Work that is still running ends by its own time limit, and its result is ignored.
 * @throws ProviderFault
 */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProviderFault('no answer in time')), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
