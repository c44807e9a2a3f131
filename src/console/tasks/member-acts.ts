import type { MembershipsService } from '../../admin/people/memberships.service.js';
import type { EnrollmentStatus } from '../../enrollment/enrollment.entity.js';

export type MemberActName = 'approve' | 'deny' | 'suspend' | 'reactivate' | 'remove';

interface MemberAct {
  /** Whom it can concern; null: everybody. */
  readonly of: EnrollmentStatus | null;
  /** People lose something by it: it is asked first, whoever was chosen. */
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
    title: (people, app) => `Let ${people} into ${app}`,
    lead: 'They may sign in from then on, and each gets an e-mail that says so. An address that is not verified is only what somebody has typed: look at the list of members for those before you go on.',
    done: 'let in',
    run: (memberships, ...args) => memberships.approve(...args),
  },
  deny: {
    of: 'pending',
    isDanger: true,
    button: 'Deny',
    title: (people, app) => `Deny the requests of ${people} for ${app}`,
    lead: 'The requests go away and nobody is told. They may ask again.',
    done: 'denied',
    run: (memberships, ...args) => memberships.deny(...args),
  },
  suspend: {
    of: 'active',
    isDanger: true,
    button: 'Suspend',
    title: (people, app) => `Suspend ${people} in ${app}`,
    lead: 'They cannot sign in to this app, and are signed out of it on all devices at once, until you reactivate them.',
    done: 'suspended',
    run: (memberships, ...args) => memberships.suspend(...args),
  },
  reactivate: {
    of: 'suspended',
    isDanger: false,
    button: 'Reactivate',
    title: (people, app) => `Reactivate ${people} in ${app}`,
    lead: 'They may sign in again. Tokens from before the suspension stay dead.',
    done: 'reactivated',
    run: (memberships, ...args) => memberships.reactivate(...args),
  },
  remove: {
    of: null,
    isDanger: true,
    button: 'Remove',
    title: (people, app) => `Remove ${people} from ${app}`,
    lead: 'Their roles here are lost and their tokens for this app stop working at once. Their accounts stay.',
    done: 'removed',
    run: (memberships, ...args) => memberships.remove(...args),
  },
};

export function memberActName(value: unknown): MemberActName | null {
  return typeof value === 'string' && Object.hasOwn(MEMBER_ACTS, value) ? (value as MemberActName) : null;
}
