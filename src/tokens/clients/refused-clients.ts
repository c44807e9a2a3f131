import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { App } from '../../apps/app/app.entity.js';
import { AuditService } from '../../audit/audit.service.js';
import type { RequestContext } from '../../common/request-context.js';
import { RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import type { AssertionFault } from './client-assertion.rules.js';

/** Longer than an answer takes to reach its client, also on a busy machine. */
const DELAY_MS = 250;

/** What was wrong with what a client showed; `wrong_method`: a secret where a signature is due, or the other way round. */
export type ClientFault = 'wrong_secret' | 'wrong_method' | AssertionFault;

type Entry = () => Promise<void>;

/**
 * Records in the audit log which client showed a wrong secret or assertion. Only known clients get an entry, so the work must not show in
 * how long their refusal takes: it begins when the answer has long been sent.
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

  /** Its own limit, so that guesses cannot fill the log. Nothing is refused by it. */
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
