import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { AssertionFault } from './client-assertion.rules.js';

/** Longer than an answer takes to reach its client, even on a busy machine. */
const DELAY_MS = 250;

/** Why credentials were refused; `wrong_method`: a secret instead of a signature, or the other way round. */
export type ClientFault = 'wrong_secret' | 'wrong_method' | AssertionFault;

type Entry = () => Promise<void>;

/**
 * Records wrong client secrets and assertions in the audit log. Only known clients get an entry, and this must not be
 * visible in the time of the refusal, so the work begins long after the answer was sent.
 */
@Injectable()
export class RefusedClients implements BeforeApplicationShutdown {
  private readonly logger = new Logger(RefusedClients.name);
  private readonly waiting = new Map<NodeJS.Timeout, Entry>();

  constructor(
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
  ) {}

  /** Returns at once. */
  record(ctx: RequestContext, app: Pick<App, 'id' | 'tenantId'>, reason: ClientFault | 'switched_off'): void {
    const timer = setTimeout(() => void this.settle(timer), DELAY_MS).unref();
    this.waiting.set(timer, () => this.write(ctx, app, reason));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.waiting.keys()].map((timer) => this.settle(timer)));
  }

  private async settle(timer: NodeJS.Timeout): Promise<void> {
    clearTimeout(timer);
    const write = this.waiting.get(timer);
    this.waiting.delete(timer);
    await write?.().catch((error: unknown) => {
      this.logger.error(`A refused client could not be recorded in the audit log: ${(error as Error).message}`);
    });
  }

  /** Has a separate limit, so that guesses cannot fill the log. It refuses no request. */
  private async write(ctx: RequestContext, app: Pick<App, 'id' | 'tenantId'>, reason: string): Promise<void> {
    const { allowed } = await this.limits.tryConsume('refused_clients', app.id);
    if (!allowed) return;
    await this.audit.recordAlone(ctx, 'service_token.refused', {
      appId: app.id,
      tenantId: app.tenantId,
      outcome: 'failure',
      metadata: { reason },
    });
  }
}
