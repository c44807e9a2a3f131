import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { appleAppSiteAssociation, assetLinks } from '../../../apps/app/native-apps.rules.js';
import { Public } from '../../../common/http/access-marks.js';
import { NetworkLimit } from '../../../rate-limits/network-limit.js';

/** Which native apps may use passkeys of this host: of all apps that are switched on and take passkeys. */
@ApiTags('Sign-in')
@Controller('.well-known')
export class NativeAppsController {
  constructor(private readonly directory: AppDirectory) {}

  @Get('assetlinks.json')
  @Public()
  @NetworkLimit('passkey_ip')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({
    summary: 'Android apps (Digital Asset Links)',
    description: 'From `config.android_apps` of the apps.',
  })
  @ApiOkResponse({ description: 'A list of statements with `delegate_permission/common.get_login_creds`' })
  async android(): Promise<ReturnType<typeof assetLinks>> {
    return assetLinks(await this.directory.listNativeApps());
  }

  @Get('apple-app-site-association')
  @Public()
  @NetworkLimit('passkey_ip')
  @Header('Cache-Control', 'public, max-age=300')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'Apple apps (associated domains)', description: 'From `config.apple_app_ids` of the apps.' })
  @ApiOkResponse({ description: '`{webcredentials: {apps}}`' })
  async apple(): Promise<ReturnType<typeof appleAppSiteAssociation>> {
    return appleAppSiteAssociation(await this.directory.listNativeApps());
  }
}
