import { createHash, randomBytes } from 'node:crypto';
import { invitedRequest } from '../../src/auth/hosted-sign-in/authorization-request/authorization-request.js';
import type { TestUser, TestClient, World } from './world.js';

/** A link as the service mails it; the mail itself is of no interest here. @returns its token */
export async function mailedLink(
  world: World,
  user: TestUser,
  app: TestClient,
  purpose: 'reset_password' | 'verify_email' | 'magic_link',
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const hash = createHash('sha256').update(token).digest();
  const request = purpose === 'magic_link' ? { ...invitedRequest(app.redirectUri, '', null), inviteCode: null } : null;
  await world.sql(
    `INSERT INTO mail_links (token_hash, purpose, user_id, app_id, email_canonical, expires_at, request)
     VALUES ($1, $2, $3, $4, $5, now() + interval '10 minutes', $6)`,
    [hash, purpose, user.id, app.id, user.email, request],
  );
  return token;
}
