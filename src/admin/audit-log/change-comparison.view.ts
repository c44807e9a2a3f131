import { ApiProperty } from '@nestjs/swagger';
import { AuditEntryView } from '../../audit/audit-entry.view.js';
import type { ComparisonResult } from '../../apps/comparisons/change-comparison.entity.js';
import type { ListedComparison } from '../../apps/comparisons/change-comparisons.repository.js';

class EffectOutcomeView {
  @ApiProperty({ example: 'set_up_second_factor', description: 'See the preview' }) effect: string;
  @ApiProperty({ description: 'Number of users in the preview' }) predicted: number;
  @ApiProperty({ description: 'Number of users right after the change' }) found: number;
  @ApiProperty({
    description:
      'Of these, the users who have done what the effect asks for: set up a second factor (`set_up_second_factor`), verified the address (`verify_email`), lost the role (`role_withdrawn`), or signed in (the other effects)',
  })
  met: number;
  @ApiProperty({ description: 'Users who were refused because of the change and have not complied yet' })
  refused: number;
  @ApiProperty({ description: 'Users who have not tried to sign in yet' }) waiting: number;
  @ApiProperty({ description: 'Users who cannot sign in for another reason, or whose account was deleted' })
  gone: number;
  @ApiProperty({ description: 'Users who have signed in to the app since the change, regardless of the group' })
  signed_in: number;
}

class ComparisonResultView {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ type: [EffectOutcomeView] }) effects: EffectOutcomeView[];
}

export class ChangeComparisonView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time when one of the same settings was changed again, which ends the comparison',
  })
  changed_again_at: string | null;
  @ApiProperty({ type: ComparisonResultView, nullable: true, description: 'A day after the change' })
  after_day: ComparisonResultView | null;
  @ApiProperty({ type: ComparisonResultView, nullable: true, description: 'A week after the change' })
  after_week: ComparisonResultView | null;
}

export class ListedAuditEntryView extends AuditEntryView {
  @ApiProperty({
    type: ChangeComparisonView,
    required: false,
    description:
      'Only for changes that affect users, soon after they were saved: what these users have done since. `predicted` is `metadata.prediction`; for a change that was saved without a preview, it is `found`. Not part of the sealed entry or of the export',
  })
  comparison?: ChangeComparisonView;
}

export function changeComparisonView(comparison: ListedComparison): ChangeComparisonView {
  const { changedAgainAt, afterDay, afterWeek } = comparison;
  return {
    changed_again_at: changedAgainAt?.toISOString() ?? null,
    after_day: afterDay && resultView(afterDay, comparison),
    after_week: afterWeek && resultView(afterWeek, comparison),
  };
}

function resultView({ at, effects }: ComparisonResult, { prediction, found }: ListedComparison): ComparisonResultView {
  return {
    at,
    effects: Object.entries(effects).map(([effect, { signedIn, ...counts }]) => ({
      effect,
      predicted: prediction[effect] ?? 0,
      found: found?.[effect] ?? 0,
      ...counts,
      signed_in: signedIn,
    })),
  };
}
