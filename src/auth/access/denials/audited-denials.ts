import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AuditService } from '../../../audit/audit.service.js';
import { Clock } from '../../../common/clock.js';
import { type DeniedRoute, DenialRecorder } from '../../../common/errors/denial-recorder.js';
import type { RequestContext } from '../../../common/request-context.js';
import { clientAddressKey } from '../../../rate-limits/client-address.js';
import { callerKey } from '../../../rate-limits/counters/counter-keys.rules.js';
import { RateLimitsService } from '../../../rate-limits/rate-limits.service.js';
import { type DenialScope, DenialScopes } from './denial-scopes.service.js';
import { DenialTally, type NewTally, type TalliedAction, type TalliedDenials } from './denial-tally.js';

/** The app of a refused sign-in, and the user if they have an account. */
interface RefusedSignIn {
  readonly userId?: string;
  readonly tenantId: string;
  readonly appId: string;
}

/**
 * Records refusals for missing permissions, and refused sign-ins, in the audit log. Anonymous callers of other routes are
 * only in the request log. Entries cannot be deleted, so their number is limited: beyond the limit `denials` of a caller,
 * account or network address, the rest of the minute becomes one entry with a count, written when the minute ends or the
 * process stops.
 */
@Injectable()
export class AuditedDenials extends DenialRecorder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AuditedDenials.name);
  private readonly tally = new DenialTally();
  private readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
    private readonly scopes: DenialScopes,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async record(ctx: RequestContext, { method, route, parameters }: DeniedRoute): Promise<void> {
    const caller = callerKey(ctx.actor);
    if (caller === null) return;
    try {
      const scope = await this.scopes.find(ctx.actor, parameters);
      if (!(await this.passes(ctx, caller, scope))) return;
      await this.write('access.denied', ctx, scope, { method, route });
    } catch (error) {
      this.complain(error);
    }
  }

  /**
   * A sign-in that was refused although the user has authenticated, here or at a provider. It can be repeated at every
   * app, so it counts: for an account, or without one for the network address. No account uses up the limit of another,
   * which would hide that the password of the other is known.
   */
  async recordSignIn(
    ctx: RequestContext,
    { userId, tenantId, appId }: RefusedSignIn,
    metadata: Record<string, unknown>,
  ): Promise<void> {
    const scope = { tenantId, appId, ...(userId === undefined ? {} : { userId }) };
    const key = userId === undefined ? clientAddressKey(ctx.ip) : `sign-in ${userId}`;
    const { allowed, retryAfter } = await this.limits.tryConsume('denials', key);
    if (allowed) return this.write('user.login_failed', ctx, scope, metadata);
    const limitedBy = userId === undefined ? 'network address' : 'account';
    const refused = { action: 'user.login_failed', ctx: anonymousAt(ctx), scope, limitedBy } as const;
    this.count(`sign-in ${key} ${appId}`, retryAfter, refused);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.tally.keys().map((key) => this.settle(key)));
  }

  private async passes(ctx: RequestContext, caller: string, scope: DenialScope): Promise<boolean> {
    const network = clientAddressKey(ctx.ip);
    for (const key of [caller, network]) {
      const { allowed, retryAfter } = await this.limits.tryConsume('denials', key);
      if (allowed) continue;
      const isCaller = key === caller;
      const limitedBy = isCaller ? 'caller' : 'network address';
      const denied = { action: 'access.denied', ctx: isCaller ? ctx : anonymousAt(ctx), scope, limitedBy } as const;
      this.count(key, retryAfter, denied);
      return false;
    }
    return true;
  }

  private count(key: string, seconds: number, denied: Omit<NewTally, 'since'>): void {
    const begun = this.tally.add(key, { ...denied, since: this.clock.now() });
    if (begun === null) return;
    const timer = setTimeout(() => void this.settle(begun), seconds * 1_000);
    timer.unref();
    this.timers.set(begun, timer);
  }

  private async settle(key: string): Promise<void> {
    clearTimeout(this.timers.get(key));
    this.timers.delete(key);
    const tallied = this.tally.take(key);
    if (!tallied) return;
    try {
      await this.write(tallied.action, tallied.ctx, tallied.scope, summaryOf(tallied));
    } catch (error) {
      this.complain(error);
    }
  }

  private write(
    action: TalliedAction,
    ctx: RequestContext,
    scope: DenialScope | null,
    metadata: Record<string, unknown>,
  ): Promise<void> {
    const whose = ctx.actor.type === 'user' ? { userId: ctx.actor.userId } : {};
    return this.audit.recordAlone(ctx, action, { ...whose, ...scope, outcome: 'denied', metadata });
  }

  private complain(error: unknown): void {
    this.logger.error(`A denial could not be recorded: ${(error as Error).message}`);
  }
}

/** Several users may share a network address, so the entry names no caller. */
function anonymousAt(ctx: RequestContext): RequestContext {
  return { requestId: ctx.requestId, ip: ctx.ip, userAgent: null, actor: { type: 'anonymous' } };
}

function summaryOf({ count, since, limitedBy }: TalliedDenials): Record<string, unknown> {
  return { count, since: since.toISOString(), limited_by: limitedBy };
}
