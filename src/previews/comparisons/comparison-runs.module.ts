import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppsModule } from '../../apps/apps.module.js';
import { ComparisonsModule } from '../../apps/comparisons/change-comparisons.module.js';
import { PreviewsModule } from '../previews.module.js';
import { ChangeEffectList } from './change-effect-list.js';
import { ChangeOutcome } from './change-outcome.js';
import { CompareChangeHandler } from './compare-change.handler.js';
import { ComparisonPeopleRepository } from './comparison-people.repository.js';
import { ComparisonPeoplePurge } from './comparison-people-purge.js';
import { ComparisonPerson } from './comparison-person.entity.js';

/** Owns change_comparison_people: compares saved changes with what was predicted of them. */
@Module({
  imports: [AppsModule, ComparisonsModule, PreviewsModule, TypeOrmModule.forFeature([ComparisonPerson])],
  providers: [ChangeEffectList, ChangeOutcome, CompareChangeHandler, ComparisonPeoplePurge, ComparisonPeopleRepository],
})
export class ComparisonRunsModule {}
