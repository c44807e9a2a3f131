import type { MembershipActionName } from '../../enrollment/enrollments/membership-actions.js';
import { quantity } from '../../common/pages/quantity.js';

export interface Question {
  readonly title: (name: string, app: string) => string;
  readonly lead: string;
  readonly button: string;
}

/** Texts of the console for an action on memberships. */
interface MembershipWords {
  readonly button: string;
  /** The question about one user, for a destructive action. */
  readonly question: Question | null;
  /** The question if the user's e-mail address is not verified. */
  readonly questionOfUnverified: Question | null;
  /** Message after the action on one user. */
  readonly done: (name: string) => string;
  /** Texts for an action on several users. */
  readonly many: {
    readonly title: (who: string, app: string) => string;
    readonly lead: string;
    /** Follows `5 users are`. */
    readonly done: string;
  };
}

const SUSPENDED =
  'They are signed out of this app on all devices immediately, and cannot sign in until you reactivate them.';

const LATER = 'because a limit of e-mails was reached. Send it later: it is under E-mails as “Not sent”.';

/** Message after the action on one user. @param emailSent false: a limit of e-mails was reached */
export function doneWords(act: MembershipActionName, name: string, emailSent: boolean | null): string {
  return emailSent === false ? `${name} was approved, but gets no e-mail, ${LATER}` : MEMBERSHIP_WORDS[act].done(name);
}

/** Sentence about users who were changed without an e-mail; empty if there is none. */
export function unmailedWords(count: number): string {
  if (count === 0) return '';
  return `${quantity(count, 'user gets', 'users get')} no e-mail, ${LATER}`;
}

export const MEMBERSHIP_WORDS: Readonly<Record<MembershipActionName, MembershipWords>> = {
  approve: {
    button: 'Approve',
    question: null,
    questionOfUnverified: {
      title: (name, app) => `Approve ${name} for ${app}?`,
      lead: 'This e-mail address is not verified. It may belong to someone else.',
      button: 'Approve anyway',
    },
    done: (name) => `${name} was approved and gets an e-mail.`,
    many: {
      title: (who, app) => `Approve ${who} for ${app}`,
      lead: 'They can then sign in, and each gets an e-mail. An unverified address may belong to someone else: check the members list for those first.',
      done: 'approved',
    },
  },
  deny: {
    button: 'Deny',
    question: {
      title: (name, app) => `Deny the request of ${name} for ${app}?`,
      lead: 'The request is deleted, without an e-mail to the user. They can ask again.',
      button: 'Deny request',
    },
    questionOfUnverified: null,
    done: (name) => `The request of ${name} was denied.`,
    many: {
      title: (who, app) => `Deny the requests of ${who} for ${app}`,
      lead: 'The requests are deleted, without an e-mail to the users. They can ask again.',
      done: 'denied',
    },
  },
  suspend: {
    button: 'Suspend',
    question: { title: (name, app) => `Suspend ${name} in ${app}?`, lead: SUSPENDED, button: 'Suspend member' },
    questionOfUnverified: null,
    done: (name) => `${name} was suspended and signed out of this app on all devices.`,
    many: { title: (who, app) => `Suspend ${who} in ${app}`, lead: SUSPENDED, done: 'suspended' },
  },
  reactivate: {
    button: 'Reactivate',
    question: null,
    questionOfUnverified: null,
    done: (name) => `${name} can sign in again.`,
    many: {
      title: (who, app) => `Reactivate ${who} in ${app}`,
      lead: 'They can sign in again. Tokens from before the suspension stay invalid.',
      done: 'reactivated',
    },
  },
  remove: {
    button: 'Remove',
    question: {
      title: (name, app) => `Remove ${name} from ${app}?`,
      lead: 'They lose their roles in this app, and their tokens for it stop working immediately. Their account is kept.',
      button: 'Remove member',
    },
    questionOfUnverified: null,
    done: (name) => `${name} was removed from this app.`,
    many: {
      title: (who, app) => `Remove ${who} from ${app}`,
      lead: 'They lose their roles in this app, and their tokens for it stop working immediately. Their accounts are kept.',
      done: 'removed',
    },
  },
};
