import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JWTPayload, jwtVerify } from 'jose';
import { listenLocally, readBody, Script } from './scripted.js';

/** What a service worker would be woken with. */
export interface PushedMessage {
  readonly id: string;
  readonly payload: { notification_id: string; title: string; body: string; data: Record<string, unknown> };
  readonly ttl: number;
  /** Whether the sender was told that it was taken. */
  readonly isAnswered: boolean;
  readonly vapid: JWTPayload;
  /** `applicationServerKey` that signed. */
  readonly key: string;
}

interface Subscriber {
  readonly keys: ECDH;
  readonly auth: Buffer;
}

/**
 * A push service with the browsers behind it (RFC 8030): refuses what is not signed (RFC 8292), and opens what it takes
 * with the subscription's private key (RFC 8291), as the browser would.
 */
export class PushService {
  readonly script = new Script();
  /** Every message taken, opened, in the order in which it came. */
  readonly messages: PushedMessage[] = [];
  /** Ids of subscriptions, one for each request that came, whatever became of it. */
  readonly requests: string[] = [];
  private readonly subscribers = new Map<string, Subscriber>();
  private close: () => Promise<void>;
  origin: string;

  static async start(): Promise<PushService> {
    const service = new PushService();
    const { origin, close } = await listenLocally((request, response) => void service.handle(request, response));
    return Object.assign(service, { origin, close });
  }

  stop(): Promise<void> {
    return this.close();
  }

  /** A browser subscribes. @returns its id here, and what it hands its page */
  subscribe(): { id: string; token: string } {
    const id = randomBytes(12).toString('base64url');
    const keys = createECDH('prime256v1');
    keys.generateKeys();
    const auth = randomBytes(16);
    this.subscribers.set(id, { keys, auth });
    const written = { p256dh: keys.getPublicKey().toString('base64url'), auth: auth.toString('base64url') };
    const token = JSON.stringify({ endpoint: `${this.origin}/push/${id}`, expirationTime: null, keys: written });
    return { id, token };
  }

  to(id: string): PushedMessage[] {
    return this.messages.filter((message) => message.id === id);
  }

  requestsTo(id: string): number {
    return this.requests.filter((each) => each === id).length;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request).catch(() => Buffer.alloc(0));
    const end = (status: number): void => void response.writeHead(status).end();
    const id = /^\/push\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    const subscriber = id ? this.subscribers.get(id) : undefined;
    if (!id || !subscriber || request.method !== 'POST') return end(404);
    this.requests.push(id);
    const behavior = this.script.next(id);
    if (behavior === 'hang') return;
    if (behavior === 'cut') return void request.socket.destroy();
    if (typeof behavior === 'object' && 'after' in behavior) await behavior.after;
    if (typeof behavior === 'object' && 'delayMs' in behavior) await sleep(behavior.delayMs);
    if (typeof behavior === 'object' && 'status' in behavior) {
      if (behavior.retryAfter) response.setHeader('Retry-After', behavior.retryAfter);
      return end(behavior.status);
    }
    const isAnswered = behavior !== 'take and cut';
    const status = await this.take(id, subscriber, { request, body, isAnswered });
    if (!isAnswered) return void request.socket.destroy();
    if (status === 201) response.setHeader('Location', `${this.origin}/message/${randomBytes(6).toString('hex')}`);
    end(status);
  }

  private async take(
    id: string,
    to: Subscriber,
    { request, body, isAnswered }: { request: IncomingMessage; body: Buffer; isAnswered: boolean },
  ): Promise<number> {
    const { ttl, 'content-encoding': encoding, authorization } = request.headers;
    if (!/^\d+$/.test(String(ttl)) || encoding !== 'aes128gcm') return 400;
    if (body.length > 4_096) return 413;
    const signed = await verifyVapid(authorization ?? '', this.origin);
    if (!signed) return 401;
    const payload = JSON.parse(open(body, to).toString('utf8')) as PushedMessage['payload'];
    this.messages.push({ id, payload, ttl: Number(ttl), isAnswered, ...signed });
    return 201;
  }
}

/** RFC 8292: signed by the key that it names, for this push service, for a day at most, with a contact address. */
async function verifyVapid(header: string, audience: string): Promise<{ vapid: JWTPayload; key: string } | null> {
  const [, token, key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header) ?? [];
  if (!token || !key) return null;
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  try {
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const { payload } = await jwtVerify(token, publicKey, { audience, algorithms: ['ES256'] });
    const day = Date.now() / 1_000 + 86_400;
    if (!payload.exp || payload.exp > day || !/^(mailto:.+@|https:)/.test(payload.sub ?? '')) return null;
    return { vapid: payload, key };
  } catch {
    return null;
  }
}

/** RFC 8291 with `aes128gcm` (RFC 8188), one record. */
function open(body: Buffer, { keys, auth }: Subscriber): Buffer {
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + body[20]!);
  const sealed = body.subarray(21 + body[20]!);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), senderKey]);
  const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(senderKey), auth, info, 32));
  const derive = (what: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${what}\0`), length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = plain.lastIndexOf(2);
  if (end < 0 || plain.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('No delimiter');
  return plain.subarray(0, end);
}
