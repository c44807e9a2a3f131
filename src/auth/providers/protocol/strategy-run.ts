import type { Request } from 'express';
import type { ProviderStrategy } from './provider-strategy.js';

/** Passport adds these methods to the strategy that it runs. */
interface Actions {
  redirect(location: string): void;
  success(outcome: object): void;
}

/**
 * Creates the strategy object for one request, because Passport writes to the object that it runs.
 *
 * The route decides whether it is the start or the callback. The strategies themselves would decide by `code` and
 * `error` in the query and the body, which an attacker can write. A redirect is returned as a result, which the
 * controller sends.
 */
export function strategyRun(strategy: ProviderStrategy, leg: 'start' | 'callback'): ProviderStrategy {
  const authenticate = function (this: Actions, request: Request, options: object): void {
    this.redirect = (location) => this.success({ location });
    const { code, state } = request.query;
    const query = leg === 'start' ? {} : { code, state };
    const seen = Object.create(request, { query: { value: query }, body: { value: {} } }) as Request;
    strategy.authenticate.call(this, seen, options);
  };
  return Object.assign(Object.create(strategy) as ProviderStrategy, { authenticate });
}
