import type { KnownApp } from '../apps/app-directory.js';
import type { Admission } from '../enrollment/admission.rules.js';

/** What stands between somebody who has proven who they are and the app. */
export type EntryVerdict = 'enter' | 'second_factor_required' | Exclude<Admission, 'admitted'>;

/** Asked after every first factor and again at the end, on every path. */
export function judgeEntry(facts: {
  readonly admission: Admission;
  readonly secondFactorDemanded: boolean;
  readonly hasSecondFactor: boolean;
}): EntryVerdict {
  if (facts.admission !== 'admitted') return facts.admission;
  return facts.secondFactorDemanded && !facts.hasSecondFactor ? 'second_factor_required' : 'enter';
}

export function demandsSecondFactor({ app, tenant }: KnownApp): boolean {
  return app.config.require_2fa || tenant.require2fa;
}
