import type { ParsedMail } from 'mailparser';
import type { MailingService } from './mailing-service.js';
import { newAddress } from './new-user.js';
import { isAbout } from './smtp.js';
import { eventually } from './wait.js';
import { type Answer, PASSWORD, type Tokens, type World } from './world.js';

export interface InviteRecord {
  readonly id: string;
  readonly code: string;
  readonly app_id: string;
  readonly roles: string[];
  readonly max_uses: number;
  readonly use_count: number;
  readonly status: string;
  readonly email: string | null;
  readonly email_sent: boolean;
  readonly expires_at: string;
  readonly created_by: string | null;
}

export type JoinAnswer = Answer<Tokens & { detail?: unknown }>;

/** Made by the platform admin. */
export function newInvite(
  world: World,
  app: { id: string },
  fields: Record<string, unknown> = {},
): Promise<InviteRecord> {
  return world.asAdmin('POST', `/admin/apps/${app.id}/invites`, fields);
}

/** Mailed there: with the code that only the mail carries, which must come. */
export async function mailedInvite(
  { world, smtp }: Pick<MailingService, 'world' | 'smtp'>,
  app: { id: string },
  email: string,
  fields: Record<string, unknown> = {},
): Promise<{ invite: InviteRecord; code: string }> {
  const invites = () => smtp.to(email).filter((mail) => isAbout(mail, 'You are invited'));
  const before = invites().length;
  const invite = await newInvite(world, app, { send_to_email: email, ...fields });
  const mail = await eventually(`an invite by mail to ${email}`, () => invites()[before]);
  return { invite, code: codeIn(mail) };
}

/** POST /auth/accept-invite with nothing but app and code. */
export function acceptAlone(
  world: World,
  app: { id: string },
  code: string,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<JoinAnswer> {
  return world.call('POST', '/auth/accept-invite', { app_id: app.id, invite_code: code, ...fields }, { headers });
}

/** POST /auth/accept-invite of a new user. */
export function acceptNew(
  world: World,
  app: { id: string },
  code: string,
  fields: Record<string, unknown> = {},
): Promise<JoinAnswer> {
  const newcomer = { email: newAddress(), display_name: 'Grace Hopper', password: PASSWORD };
  return acceptAlone(world, app, code, { ...newcomer, ...fields });
}

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The code that a mailed invite carries: another one than administrators see. */
export function codeIn(mail: ParsedMail): string {
  const code = /\/invite\?code=([0-9A-Z]{13})\b/.exec(mail.text ?? '')?.[1];
  if (!code) throw new Error(`No invite in: ${mail.text}`);
  return code;
}

export const INVALID = [400, { detail: 'Invalid or expired invite' }];
export const NOT_THEIRS = [400, { detail: 'Invite not valid for this e-mail' }];
export const SIGN_IN = [401, { detail: 'Sign in to accept this invite' }];

export function said({ status, body }: Answer<unknown>): unknown[] {
  return [status, body];
}
