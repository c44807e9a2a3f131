import type { App } from '../../apps/app/app.entity.js';
import type { AuditSubject } from '../../audit/audit.service.js';

/** The subject of an audit entry about an enrollment. */
export function enrollmentSubject(
  userId: string,
  app: Pick<App, 'id' | 'tenantId'>,
  metadata: Readonly<Record<string, unknown>>,
): AuditSubject {
  return {
    userId,
    tenantId: app.tenantId,
    appId: app.id,
    target: { type: 'enrollment', id: `${userId}:${app.id}` },
    metadata,
  };
}
