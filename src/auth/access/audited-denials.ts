import { Injectable, Logger } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DenialRecorder } from '../../common/errors/denial-recorder.js';
import type { RequestContext } from '../../common/request-context.js';

/** Writes down who was refused for want of authority. Callers whom nobody knows are left to the request log. */
@Injectable()
export class AuditedDenials extends DenialRecorder {
  private readonly logger = new Logger(AuditedDenials.name);

  constructor(private readonly audit: AuditService) {
    super();
  }

  override async record(ctx: RequestContext, method: string, route: string): Promise<void> {
    const { actor } = ctx;
    if (actor.type === 'anonymous' || actor.type === 'system') return;
    const where =
      actor.type === 'service' ? { appId: actor.appId, tenantId: actor.tenantId } : { userId: actor.userId };
    try {
      await this.audit.recordAlone(ctx, 'access.denied', { ...where, outcome: 'denied', metadata: { method, route } });
    } catch (error) {
      this.logger.error(`A denial could not be written down: ${(error as Error).message}`);
    }
  }
}
