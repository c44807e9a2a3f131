import { isUuid } from '../../common/validation/fields.js';
import { INVITE_STATES, type InviteState } from '../../invites/invite-list.query.js';
import { type ChosenPage, readChosenPage } from '../frame/pager.js';

/** What the list was asked for, as it is in the address. */
export interface InviteListForm {
  readonly appId: string | null;
  readonly state: InviteState | null;
  /** As typed. */
  readonly email: string;
  /** What was typed to find an app. */
  readonly appSearch: unknown;
  readonly page: ChosenPage;
}

const STATE_WORDS: Readonly<Record<InviteState, string>> = {
  usable: 'Open',
  expired: 'Expired',
  used: 'Used up',
  revoked: 'Revoked',
};
const LONGEST_ADDRESS = 254;

export function readInviteList(query: Readonly<Record<string, unknown>>): InviteListForm {
  const { app_id: appId, email, state } = query;
  return {
    appId: isUuid(appId) ? appId.toLowerCase() : null,
    state: INVITE_STATES.find((each) => each === state) ?? null,
    email: typeof email === 'string' ? email.replaceAll('\0', '').trim().slice(0, LONGEST_ADDRESS) : '',
    appSearch: query['app_q'],
    page: readChosenPage(query),
  };
}

export function stateOptions(chosen: InviteState | null) {
  const states = INVITE_STATES.map((value) => ({ value, label: STATE_WORDS[value], isChosen: value === chosen }));
  return [{ value: '', label: 'All states', isChosen: chosen === null }, ...states];
}
