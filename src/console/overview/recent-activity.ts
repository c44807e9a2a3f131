import { Injectable } from '@nestjs/common';
import { AuditNames } from '../../admin/audit-log/audit-names.js';
import { AuditReader } from '../../admin/audit-log/audit-reader.service.js';
import { Clock } from '../../common/clock.js';
import { timeInWords } from '../../common/pages/time-in-words.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { factsOf } from '../timeline/event-facts-of.js';
import { describeEvent } from '../timeline/event-sentences.js';

const SHOWN = { page: 1, limit: 10 };

/** The newest entries of the audit log that the operator may see, as sentences. */
@Injectable()
export class RecentActivity {
  constructor(
    private readonly reader: AuditReader,
    private readonly names: AuditNames,
    private readonly clock: Clock,
  ) {}

  async list({ listCtx, actor }: ConsoleRequest) {
    const { entries } = await this.reader.list(listCtx, {}, SHOWN);
    const names = await this.names.of(listCtx, entries, []);
    const now = this.clock.now();
    return entries.map((entry) => {
      const { parts, text } = describeEvent(factsOf(entry, names, actor));
      return { parts, text, href: `/console/audit#entry-${entry.id}`, when: timeInWords(entry.createdAt, now) };
    });
  }
}
