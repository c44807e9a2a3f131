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

/** What is done with somebody's place in an app, by its name in the address. */
export const PLACE_ACTS: ReadonlyMap<string, PlaceAct> = new Map<string, PlaceAct>([
  [
    'approve',
    {
      run: (memberships, ...args) => memberships.approve(...args),
      done: (name) => `${name} is let in, and gets an e-mail that says so.`,
      question: null,
      questionOfUnverified: {
        title: (name, app) => `Let ${name} into ${app}?`,
        lead: 'Nobody has verified this e-mail address: it is what the person has typed, and may be somebody else’s.',
        button: 'Approve all the same',
      },
      isEnd: false,
    },
  ],
  [
    'deny',
    {
      run: (memberships, ...args) => memberships.deny(...args),
      done: (name) => `The request of ${name} is denied.`,
      question: {
        title: (name, app) => `Deny the request of ${name} for ${app}?`,
        lead: 'The request goes away and nobody is told. They may ask again.',
        button: 'Deny',
      },
      isEnd: true,
    },
  ],
  [
    'suspend',
    {
      run: (memberships, ...args) => memberships.suspend(...args),
      done: (name) => `${name} is suspended and signed out everywhere in this app.`,
      question: {
        title: (name, app) => `Suspend ${name} in ${app}?`,
        lead: 'They cannot sign in to this app, and are signed out of it on all devices at once, until you reactivate them.',
        button: 'Suspend',
      },
      isEnd: false,
    },
  ],
  [
    'reactivate',
    {
      run: (memberships, ...args) => memberships.reactivate(...args),
      done: (name) => `${name} may sign in again.`,
      question: null,
      isEnd: false,
    },
  ],
  [
    'remove',
    {
      run: (memberships, ...args) => memberships.remove(...args),
      done: (name) => `${name} is no longer in this app.`,
      question: {
        title: (name, app) => `Remove ${name} from ${app}?`,
        lead: 'Their roles here are lost and their tokens for this app stop working at once. Their account stays.',
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
