import { InvalidInput } from '../../../common/validation/invalid-input.js';
import { chosenApp } from '../memberships/chosen-app.js';
import type { AppReference } from '../memberships/membership.dto.js';

interface Given {
  readonly body: unknown;
  readonly query: unknown;
}

/**
 * What `DELETE /admin/users/{user_id}` is about: an app (docs/conventions.md, section 7), or null for the whole account.
 * The second is the far bigger step, so it is taken only where nothing else was said: a misspelt `app_id` must not
 * delete a user.
 * @param raw as sent, before unknown fields were dropped
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
