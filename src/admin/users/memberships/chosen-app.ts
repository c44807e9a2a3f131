import { Refusal } from '../../../common/refusal.js';
import { InvalidInput } from '../../../common/validation/invalid-input.js';

class ConflictingAppId extends Refusal {
  constructor() {
    super('bad_request', 'Conflicting app_id');
  }
}

/**
 * `app_id` from the body or the query; they must not differ (docs/conventions.md, section 7).
 * @throws InvalidInput if both are missing
 */
export function chosenApp(inBody: string | undefined, inQuery: string | undefined): string {
  const chosen = (inBody ?? inQuery)?.toLowerCase();
  if (chosen === undefined) throw InvalidInput.field('app_id', 'Field required', 'missing');
  if (inBody !== undefined && inQuery !== undefined && inQuery.toLowerCase() !== chosen) throw new ConflictingAppId();
  return chosen;
}
