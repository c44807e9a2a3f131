import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import type { AuditPage } from '../../audit/audit.service.js';
import { describeUserAgent } from '../../auth/session/user-agent.rules.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import { describeEvent } from '../timeline/timeline.rules.js';

/** Audit entries of a person as sentences. */
@Injectable()
export class TimelinePages {
  constructor(
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  async model(userId: string, { entries, next }: AuditPage): Promise<Record<string, unknown>> {
    const now = this.clock.now();
    const appIds = [...new Set(entries.flatMap(({ appId }) => appId ?? []))];
    const client = await Promise.all(appIds.map((id) => this.directory.find(id)));
    const names = new Map(client.flatMap((each) => (each ? [[each.app.id, each.app.name] as const] : [])));
    const service = await Promise.all(entries.map((entry) => this.actor(entry, userId)));
    return {
      entries: entries.map((entry, index) => ({
        ...describeEvent({
          action: entry.action,
          outcome: entry.outcome,
          by: service[index]!,
          app: entry.appId ? (names.get(entry.appId) ?? 'a deleted app') : null,
          from: entry.ipAddress,
          on: entry.userAgent ? describeUserAgent(entry.userAgent) : null,
          metadata: entry.metadata,
        }),
        at: timeInWords(entry.createdAt, now),
        where: placeOf(entry),
        userAgent: entry.userAgent ?? '',
        action: entry.action,
        requestId: entry.requestId ?? '',
      })),
      olderUrl: next && `?cursor=${encodeURIComponent(next)}`,
    };
  }

  private async actor({ actorType, actorId, actorEmail }: AuditEntry, userId: string): Promise<string | null> {
    switch (actorType) {
      case 'user':
        return actorId === userId ? null : (actorEmail ?? 'an unknown user');
      case 'service':
        return `the server of ${(actorId && (await this.directory.find(actorId))?.app.name) || 'an app'}`;
      case 'system':
        return 'the service itself';
      case 'anonymous':
        return null;
    }
  }
}

function placeOf({ ipAddress, userAgent }: AuditEntry): string {
  const device = userAgent ? describeUserAgent(userAgent) : null;
  return [ipAddress, device].filter((part) => part !== null).join(', ');
}
