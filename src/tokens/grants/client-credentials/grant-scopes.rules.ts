import { SERVICE_SCOPES } from '../../../common/http/access-marks.js';
import { InvalidScope } from '../../protocol/tokens.errors.js';

/**
 * Without scopes in the request, grants all of the app's; an unknown scope, or one that the app does not have, refuses
 * the whole request.
 */
export function grantScopes(
  held: readonly string[],
  requested: string | null,
  known: readonly string[] = SERVICE_SCOPES,
): string[] {
  if (requested === null) return [...held];
  const wanted = [...new Set(requested.split(' ').filter((scope) => scope !== ''))];
  const refused = wanted.find((scope) => !held.includes(scope) || !known.includes(scope));
  if (refused !== undefined) throw new InvalidScope(refused);
  return wanted;
}
