import { isUuid } from '../../common/validation/fields.js';
import { INVITE_STATES, type InviteState } from '../../invites/list/invite-list.query.js';
import { searchText } from '../../common/lists/search-text.js';
import { type ChosenPage, readChosenPage } from '../frame/lists/pager.js';
import { optionsOf } from '../frame/lists/form-values.js';

/** Parameters of the list, as in the URL. */
export interface InviteListForm {
  readonly appId: string | null;
  readonly state: InviteState | null;
  /** As typed. */
  readonly search: string;
  /** Text of the search for an app. */
  readonly appSearch: unknown;
  readonly page: ChosenPage;
}

const STATE_WORDS: Readonly<Record<InviteState, string>> = {
  usable: 'Open',
  expired: 'Expired',
  used: 'Used up',
  revoked: 'Revoked',
};

export function readInviteList(query: Readonly<Record<string, unknown>>): InviteListForm {
  const { app_id: appId, state } = query;
  return {
    appId: isUuid(appId) ? appId.toLowerCase() : null,
    state: INVITE_STATES.find((each) => each === state) ?? null,
    search: searchText(query['q']),
    appSearch: query['app_q'],
    page: readChosenPage(query),
  };
}

export function stateOptions(chosen: InviteState | null) {
  return optionsOf({ '': 'All states', ...STATE_WORDS }, chosen);
}
