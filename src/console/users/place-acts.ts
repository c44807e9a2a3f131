import type { MembershipsService } from '../../admin/people/memberships.service.js';
import type { User } from '../../users/user.entity.js';
import type { Fields } from '../frame/console-request.js';

export interface Question {
  readonly title: (name: string, app: string) => string;
  readonly lead: string;
  readonly button: string;
}

interface PlaceAct {
  run(memberships: MembershipsService, ...args: Parameters<MembershipsService['approve']>): Promise<unknown>;
  readonly done: (name: string) => string;
  /** What is asked first; null: nothing is lost by it. */
  readonly question: Question | null;
  /** Asked first where nobody has proven the address by which the person is judged. */
  readonly questionOfUnverified?: Question;
  /** There is no place of theirs left. */
  readonly isEnd: boolean;
}

/** The actions on a user's membership in an app, by their names in the address. */
export const PLACE_ACTS: ReadonlyMap<string, PlaceAct> = new Map<string, PlaceAct>([
  [
    'approve',
    {
      run: (memberships, ...args) => memberships.approve(...args),
      done: (name) => `${name} was approved and gets an e-mail.`,
      question: null,
      questionOfUnverified: {
        title: (name, app) => `Approve ${name} for ${app}?`,
        lead: 'This e-mail address is not verified. It may belong to someone else.',
        button: 'Approve anyway',
      },
      isEnd: false,
    },
  ],
  [
    'deny',
    {
      run: (memberships, ...args) => memberships.deny(...args),
      done: (name) => `The request of ${name} was denied.`,
      question: {
        title: (name, app) => `Deny the request of ${name} for ${app}?`,
        lead: 'The request is deleted, without an e-mail to the user. They can ask again.',
        button: 'Deny',
      },
      isEnd: true,
    },
  ],
  [
    'suspend',
    {
      run: (memberships, ...args) => memberships.suspend(...args),
      done: (name) => `${name} was suspended and signed out of this app on all devices.`,
      question: {
        title: (name, app) => `Suspend ${name} in ${app}?`,
        lead: 'They are signed out of this app on all devices immediately, and cannot sign in until you reactivate them.',
        button: 'Suspend',
      },
      isEnd: false,
    },
  ],
  [
    'reactivate',
    {
      run: (memberships, ...args) => memberships.reactivate(...args),
      done: (name) => `${name} can sign in again.`,
      question: null,
      isEnd: false,
    },
  ],
  [
    'remove',
    {
      run: (memberships, ...args) => memberships.remove(...args),
      done: (name) => `${name} was removed from this app.`,
      question: {
        title: (name, app) => `Remove ${name} from ${app}?`,
        lead: 'They lose their roles in this app, and their tokens for it stop working immediately. Their account is kept.',
        button: 'Remove',
      },
      isEnd: true,
    },
  ],
]);

/** What is asked before this is done to this person; null: nothing. */
export function questionOf(act: PlaceAct | undefined, user: Pick<User, 'emailVerified'>): Question | null {
  return (user.emailVerified ? null : act?.questionOfUnverified) ?? act?.question ?? null;
}

/** The form of a question about an unverified address says which one was shown. */
export const CONFIRMED_EMAIL = 'confirmed_email';

/** Whether it must be asked still: nobody has seen that this very address is not verified. */
export function isUnasked(act: PlaceAct, user: Pick<User, 'email' | 'emailVerified'>, fields: Fields): boolean {
  return act.questionOfUnverified !== undefined && !user.emailVerified && fields[CONFIRMED_EMAIL] !== user.email;
}
