import { Injectable } from '@nestjs/common';
import { quantity } from '../../common/pages/quantity.js';
import type { MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { type ActPreview, ActPreviews } from '../../previews/acts/act-previews.service.js';
import { TooManyMemberships } from '../../previews/acts/previews.errors.js';
import type { EffectByApp } from '../../previews/effects/effect-counter.js';
import type { Affected } from '../../previews/effects/judged-members.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { effectHeading } from './effect-words.js';

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** Number of users listed for each effect and app. The page before it lists all users, or the first of them. */
const NAMED = 5;
/** Number of apps listed for each effect. A user can be a member of hundreds. */
const APPS = 5;

/** Effects of an action on the sign-in of users, for its confirmation page. */
@Injectable()
export class ActFacts {
  constructor(private readonly previews: ActPreviews) {}

  async ofMembers(
    { ctx }: ConsoleRequest,
    appId: string,
    act: MembershipActionName,
    userIds: readonly string[],
  ): Promise<Fact[]> {
    return factsOrSize(this.previews.ofMembers(ctx, appId, { act, userIds }));
  }

  async ofAccount({ ctx }: ConsoleRequest, userId: string, act: 'delete' | 'remove_platform_admin'): Promise<Fact[]> {
    return factsOrSize(this.previews.ofAccount(ctx, userId, act));
  }
}

/** Actions on more users than can be previewed are still possible. */
async function factsOrSize(preview: Promise<ActPreview>): Promise<Fact[]> {
  try {
    return factsOf(await preview);
  } catch (error) {
    if (error instanceof TooManyMemberships) return [{ label: 'Sign-in', value: TOO_MANY }];
    throw error;
  }
}

const TOO_MANY =
  'Not previewed: these users have too many memberships. Choose fewer users to see what it does to their sign-in.';

export function factsOf({ effects, endedSignIns, leavesNoAdmin, refused }: ActPreview): Fact[] {
  const apps = new Set(effects.flatMap((each) => each.apps.map(({ appId }) => appId)));
  return [
    ...effects.flatMap((each) => linesOf(each, apps.size > 1).map((value) => ({ label: 'Sign-in', value }))),
    ...(endedSignIns > 0 ? [{ label: 'App sessions that end', value: endedSignIns.toLocaleString('en') }] : []),
    ...(leavesNoAdmin ? [{ label: 'Remaining admins', value: 'None. Only platform admins can add one again.' }] : []),
    ...reasonsOf(refused).map(([reason, count]) => ({
      label: 'Not possible',
      value: `${quantity(count, 'user', 'users')}: ${reason}.`,
    })),
  ];
}

/** `2 users can no longer sign in: Ada, Grace`; with several apps, a line for each of the first of them. */
function linesOf({ effect, apps, users }: EffectByApp, isOfManyApps: boolean): string[] {
  const lines = apps.slice(0, APPS).map(({ appId, appName, count }) => {
    const named = users.filter((user) => user.appId === appId).slice(0, NAMED);
    const heading = effectHeading({ effect, count });
    return `${isOfManyApps ? `${appName}: ${heading}` : heading}${namesOf(named, count)}`;
  });
  const more = apps.length - lines.length;
  return more > 0 ? [...lines, `The same at ${quantity(more, 'more app', 'more apps')}`] : lines;
}

function namesOf(named: readonly Pick<Affected, 'displayName'>[], count: number): string {
  if (named.length === 0) return '';
  const more = count - named.length;
  const names = named.map(({ displayName }) => displayName).join(', ');
  return `: ${names}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}

function reasonsOf(refused: ActPreview['refused']): [string, number][] {
  const counts = new Map<string, number>();
  for (const { reason } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts];
}
