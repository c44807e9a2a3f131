import { ApiProperty } from '@nestjs/swagger';
import { AuditEntryView } from '../../audit/audit-entry.view.js';
import type { ChangeComparison, ComparisonResult } from '../../apps/comparisons/change-comparison.entity.js';

class EffectOutcomeView {
  @ApiProperty({ example: 'set_up_second_factor', description: 'As in the preview' }) effect: string;
  @ApiProperty({ description: 'Users, as the preview said' }) predicted: number;
  @ApiProperty({ description: 'Users, as they were counted right after the change' }) found: number;
  @ApiProperty({
    description:
      'Of these, who have done what the effect asks for: set up a second factor (`set_up_second_factor`), verified the address (`verify_email`), lost the role (`role_withdrawn`), or signed in (the others)',
  })
  met: number;
  @ApiProperty({ description: 'Who were refused because of it, and have not met it' }) refused: number;
  @ApiProperty({ description: 'Who have not come yet' }) waiting: number;
  @ApiProperty({ description: 'Who cannot enter for another reason, or whose account was deleted' }) gone: number;
  @ApiProperty({ description: 'Who have signed in to the app since the change, whichever of these they are' })
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
    description: 'When one of the same settings was changed again, which ends the comparison',
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
      'Only of changes that affect users, soon after they were saved: what has become of these users. `predicted` is `metadata.prediction`; of a change that was saved without a preview, it is `found`. Not part of the sealed entry, and not in the export',
  })
  comparison?: ChangeComparisonView;
}

export function changeComparisonView(comparison: ChangeComparison): ChangeComparisonView {
  const { changedAgainAt, afterDay, afterWeek } = comparison;
  return {
    changed_again_at: changedAgainAt?.toISOString() ?? null,
    after_day: afterDay && resultView(afterDay, comparison),
    after_week: afterWeek && resultView(afterWeek, comparison),
  };
}

function resultView({ at, effects }: ComparisonResult, { prediction, found }: ChangeComparison): ComparisonResultView {
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
