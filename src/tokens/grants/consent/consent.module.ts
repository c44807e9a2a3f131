import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Consent } from './consent.entity.js';
import { ConsentsEndedByProof } from './consents-ended-by-proof.js';
import { ConsentsRepository } from './consents.repository.js';
import { Consents } from './consents.service.js';

/** Owns consents: what users have allowed apps. */
@Module({
  imports: [TypeOrmModule.forFeature([Consent])],
  providers: [Consents, ConsentsEndedByProof, ConsentsRepository],
  exports: [Consents],
})
export class ConsentModule {}
