import type { Prediction } from '../../apps/change-comparison.entity.js';
import type { ChangePreview } from '../../previews/change-previews.service.js';

/**
 * What is known for the numbers of a plan: what every admin knows who sees them, also where a platform admin has planned the change.
 */
export const KNOWN_TO_ALL = false;

/** What is kept of a preview: numbers, no names. */
export function countsOf({ effects }: ChangePreview): Prediction {
  return Object.fromEntries(effects.map(({ effect, count }) => [effect, count]));
}
