import { Injectable } from '@nestjs/common';
import webpush from 'web-push';
import { BoundedMap } from '../../common/bounded-map.js';
import { Clock } from '../../common/clock.js';
import type { VapidKeys } from '../settings/push-secrets.js';

/** Seconds that a signature is valid (RFC 8292 allows a day), and that it is used. */
const GOOD_FOR = 12 * 3_600;
const USED_FOR = 3_600;
/** Pairs of app and push service; beyond it, the oldest is dropped. */
const MOST = 2_000;

/**
 * The `Authorization` of web push (RFC 8292). It names only the sender and the push service, so one signature is used for
 * all messages of an app there: creating one costs three times as much as encrypting a message.
 */
@Injectable()
export class VapidSignatures {
  private readonly made = new BoundedMap<string, { readonly header: string; readonly until: number }>(MOST);

  constructor(private readonly clock: Clock) {}

  /** @param contact of the operator, for the push service: `mailto:` or https */
  header(endpoint: string, contact: string, keys: VapidKeys): string {
    const audience = new URL(endpoint).origin;
    const name = `${keys.publicKey} ${audience}`;
    const now = this.clock.seconds();
    const known = this.made.get(name);
    if (known && known.until > now) return known.header;
    const { publicKey, privateKey } = keys;
    const expiry = now + GOOD_FOR;
    const { Authorization: header } = webpush.getVapidHeaders(
      audience,
      contact,
      publicKey,
      privateKey,
      'aes128gcm',
      expiry,
    );
    this.made.set(name, { header, until: now + USED_FOR });
    return header;
  }
}
