import { Injectable } from '@nestjs/common';
import type { QuickResponses } from '../../../common/http/express/direct-routes.js';
import { TokenCheckService } from './token-check.service.js';
import { viewOfValid } from './verify.view.js';

/**
 * Answers /token/verify for a valid token before Nest, if cached data is sufficient (docs/decisions/0093). The route is
 * public, so no guard could refuse it. All other cases, including every refusal, go to its controller.
 */
@Injectable()
export class KnownTokens {
  readonly answers: QuickResponses = new Map([['/token/verify', (body) => this.answer(body)]]);

  constructor(private readonly checks: TokenCheckService) {}

  private answer(body: unknown): object | null {
    if (typeof body !== 'object' || body === null || Object.keys(body).length !== 2) return null;
    const { token, audience } = body as Record<string, unknown>;
    if (typeof token !== 'string' || typeof audience !== 'string') return null;
    const check = this.checks.checkKnown(token, audience);
    return check && viewOfValid(check);
  }
}
