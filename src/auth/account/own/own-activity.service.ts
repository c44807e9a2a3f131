import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { AuditService } from '../../../audit/audit.service.js';
import type { AuditEntry } from '../../../audit/entries/audit-entry.entity.js';
import { WHOLE_SCOPE } from '../../../common/actor.js';
import { Clock } from '../../../common/clock.js';
import { type Message, message } from '../../../common/i18n/message.js';
import { type TimeInWords, timeInWords } from '../../../common/pages/time-in-words.js';
import { describeUserAgent } from '../../session/known-browsers/user-agent.rules.js';
import { ACTIVITY_ACTIONS, describeActivity } from './activity-sentences.js';

const LIMIT = 50;

export interface ActivityRow {
  readonly what: Message | null;
  readonly when: TimeInWords;
  /** Network address and browser; empty for actions of others, whose data the user may not see. */
  readonly ip: string;
  readonly browser: string;
}

/** The user's own newest sign-ins and security events. */
@Injectable()
export class OwnActivity {
  constructor(
    private readonly audit: AuditService,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  /** Newest first, at most 50. */
  async list(userId: string): Promise<ActivityRow[]> {
    const filter = { scope: WHOLE_SCOPE, userId, actions: ACTIVITY_ACTIONS, limit: LIMIT, page: 1 };
    const { entries } = await this.audit.list(filter);
    return Promise.all(entries.map((entry) => this.row(userId, entry)));
  }

  private async row(userId: string, entry: AuditEntry): Promise<ActivityRow> {
    const isOwn = isByOwner(userId, entry);
    const found = entry.appId ? await this.directory.findOfAnyOrigin(entry.appId) : null;
    const app = found?.app.name ?? message('account.an_app');
    return {
      what: describeActivity(entry.action, { ...entry, app, isOwn }),
      when: timeInWords(entry.createdAt, this.clock.now()),
      ip: isOwn ? (entry.ipAddress ?? '') : '',
      browser: isOwn && entry.userAgent ? describeUserAgent(entry.userAgent) : '',
    };
  }
}

/** Includes requests without a session, such as a sign-in. */
function isByOwner(userId: string, { actorType, actorId }: AuditEntry): boolean {
  return actorType === 'anonymous' || (actorType === 'user' && actorId === userId);
}
