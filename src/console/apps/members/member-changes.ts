import { Injectable } from '@nestjs/common';
import { reasonOf } from '../../../admin/users/memberships/refusal-words.js';
import type { App } from '../../../apps/app/app.entity.js';
import { MEMBERSHIP_ACTIONS, type MembershipActionName } from '../../../enrollment/enrollments/membership-actions.js';
import { VisibleUsers } from '../../../enrollment/users/visible-users.service.js';
import type { Flash } from '../../../operators/session/console-session.entity.js';
import type { User } from '../../../users/user.entity.js';
import { quantity } from '../../../common/pages/quantity.js';
import type { ConsoleRequest, Fields } from '../../frame/requests/console-request.js';
import { MEMBERSHIP_WORDS, unmailedWords } from '../../memberships/membership-words.js';
import { ActFacts } from '../../previews/act-facts.js';
import { type RefusedMember, BulkMembershipChanges } from '../../memberships/bulk-membership-changes.js';
import type { Question } from '../page/app-pages.js';
import { appPath } from '../page/app-tabs.js';

/** Up to this many members are changed in one request; more become a task. */
export const MAX_AT_ONCE = 50;

const CONFIRMED = 'confirmed:';
/** Number of members who are listed with the reason why they could not be changed; the others are counted. */
const MAX_NAMED = 3;

/** An action on a few members of an app, who are changed before the response. */
@Injectable()
export class MemberChanges {
  constructor(
    private readonly visibleUsers: VisibleUsers,
    private readonly several: BulkMembershipChanges,
    private readonly facts: ActFacts,
  ) {}

  /** The question to confirm, if members lose something or have unverified addresses; null: none. */
  async questionAbout(consoleRequest: ConsoleRequest, change: MemberChange, fields: Fields): Promise<Question | null> {
    const { act, app } = change;
    const users = await this.visibleUsers.listVisible(consoleRequest.ctx, change.userIds);
    if (users.every((user) => isUnquestioned(act, user) || fields[`${CONFIRMED}${user.id}`] === user.email))
      return null;
    const { button, many } = MEMBERSHIP_WORDS[act];
    const who = quantity(users.length, 'user', 'users');
    return {
      title: `${many.title(who, app.name)}?`,
      lead: many.lead,
      impact: [
        ...users.map(({ displayName, email, emailVerified }) => ({
          label: displayName,
          value: `${email}${emailVerified ? '' : ' (not verified)'}`,
        })),
        ...(await this.facts.ofMembers(consoleRequest, app.id, act, change.userIds)),
      ],
      action: appPath(app, 'members', '/bulk'),
      hidden: [
        ...['act', 'from', 'q', 'status'].map((name) => ({ name, value: fields[name] ?? '' })),
        ...users.flatMap(({ id, email }) => [
          { name: `pick:${id}`, value: 'on' },
          { name: `${CONFIRMED}${id}`, value: email },
        ]),
      ],
      button,
      isDanger: MEMBERSHIP_ACTIONS[act].isDestructive,
    };
  }

  /** @returns the message for the next page: how many were changed, and which were not, with the reason */
  async make(consoleRequest: ConsoleRequest, { act, app, userIds }: MemberChange): Promise<Flash> {
    const keys = userIds.map((userId) => ({ userId, appId: app.id }));
    const { refused, unmailed } = await this.several.run(consoleRequest, act, keys);
    const count = userIds.length - refused.length;
    const done =
      count > 0 ? [`${quantity(count, 'member was', 'members were')} ${MEMBERSHIP_WORDS[act].many.done}.`] : [];
    const failed = refused.length > 0 ? await this.failures(consoleRequest, refused) : [];
    const notMailed = unmailed > 0 ? [unmailedWords(unmailed)] : [];
    const kind = refused.length + unmailed > 0 ? 'warning' : 'done';
    return { text: [...done, ...notMailed, ...failed].join(' '), kind };
  }

  private async failures({ ctx }: ConsoleRequest, refused: readonly RefusedMember[]): Promise<string[]> {
    const ids = refused.map(({ key }) => key.userId);
    const names = new Map((await this.visibleUsers.listVisible(ctx, ids)).map((user) => [user.id, user.displayName]));
    const byReason = new Map<string, string[]>();
    for (const { key, refusal } of refused) {
      const name = names.get(key.userId) ?? 'a deleted account';
      const reason = reasonOf(refusal);
      byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
    }
    return [...byReason].map(([reason, who]) => `Not changed: ${enumerated(who)} (${reason}).`);
  }
}

export interface MemberChange {
  readonly act: MembershipActionName;
  readonly app: App;
  readonly userIds: readonly string[];
}

function isUnquestioned(act: MembershipActionName, { emailVerified }: User): boolean {
  return !MEMBERSHIP_ACTIONS[act].isDestructive && (act !== 'approve' || emailVerified);
}

/** `Ada, Grace, Edsger and 4 more` */
function enumerated(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return rest > 0 ? `${names.slice(0, MAX_NAMED).join(', ')} and ${rest} more` : names.join(', ');
}
