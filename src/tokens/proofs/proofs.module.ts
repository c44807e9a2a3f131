import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SpentProof } from './spent-proof.entity.js';
import { SpentProofsRepository } from './spent-proofs.repository.js';
import { SpentProofs } from './spent-proofs.service.js';

/** Owns spent_proofs: signed proofs of clients that were used once, and tokens of servers that were revoked. None is accepted again. */
@Module({
  imports: [TypeOrmModule.forFeature([SpentProof])],
  providers: [SpentProofs, SpentProofsRepository],
  exports: [SpentProofs],
})
export class ProofsModule {}
