import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { chosenApp } from '../memberships/chosen-app.js';
import type { AppReference } from '../memberships/membership.dto.js';

interface Given {
  readonly body: unknown;
  readonly query: unknown;
}

/**
 * Target of `DELETE /admin/users/{user_id}`: an app id (docs/conventions.md, section 7), or null for the whole account.
 * Deleting the account is the bigger step, so it is taken only if the request contains nothing else: a misspelled
 * `app_id` must not delete a user.
 * @param raw the body and the query as sent, with unknown fields
 * @throws InvalidInput, ConflictingAppId
 */
export function removalTarget(body: AppReference | undefined, query: AppReference, raw: Given): string | null {
  if (body?.app_id !== undefined || query.app_id !== undefined) return chosenApp(body?.app_id, query.app_id);
  for (const place of ['body', 'query'] as const) {
    const [unknown] = Object.keys(raw[place] ?? {});
    if (unknown !== undefined)
      throw new InvalidInput([
        { loc: [place, unknown], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
      ]);
  }
  return null;
}
