import type { Prediction } from '../../../apps/comparisons/change-comparison.entity.js';
import type { ChangePreview } from '../../../previews/changes/change-previews.service.js';

/** The stored part of a preview: numbers without names. */
export function countsOf({ effects }: ChangePreview): Prediction {
  return Object.fromEntries(effects.map(({ effect, count }) => [effect, count]));
}
