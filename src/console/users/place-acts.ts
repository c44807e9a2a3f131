import type { MembershipsService } from '../../admin/people/memberships.service.js';

interface PlaceAct {
  run(memberships: MembershipsService, ...args: Parameters<MembershipsService['approve']>): Promise<void>;
  readonly done: (name: string) => string;
  /** What is asked first; null: nothing is lost by it. */
  readonly question: { title: (name: string, app: string) => string; lead: string; button: string } | null;
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
