import { Injectable } from '@nestjs/common';
import type { MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { type ActPreview, ActPreviews } from '../../previews/acts/act-previews.service.js';
import { TooManyMemberships } from '../../previews/acts/previews.errors.js';
import type { EffectCount } from '../../previews/effects/effect-counter.js';
import type { ConsoleRequest } from '../frame/requests/console-request.js';
import { effectHeading } from './effect-words.js';

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** Number of users listed for each effect. The page before it lists all users, or the first of them. */
const NAMED = 5;

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
  const apps = new Set(effects.flatMap(({ users }) => users.map(({ appId }) => appId)));
  return [
    ...effects.map((each) => ({ label: 'Sign-in', value: effectInOneLine(each, apps.size > 1) })),
    ...(endedSignIns > 0 ? [{ label: 'Sessions that end', value: endedSignIns.toLocaleString('en') }] : []),
    ...(leavesNoAdmin ? [{ label: 'Remaining admins', value: 'None. Only platform admins can add one again.' }] : []),
    ...reasonsOf(refused).map(([reason, count]) => ({
      label: 'Not possible',
      value: `${count.toLocaleString('en')} ${count === 1 ? 'user' : 'users'}: ${reason}.`,
    })),
  ];
}

/** `2 users can no longer sign in: Ada, Grace`; with the names of the apps if there are several. */
function effectInOneLine(effect: EffectCount, isOfManyApps: boolean): string {
  const named = effect.users
    .slice(0, NAMED)
    .map(({ displayName, appName }) => (isOfManyApps ? `${displayName} (${appName})` : displayName));
  const more = effect.count - named.length;
  return `${effectHeading(effect)}: ${named.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}

function reasonsOf(refused: ActPreview['refused']): [string, number][] {
  const counts = new Map<string, number>();
  for (const { reason } of refused) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts];
}
