import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../../common/http/access-marks.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';
import { RelyingParty } from '../../credentials/passkeys/ceremonies/relying-party.js';

/** Which other websites browsers let use the passkeys of this host. */
@ApiTags('Sign-in')
@Controller('.well-known/webauthn')
export class RelatedOriginsController {
  constructor(private readonly party: RelyingParty) {}

  @Get()
  @Public()
  @NetworkLimit('passkey_ip')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({
    summary: 'Related origins (WebAuthn Level 3, section 5.11)',
    description: 'From the setting `PASSKEY_RELATED_ORIGINS`.',
  })
  @ApiOkResponse({ description: '`{origins}`; empty if BASE_URL cannot have passkeys' })
  origins(): { origins: readonly string[] } {
    return { origins: this.party.isUsable ? this.party.relatedOrigins : [] };
  }
}
