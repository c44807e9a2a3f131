import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import type { ChangePreview } from '../../../previews/changes/change-previews.service.js';

/** What is kept of a preview: numbers, no names. */
export function countsOf({ effects }: ChangePreview): Prediction {
  return Object.fromEntries(effects.map(({ effect, count }) => [effect, count]));
}
