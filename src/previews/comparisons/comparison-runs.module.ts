import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { ComparisonsModule } from '../../apps/comparisons/change-comparisons.module.js';
import { PreviewsModule } from '../previews.module.js';
import { ChangeEffectList } from './change-effect-list.js';
import { ChangeOutcome } from './change-outcome.js';
import { CompareChangeHandler } from './compare-change.handler.js';
import { ComparisonUsersRepository } from './comparison-users.repository.js';
import { ComparisonUsersPurge } from './comparison-users-purge.js';
import { ComparisonUser } from './comparison-user.entity.js';

/** Owns change_comparison_people: compares saved changes with their predictions. */
@Module({
  imports: [AppsModule, ComparisonsModule, PreviewsModule, TypeOrmModule.forFeature([ComparisonUser])],
  providers: [ChangeEffectList, ChangeOutcome, CompareChangeHandler, ComparisonUsersPurge, ComparisonUsersRepository],
})
export class ComparisonRunsModule {}
