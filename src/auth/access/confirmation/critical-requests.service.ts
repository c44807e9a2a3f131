import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { App } from '../../../apps/app/app.entity.js';
import { AppDirectory } from '../../../apps/directory/app-directory.js';
import { changesClientKeys, endsConsent } from '../../../apps/settings/app-access.rules.js';
import { WHOLE_SCOPE } from '../../../common/actor.js';
import { isUuid } from '../../../common/validation/fields.js';
import { InvitesService } from '../../../invites/creation/invites.service.js';
import { MailLog } from '../../../mail/log/mail-log.service.js';
import { TenantsService } from '../../../tenants/tenants.service.js';
import { changesPasskeyModels, takesOwnCredentialsAway } from './credential-settings.rules.js';

/** What of a request says what it concerns. */
export type Asked = Pick<Request, 'params' | 'query' | 'body'>;

type Sent = Readonly<Record<string, unknown>>;

/**
 * Whether what a request asks for needs a recent sign-in. Guards ask before the body is checked, so everything is read as the most generous
 * reader of it takes it.
 */
@Injectable()
export class CriticalRequests {
  constructor(
    private readonly directory: AppDirectory,
    private readonly tenants: TenantsService,
    private readonly invites: InvitesService,
    private readonly mails: MailLog,
  ) {}

  /** Now or, in a scheduled change, later. */
  async concernsSettings({ params, body }: Asked): Promise<boolean> {
    const appId = idIn(params['app_id']);
    const tenantId = idIn(params['tenant_id']);
    const app = appId && (await this.directory.find(appId))?.app;
    const tenant = tenantId && (await this.tenants.find(tenantId));
    return [objectIn(body), objectIn(objectIn(body)['change'])].some(
      (sent) =>
        (!!app && concernsSettingsOf(app, sent)) ||
        (!!tenant && changesPasskeyModels(sent['passkey_aaguids'], tenant.passkeyAaguids)),
    );
  }

  /**
   * Members of a Console app govern its tenant, the field is the platform's own, and an export may hold password hashes.
   */
  async concernsAuthority({ params, query, body }: Asked): Promise<boolean> {
    const given = objectIn(body);
    if (asksForCredentials(query) || given['is_platform_admin'] === true) return true;
    const named = [params['app_id'], query['app_id'], given['app_id']].map(idIn);
    const invite = idIn(params['invite_id']);
    const mail = idIn(params['mail_id']);
    const led = [
      invite && (await this.invites.appOf(invite)),
      mail && (await this.mails.find(WHOLE_SCOPE, mail))?.appId,
    ];
    for (const id of [...named, ...led]) if (id && (await this.directory.find(id))?.app.isConsoleApp) return true;
    return false;
  }
}

function concernsSettingsOf(app: App, sent: Sent): boolean {
  if (sent['fcm_service_account'] !== undefined) return true;
  if (takesOwnCredentialsAway(sent, app.config.allowed_providers)) return true;
  // A form of the console has no `config`, and a box that is not ticked is not sent.
  const isForm = sent['third_party_offered'] !== undefined;
  const config = isForm ? { third_party: sent['third_party'] === 'on' } : sent['config'];
  return changesClientKeys(config, app) || endsConsent(config, app);
}

function asksForCredentials(query: Asked['query']): boolean {
  const wanted = query['include_credentials'];
  return wanted !== undefined && wanted !== 'false' && wanted !== '0';
}

function objectIn(value: unknown): Sent {
  return typeof value === 'object' && value !== null ? (value as Sent) : {};
}

/** Handlers of forms cut blanks and NUL, and none may see an id that is missed here. */
function idIn(value: unknown): string | null {
  const text = typeof value === 'string' ? value.replaceAll('\0', '').trim() : value;
  return isUuid(text) ? text.toLowerCase() : null;
}
