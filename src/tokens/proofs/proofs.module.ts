import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SpentProof } from './spent-proof.entity.js';
import { SpentProofsPurge } from './spent-proofs-purge.js';
import { SpentProofsRepository } from './spent-proofs.repository.js';
import { SpentProofs } from './spent-proofs.service.js';

/** Owns spent_proofs: used signed proofs of clients, and revoked service tokens. None of them is accepted again. */
@Module({
  imports: [TypeOrmModule.forFeature([SpentProof])],
  providers: [SpentProofs, SpentProofsPurge, SpentProofsRepository],
  exports: [SpentProofs],
})
export class ProofsModule {}
