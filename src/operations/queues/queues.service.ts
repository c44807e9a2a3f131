import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { canAdministerPlatform } from '../../common/actor.js';
import { InsufficientPermissions } from '../../common/http/http.refusals.js';
import type { PageCursor } from '../../common/lists/page-cursor.js';
import type { RequestContext } from '../../common/request-context.js';
import { Transactions } from '../../database/transactions.js';
import { type DeadLetterPage, DeadLetters } from '../../delivery/outbox/dead-letters.js';
import type { DeadLetter, JobState, OutboxState, QueueState } from '../../delivery/outbox/dead-letters.repository.js';
import { type RateLimitRecord, RateLimitsService } from '../../rate-limits/rate-limits.service.js';
import { NotADeadLetter } from './queues.errors.js';

export interface QueueOverview {
  readonly state: OutboxState;
  /** Every queue, including empty ones. */
  readonly queues: readonly QueueState[];
  readonly jobs: readonly JobState[];
  readonly letters: DeadLetterPage;
  readonly limits: readonly RateLimitRecord[];
}

const LETTERS = 25;

/** Background work of the whole installation, for platform admins. */
@Injectable()
export class QueuesService {
  constructor(
    private readonly letters: DeadLetters,
    private readonly limits: RateLimitsService,
    private readonly transactions: Transactions,
    private readonly audit: AuditService,
  ) {}

  /** @throws InsufficientPermissions */
  async overview(ctx: RequestContext, after: PageCursor | null): Promise<QueueOverview> {
    check(ctx);
    const [state, queues, jobs, letters, limits] = await Promise.all([
      this.letters.state(),
      this.letters.byQueue(),
      this.letters.byJob(),
      this.letters.list(LETTERS, after),
      this.limits.spent(),
    ]);
    return { state, queues, jobs, letters, limits };
  }

  /** Number of dead letters. @throws InsufficientPermissions */
  async countDead(ctx: RequestContext): Promise<number> {
    check(ctx);
    return (await this.letters.state()).dead;
  }

  /** @throws InsufficientPermissions, NotADeadLetter */
  async letter(ctx: RequestContext, id: string): Promise<DeadLetter> {
    check(ctx);
    const found = await this.letters.find(id);
    if (!found) throw new NotADeadLetter();
    return found;
  }

  /** Restarts the job with all its attempts, at once. @throws InsufficientPermissions, NotADeadLetter */
  retry(ctx: RequestContext, id: string): Promise<void> {
    return this.settle(ctx, id, 'job.retried');
  }

  /** Removes the job permanently. @throws InsufficientPermissions, NotADeadLetter */
  discard(ctx: RequestContext, id: string): Promise<void> {
    return this.settle(ctx, id, 'job.discarded');
  }

  private async settle(ctx: RequestContext, id: string, action: 'job.retried' | 'job.discarded'): Promise<void> {
    check(ctx);
    await this.transactions.run(async (tx) => {
      const job = await (action === 'job.retried' ? this.letters.retry(tx, id) : this.letters.discard(tx, id));
      if (job === null) throw new NotADeadLetter();
      await this.audit.record(tx, ctx, action, { target: { type: 'job', id }, metadata: { job } });
    });
  }
}

function check({ actor }: RequestContext): void {
  if (!canAdministerPlatform(actor)) throw new InsufficientPermissions();
}
