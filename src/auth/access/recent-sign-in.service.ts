import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { changesClientKeys, endsConsent } from '../../apps/settings/app-access.rules.js';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { Clock } from '../../common/clock.js';
import type { RecentSignInMark } from '../../common/http/access-marks.js';
import { type UserActor, WHOLE_SCOPE } from '../../common/actor.js';
import { OwnCredentials } from '../entry/own-credentials.service.js';
import { isRecentProof, type ShownProof, withoutUnprompted } from '../entry/recent-proof.rules.js';
import { isUuid } from '../../common/validation/fields.js';
import { InvitesService } from '../../invites/creation/invites.service.js';
import { MailLog } from '../../mail/log/mail-log.service.js';

/** How long credentials count for acts that give power, take it, or cannot be taken back (ASVS 7.5.3). */
export const RECENT_SIGN_IN_SECONDS = 15 * 60;

/** What of a request says what it concerns. */
type Asked = Pick<Request, 'params' | 'query' | 'body'>;

type Acting = Pick<UserActor, 'userId' | 'audience'>;

/** Whether a user has to sign in again before a route that is marked so. */
@Injectable()
export class RecentSignIn {
  constructor(
    private readonly directory: AppDirectory,
    private readonly invites: InvitesService,
    private readonly mails: MailLog,
    private readonly clock: Clock,
    private readonly own: OwnCredentials,
  ) {}

  /**
   * @param who acts, and at which app
   * @param shown when and how they last signed in; a refreshed token keeps both
   */
  async isDue(mark: RecentSignInMark, who: Acting, shown: ShownProof, request: Asked): Promise<boolean> {
    if (mark === 'never' || (await this.isConfirmed(who, shown))) return false;
    if (mark === 'for_keys') return this.concernsKeys(request);
    return mark === 'always' || asksForCredentials(request) || (await this.concernsAuthority(request));
  }

  /** An app that takes nothing of the user's own has nothing to ask for: there the word of a provider counts (docs/decisions/0096). */
  private async isConfirmed({ userId, audience }: Acting, { authTime, amr }: ShownProof): Promise<boolean> {
    const isRecent = (shown: readonly string[]) =>
      isRecentProof({ authTime, amr: shown }, this.clock.now(), RECENT_SIGN_IN_SECONDS);
    if (isRecent(amr)) return true;
    return isRecent(withoutUnprompted(amr)) && !(await this.own.areTakenAt(audience, userId));
  }

  private async concernsKeys({ params, body }: Asked): Promise<boolean> {
    const id = idIn(params['app_id']);
    const client = id && (await this.directory.find(id));
    if (!client) return false;
    const sent = (body ?? {}) as {
      readonly config?: unknown;
      readonly fcm_service_account?: unknown;
      readonly third_party_offered?: unknown;
      readonly third_party?: unknown;
    };
    if (sent.fcm_service_account !== undefined) return true;
    // A form of the console has no `config`, and a box that is not ticked is not sent.
    const config = sent.third_party_offered === undefined ? sent.config : { third_party: sent.third_party === 'on' };
    return changesClientKeys(config, client.app) || endsConsent(config, client.app);
  }

  /** Members of a Console app govern its tenant; the field is the platform's own. */
  private async concernsAuthority({ params, query, body }: Asked): Promise<boolean> {
    const given = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
    if (given['is_platform_admin'] === true) return true;
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

/** An export with password hashes. */
function asksForCredentials({ query }: Asked): boolean {
  const wanted = query['include_credentials'];
  return wanted !== undefined && wanted !== 'false' && wanted !== '0';
}

/** As the most generous reader takes it: handlers of forms cut blanks and NUL, and none may see an id that is missed here. */
function idIn(value: unknown): string | null {
  const text = typeof value === 'string' ? value.replaceAll('\0', '').trim() : value;
  return isUuid(text) ? text.toLowerCase() : null;
}
