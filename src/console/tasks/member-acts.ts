import type { MembershipsService } from '../../admin/people/memberships.service.js';
import type { EnrollmentStatus } from '../../enrollment/enrollment.entity.js';

export type MemberActName = 'approve' | 'deny' | 'suspend' | 'reactivate' | 'remove';

interface MemberAct {
  /** Whom it can concern; null: everyone. */
  readonly of: EnrollmentStatus | null;
  /** People lose something by it: always asked first. */
  readonly isDanger: boolean;
  readonly button: string;
  readonly title: (people: string, app: string) => string;
  readonly lead: string;
  /** Behind `5 people are`. */
  readonly done: string;
  run(memberships: MembershipsService, ...args: Parameters<MembershipsService['approve']>): Promise<unknown>;
}

export const MEMBER_ACTS: Readonly<Record<MemberActName, MemberAct>> = {
  approve: {
    of: 'pending',
    isDanger: false,
    button: 'Approve',
    title: (people, app) => `Approve ${people} for ${app}`,
    lead: 'They can then sign in, and each gets an e-mail. An unverified address may belong to someone else: check the members list for those first.',
    done: 'approved',
    run: (memberships, ...args) => memberships.approve(...args),
  },
  deny: {
    of: 'pending',
    isDanger: true,
    button: 'Deny',
    title: (people, app) => `Deny the requests of ${people} for ${app}`,
    lead: 'The requests are deleted, without an e-mail to the users. They can ask again.',
    done: 'denied',
    run: (memberships, ...args) => memberships.deny(...args),
  },
  suspend: {
    of: 'active',
    isDanger: true,
    button: 'Suspend',
    title: (people, app) => `Suspend ${people} in ${app}`,
    lead: 'They are signed out of this app on all devices immediately, and cannot sign in until you reactivate them.',
    done: 'suspended',
    run: (memberships, ...args) => memberships.suspend(...args),
  },
  reactivate: {
    of: 'suspended',
    isDanger: false,
    button: 'Reactivate',
    title: (people, app) => `Reactivate ${people} in ${app}`,
    lead: 'They can sign in again. Tokens from before the suspension stay invalid.',
    done: 'reactivated',
    run: (memberships, ...args) => memberships.reactivate(...args),
  },
  remove: {
    of: null,
    isDanger: true,
    button: 'Remove',
    title: (people, app) => `Remove ${people} from ${app}`,
    lead: 'They lose their roles in this app, and their tokens for it stop working immediately. Their accounts are kept.',
    done: 'removed',
    run: (memberships, ...args) => memberships.remove(...args),
  },
};

export function memberActName(value: unknown): MemberActName | null {
  return typeof value === 'string' && Object.hasOwn(MEMBER_ACTS, value) ? (value as MemberActName) : null;
}
