import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChangeComparison } from './change-comparison.entity.js';
import { ChangeComparisonsRepository } from './change-comparisons.repository.js';
import { ChangeComparisons } from './change-comparisons.service.js';

/** Owns change_comparisons: changes with a prediction, and their outcome. `previews` does the comparison. */
@Module({
  imports: [TypeOrmModule.forFeature([ChangeComparison])],
  providers: [ChangeComparisons, ChangeComparisonsRepository],
  exports: [ChangeComparisons],
})
export class ComparisonsModule {}
