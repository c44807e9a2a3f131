import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { jwtVerify } from 'jose';
import { listenLocally, readBody, Script } from './scripted.js';

export interface ServiceAccount {
  readonly project_id: string;
  readonly client_email: string;
  readonly private_key: string;
  readonly token_uri: string;
}

interface FcmNotification {
  readonly token: string;
  readonly notification: { readonly title: string; readonly body: string };
  readonly data: Record<string, string>;
  readonly android: { readonly ttl: string };
  readonly apns: { readonly headers: Record<string, string> };
  readonly webpush: { readonly headers: Record<string, string> };
}

export interface FcmRequest {
  readonly projectId: string;
  readonly accessToken: string;
  readonly message: FcmNotification;
  readonly answered: number | null;
}

/**
 * Plays Google: access tokens for assertions whose signature, issuer, audience and scope are right (RFC 7523), and the
 * HTTP v1 endpoint of FCM, which believes only tokens of the project's own account and refuses what FCM refuses.
 */
export class FcmServer {
  readonly script = new Script();
  /** Every message that was well-formed and authorized, in the order in which it came. */
  readonly requests: FcmRequest[] = [];
  /** Assertions that were exchanged for an access token. */
  assertions = 0;
  /** Answers the token endpoint with this status in place of a token. */
  tokenStatus: number | null = null;
  private readonly accounts = new Map<string, { projectId: string; key: KeyObject }>();
  private readonly tokens = new Map<string, string>();
  private close: () => Promise<void>;
  origin: string;

  static async start(): Promise<FcmServer> {
    const fcm = new FcmServer();
    const { origin, close } = await listenLocally((request, response) => void fcm.handle(request, response));
    return Object.assign(fcm, { origin, close });
  }

  stop(): Promise<void> {
    return this.close();
  }

  /** A service account of its own project. */
  account(): ServiceAccount {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const projectId = `project-${randomBytes(4).toString('hex')}`;
    const email = `sender@${projectId}.iam.gserviceaccount.com`;
    this.accounts.set(email, { projectId, key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })) });
    return {
      project_id: projectId,
      client_email: email,
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      token_uri: `${this.origin}/token`,
    };
  }

  /** From here on no token given so far is believed. */
  revokeTokens(): void {
    this.tokens.clear();
  }

  /** Messages to this registration token, whatever was answered. */
  to(token: string): FcmRequest[] {
    return this.requests.filter(({ message }) => message.token === token);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request).catch(() => Buffer.alloc(0));
    const path = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(request.url ?? '');
    if (request.method === 'POST' && request.url === '/token') return this.token(body.toString(), response);
    if (request.method === 'POST' && path) return this.send(path[1]!, request, body.toString(), response);
    fault(response, 404, 'NOT_FOUND');
  }

  private async token(body: string, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(body);
    if (this.tokenStatus) return json(response, this.tokenStatus, { error: 'temporarily_unavailable' });
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return json(response, 400, { error: 'unsupported_grant_type' });
    try {
      const assertion = form.get('assertion')!;
      const claims = JSON.parse(Buffer.from(assertion.split('.')[1]!, 'base64url').toString()) as { iss: string };
      const account = this.accounts.get(claims.iss)!;
      const { payload } = await jwtVerify(assertion, account.key, {
        audience: `${this.origin}/token`,
        algorithms: ['RS256'],
        maxTokenAge: '1h',
      });
      if (payload['scope'] !== 'https://www.googleapis.com/auth/firebase.messaging') throw new Error('scope');
      this.assertions++;
      const token = `ya29.${randomBytes(16).toString('base64url')}`;
      this.tokens.set(token, account.projectId);
      json(response, 200, { access_token: token, expires_in: 3599, token_type: 'Bearer' });
    } catch {
      json(response, 400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' });
    }
  }

  private async send(
    projectId: string,
    request: IncomingMessage,
    body: string,
    response: ServerResponse,
  ): Promise<void> {
    const accessToken = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const owner = this.tokens.get(accessToken);
    if (!owner) return fault(response, 401, 'UNAUTHENTICATED');
    if (owner !== projectId) return fault(response, 403, 'PERMISSION_DENIED');
    const message = readMessage(body);
    if (!message) return fault(response, 400, 'INVALID_ARGUMENT');
    const behavior = this.script.next(message.token);
    const note = (answered: number | null) => void this.requests.push({ projectId, accessToken, message, answered });
    if (behavior === 'hang') return note(null);
    if (behavior === 'cut' || behavior === 'take and cut') {
      note(null);
      return void request.socket.destroy();
    }
    if (typeof behavior === 'object' && 'after' in behavior) await behavior.after;
    if (typeof behavior === 'object' && 'delayMs' in behavior) await sleep(behavior.delayMs);
    const status = typeof behavior === 'object' && 'status' in behavior ? behavior.status : 200;
    note(status);
    if (typeof behavior === 'object' && 'retryAfter' in behavior)
      response.setHeader('Retry-After', behavior.retryAfter!);
    if (status === 200) json(response, 200, { name: `projects/${projectId}/messages/${randomUUID()}` });
    else fault(response, status, STATUS_WORDS[status] ?? 'UNKNOWN');
  }
}

const STATUS_WORDS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'UNREGISTERED',
  429: 'QUOTA_EXCEEDED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** What FCM itself checks of a message; null where it would answer 400. */
function readMessage(body: string): FcmNotification | null {
  try {
    const { message } = JSON.parse(body) as { message: FcmNotification };
    const { token, notification, data, android, apns } = message;
    const texts = [token, notification.title, notification.body, ...Object.values(data)];
    const isReserved = (name: string): boolean => name === 'from' || /^(google|gcm)\./.test(name);
    if (!texts.every((text) => typeof text === 'string') || Object.keys(data).some(isReserved)) return null;
    if (!/^\d+(\.\d+)?s$/.test(android.ttl) || !/^\d+$/.test(apns.headers['apns-expiration']!)) return null;
    return Buffer.byteLength(JSON.stringify({ notification, data })) <= 4_096 ? message : null;
  } catch {
    return null;
  }
}

function fault(response: ServerResponse, code: number, word: string): void {
  const details = [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: word }];
  json(response, code, { error: { code, message: word, status: word, details } });
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
