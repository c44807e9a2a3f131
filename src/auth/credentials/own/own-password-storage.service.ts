import { Injectable } from '@nestjs/common';
import type { RegisteredClient } from '../../../apps/directory/app-directory.js';
import { AccountChanges } from '../../../enrollment/memberships/account-changes.js';
import { ProofGuard } from '../../../users/proof-guard.js';
import type { AccountHolder } from '../../access/account-holder.service.js';
import { SsoSessionsService } from '../../session/sso-sessions.service.js';
import { NewPasswordService } from '../password/new-password.service.js';
import { type PreparedPassword, PreparedPasswords } from '../password/prepared-passwords.service.js';

/** A password that can be stored, see {@link PreparedPasswords.judge}. */
export type JudgedPassword = () => Promise<PreparedPassword>;

/** Stores a new password for its owner. The session in which it was set continues, and all other sign-ins end. */
@Injectable()
export class OwnPasswordStorage {
  constructor(
    private readonly prepared: PreparedPasswords,
    private readonly passwords: NewPasswordService,
    private readonly sessions: SsoSessionsService,
    private readonly proofs: ProofGuard,
    private readonly changes: AccountChanges,
  ) {}

  /** Called before it is stored. @throws PasswordRefused */
  judge({ ctx, user }: AccountHolder, password: string, client: RegisteredClient | null): Promise<JudgedPassword> {
    const owner = { userId: user.id, email: user.email, displayName: user.displayName };
    return this.prepared.judge(ctx, password, owner, client);
  }

  /**
   * @param presented the SSO cookie, if the request used it
   * @returns its new value
   * @throws ProofOutdated if another request was first, so that the proof is no longer valid
   */
  async store(
    holder: AccountHolder,
    password: JudgedPassword,
    client: RegisteredClient | null,
    presented: string | null,
  ): Promise<string | null> {
    const { ctx, user, session } = holder;
    const prepared = await password();
    return this.changes.run(user.id, async (tx) => {
      const held = await this.proofs.hold(tx, holder.proof);
      const isFirst = user.passwordHash === null;
      await this.passwords.store(tx, ctx, { user, ...prepared, isFirst, by: 'owner', client });
      if (!session) return null;
      const { authTime, amr } = session;
      return this.sessions.renew(tx, ctx, held, { authTime, amr }, presented);
    });
  }
}
