import { Module } from '@nestjs/common';
import { RateLimitsModule } from '../../rate-limits/rate-limits.module.js';
import { SigningModule } from '../jwt/signing.module.js';
import { ProofsModule } from '../proofs/proofs.module.js';
import { ClientKeyUses } from './client-key-uses.js';
import { DpopNonces } from './dpop-nonces.js';
import { DpopProofs } from './dpop-proofs.service.js';
import { PresentedTokens } from './presented-tokens.js';

/** Owns the proofs of DPoP (RFC 9449): keys that tokens are bound to, and whether a token is presented with its key. */
@Module({
  imports: [ProofsModule, RateLimitsModule, SigningModule],
  providers: [ClientKeyUses, DpopNonces, DpopProofs, PresentedTokens],
  exports: [ClientKeyUses, DpopNonces, DpopProofs, PresentedTokens],
})
export class DpopModule {}
