import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../../common/http/access-marks.js';
import { SETTINGS, type Settings } from '../../../config/settings.js';
import { RelyingParty } from '../../credentials/passkeys/ceremonies/relying-party.js';

/** Pages to which password managers send users to add or remove a passkey. */
@ApiTags('Account')
@Controller('.well-known/passkey-endpoints')
export class PasskeyEndpointsController {
  constructor(
    private readonly party: RelyingParty,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Public()
  @Header('Cache-Control', 'public, max-age=3600')
  @ApiOperation({ summary: 'Pages for passkeys (W3C: A Well-Known URL for Relying Party Passkey Endpoints)' })
  @ApiOkResponse({ description: '`{enroll, manage}`; empty if BASE_URL cannot have passkeys' })
  endpoints(): { enroll?: string; manage?: string } {
    if (!this.party.isUsable) return {};
    const { baseUrl } = this.settings;
    return { enroll: `${baseUrl}/account/passkeys/new`, manage: `${baseUrl}/account#passkeys` };
  }
}
