import { Injectable } from '@nestjs/common';
import { purgeExpired } from '../../../database/purge-expired.js';
import { Statements } from '../../../database/statements.js';
import { SecretBox } from '../../../crypto/secret-box.js';
import { aadOfCarriedCode, openCarriedCode, sealCarriedCode } from '../../../invites/redemption/carried-code.js';

const INSERT = {
  name: 'auth.insert_pushed_request',
  text: `INSERT INTO pushed_requests (reference_hash, app_id, parameters, expires_at)
    VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))`,
};

const PUSHED_BY = {
  name: 'auth.pusher_of_request',
  text: 'SELECT app_id AS "appId" FROM pushed_requests WHERE reference_hash = $1',
};

const TAKE = {
  name: 'auth.take_pushed_request',
  text: `DELETE FROM pushed_requests WHERE reference_hash = $1 AND app_id = $2 AND expires_at > clock_timestamp()
    RETURNING parameters`,
};

/**
 * After a request has expired, so that a browser that comes too late gets an error page of its app. Not longer, because an
 * attacker can push many in the name of an app that does not authenticate.
 */
const KEPT = '10 minutes';

@Injectable()
export class PushedRequestsRepository {
  constructor(
    private readonly statements: Statements,
    private readonly box: SecretBox,
  ) {}

  /** @param seconds until it expires, by the database's clock */
  async insert(
    referenceHash: Buffer,
    appId: string,
    parameters: Readonly<Record<string, string>>,
    seconds: number,
  ): Promise<void> {
    const { invite_code: inviteCode, ...others } = parameters;
    const stored = inviteCode === undefined ? others : { ...others, inviteCode };
    const sealed = sealCarriedCode(this.box, stored, rowOf(referenceHash));
    await this.statements.run(INSERT, [referenceHash, appId, JSON.stringify(sealed), seconds]);
  }

  /** The app that pushed it; null if it is used. */
  async findApp(referenceHash: Buffer): Promise<string | null> {
    const [row] = await this.statements.run<{ appId: string }>(PUSHED_BY, [referenceHash]);
    return row?.appId ?? null;
  }

  /** One use, decided by the database: of several browsers with the same reference, one deletes the row. */
  async take(referenceHash: Buffer, appId: string): Promise<Record<string, string> | null> {
    const [row] = await this.statements.run<{ parameters: Record<string, string> }>(TAKE, [referenceHash, appId]);
    if (!row) return null;
    const { inviteCode, ...others } = openCarriedCode(this.box, row.parameters, rowOf(referenceHash));
    return inviteCode ? { ...others, invite_code: inviteCode } : others;
  }

  /** See {@link KEPT}. */
  purge(): Promise<void> {
    return purgeExpired(this.statements, 'pushed_requests', KEPT);
  }
}

function rowOf(referenceHash: Buffer): string {
  return aadOfCarriedCode.pushedRequest(referenceHash.toString('hex'));
}
