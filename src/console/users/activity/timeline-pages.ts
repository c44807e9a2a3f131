import { Injectable } from '@nestjs/common';
import { AuditNames } from '../../../admin/audit-log/audit-names.js';
import type { AuditEntry } from '../../../audit/entries/audit-entry.entity.js';
import type { AuditPage } from '../../../audit/audit.service.js';
import { Clock } from '../../../common/clock.js';
import { timeInWords, type TimeInWords } from '../../../common/pages/time-in-words.js';
import type { ConsoleRequest } from '../../frame/requests/console-request.js';
import { longDate } from '../../frame/lists/long-date.js';
import type { EventSentence } from '../../timeline/event-facts.js';
import { factsOf, programOf } from '../../timeline/event-facts-of.js';
import { describeEvent, EVENT_GROUPS, type EventGroup } from '../../timeline/event-sentences.js';

/** An event, once or several times in a row. */
interface Happening extends EventSentence {
  readonly at: TimeInWords;
  count: number;
  readonly where: string;
  readonly userAgent: string;
  readonly action: string;
  readonly requestId: string;
}

interface Day {
  readonly label: string;
  readonly entries: Happening[];
}

/** Audit entries of a user as sentences. */
@Injectable()
export class TimelinePages {
  constructor(
    private readonly names: AuditNames,
    private readonly clock: Clock,
  ) {}

  async model(
    { ctx, actor }: ConsoleRequest,
    { entries, next }: AuditPage,
    shown: EventGroup | null,
  ): Promise<Record<string, unknown>> {
    const names = await this.names.of(ctx, entries);
    const now = this.clock.now();
    const happenings = entries.map((entry) => ({
      ...describeEvent(factsOf(entry, names, actor)),
      entry,
      at: timeInWords(entry.createdAt, now),
    }));
    const query = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters).toString()}`;
    return {
      days: byDay(happenings, now),
      filters: [null, ...EVENT_GROUPS].map((group) => ({
        label: group?.label ?? 'All',
        href: group ? query({ show: group.id }) : '?',
        isCurrent: group === shown,
      })),
      isFiltered: shown !== null,
      olderUrl: next && query({ ...(shown ? { show: shown.id } : {}), cursor: next }),
    };
  }
}

/** Days in UTC. Repeated events of a day become one line with a number. */
function byDay(
  happenings: readonly (EventSentence & { readonly entry: AuditEntry; readonly at: TimeInWords })[],
  now: Date,
): Day[] {
  const days: Day[] = [];
  for (const { entry, ...said } of happenings) {
    const label = dayOf(entry.createdAt, now);
    if (days.at(-1)?.label !== label) days.push({ label, entries: [] });
    const { entries } = days.at(-1)!;
    const last = entries.at(-1);
    if (last?.text === said.text) last.count++;
    else
      entries.push({ ...said, ...deviceOf(entry), action: entry.action, requestId: entry.requestId ?? '', count: 1 });
  }
  return days;
}

function dayOf(at: Date, now: Date): string {
  const day = (time: Date) => Math.floor(time.getTime() / 86_400_000);
  const ago = day(now) - day(at);
  if (ago <= 0) return 'Today';
  if (ago === 1) return 'Yesterday';
  return longDate(at);
}

function deviceOf({ ipAddress, userAgent }: AuditEntry): Pick<Happening, 'where' | 'userAgent'> {
  const device = userAgent && programOf(userAgent);
  return { where: [ipAddress, device].filter((part) => part !== null).join(', '), userAgent: userAgent ?? '' };
}
