import { ScriptedOpenId } from '../../support/scripted-openid.js';
import type { Outcome, RunOptions } from '../fault.js';
import { ACCOUNT_REQUESTS } from '../requests/account-requests.js';
import { apiRequests } from '../requests/api-requests.js';
import { CONSOLE_REQUESTS } from '../requests/console-requests.js';
import { HOSTED_REQUESTS } from '../requests/hosted-requests.js';
import { providerRequests } from '../requests/provider-requests.js';
import type { Preparation } from '../requests/write-request.js';
import { killPoints } from './kill-points.js';

type Requests = Readonly<Record<string, Preparation>>;

/** One of each kind, for `npm test`. */
const QUICK = ['POST /auth/login', 'POST /token/refresh', 'POST /admin/users'];

function named(requests: Requests, isWanted: (name: string) => boolean): Requests {
  return Object.fromEntries(Object.entries(requests).filter(([name]) => isWanted(name)));
}

export function quickKillPoints(): Promise<Outcome> {
  return killPoints({ requests: named(apiRequests(), (name) => QUICK.includes(name)), victims: 1 });
}

/** F1: every request of the JSON API that writes. */
export function apiKillPoints({ requests: part = '' }: RunOptions): Promise<Outcome> {
  return killPoints({ requests: named(apiRequests(), (name) => name.includes(part)) });
}

/** F1: forms of the account page and of hosted sign-in, mailed links, and the way back from an external provider. */
export async function pageKillPoints({ requests: part = '' }: RunOptions): Promise<Outcome> {
  const google = await ScriptedOpenId.start();
  try {
    const requests = { ...ACCOUNT_REQUESTS, ...HOSTED_REQUESTS, ...providerRequests(google) };
    const wanted = named(requests, (name) => name.includes(part));
    return await killPoints({ requests: wanted, env: google.environment, mustWrite: true });
  } finally {
    await google.close();
  }
}

/** F1: forms of the console. */
export function consoleKillPoints({ requests: part = '' }: RunOptions): Promise<Outcome> {
  return killPoints({ requests: named(CONSOLE_REQUESTS, (name) => name.includes(part)), mustWrite: true });
}
