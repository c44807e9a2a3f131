import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Actor } from '../../common/actor.js';
import { CallerCheck } from '../../common/http/caller-check.js';
import { discover } from '../../common/discovered.js';
import { ServiceUnavailable } from '../../common/http/http.refusals.js';
import { Semaphore } from '../../common/concurrency/semaphore.js';
import { type TenantOrApp, limitOfTenants, limitsOf } from '../../common/concurrency/caller-limits.js';
import { imageKindOf, type ImageKind, isPng } from './image-kind.rules.js';
import { LogoTooLarge, UnsupportedImageType } from './logo.errors.js';

/** Of an upload, and of the decoded content of a data URI. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;
/** In pixels. */
export const LOGO_SIDE = 256;

const PROCESS = fileURLToPath(new URL('./logo-process.js', import.meta.url));
const DATA_URI = /^data:image\/[a-z.+-]+;base64,([A-Za-z0-9+/]+={0,2})$/;
const AT_ONCE = 2;
/** Of one tenant with all its apps, and of platform admins. */
const AT_ONCE_OF_TENANT = 1;
/** Pictures that are decoded or wait for it. */
const IN_LINE = 24;
const IN_LINE_OF_TENANTS = 20;
/** Pictures of one app in line. All apps of a tenant have two times as many, a tenant three times. */
const IN_LINE_OF_APP = 3;
/** The process ends itself much earlier; this is for an overloaded machine. */
const TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 2;
const EXIT_NO_IMAGE = 3;
/** The process writes this to standard error before it ends itself. */
const TOO_COSTLY = 'too costly';

/** The caller that sends a picture, and the app that it is for; null: a new one, or several. */
export interface PictureSender extends TenantOrApp {
  readonly actor: Actor;
}

/**
 * Converts an uploaded logo or favicon into a PNG without metadata, or refuses it. Decoding runs in separate processes
 * (see logo-process.js), two at a time, so that no image can crash or slow down this process. Every picture passes
 * here, within the limits of its sender, so that no app and no tenant keeps the pictures of others waiting.
 */
@Injectable()
export class LogoImages implements OnModuleInit {
  private readonly logger = new Logger(LogoImages.name);
  private readonly queue = new Semaphore(IN_LINE);
  private readonly conversions = new Semaphore(AT_ONCE);
  private callers: readonly CallerCheck[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.callers = discover(this.discovery, CallerCheck);
  }

  /**
   * @param side maximum of width and height, in pixels
   * @returns a `data:image/png` URI
   * @throws UnsupportedImageType, LogoTooLarge, ServiceUnavailable, InsufficientPermissions: the sender lost authority
   *   while the picture waited
   */
  async normalize(sender: PictureSender, image: Buffer, side = LOGO_SIDE): Promise<string> {
    if (image.length > MAX_LOGO_BYTES) throw new LogoTooLarge();
    const kind = imageKindOf(image);
    if (!kind) throw new UnsupportedImageType();
    const png = await this.inTurn(sender, () => this.convert(image, kind, side));
    for (const callers of this.callers) await callers.checkUnchanged(sender);
    if (!isPng(png)) throw new Error('The image process wrote something else than a PNG');
    return `data:image/png;base64,${png.toString('base64')}`;
  }

  /** As {@link normalize}, for a logo in a data URI. @throws UnsupportedImageType, LogoTooLarge, ServiceUnavailable */
  async normalizeDataUri(sender: PictureSender, uri: string, side = LOGO_SIDE): Promise<string> {
    const base64 = DATA_URI.exec(uri)?.[1];
    if (!base64) throw new UnsupportedImageType();
    return this.normalize(sender, Buffer.from(base64, 'base64'), side);
  }

  private async inTurn<T>({ actor, tenantId, appId }: PictureSender, work: () => Promise<T>): Promise<T> {
    const leaveQueue = this.queue.tryAcquire([
      ...limitsOf(actor, tenantId, 3, appId).map(({ key, max }) => ({ key, max: max * IN_LINE_OF_APP })),
      ...limitOfTenants(actor, IN_LINE_OF_TENANTS),
    ]);
    if (!leaveQueue) throw new ServiceUnavailable('Too many images at once', RETRY_AFTER_SECONDS);
    try {
      const release = await this.conversions.acquire(limitsOf(actor, tenantId, AT_ONCE_OF_TENANT, appId));
      try {
        return await work();
      } finally {
        release();
      }
    } finally {
      leaveQueue();
    }
  }

  private convert(image: Buffer, kind: ImageKind, side: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      // Passes no environment, because it contains the service's secrets.
      const child = spawn(process.execPath, ['--max-old-space-size=64', PROCESS, kind, String(side)], {
        env: {},
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
      });
      const out: Buffer[] = [];
      let complaint = '';
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)));
      child.stdin.on('error', () => undefined); // The process may end without reading everything. Its exit code says why.
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (code === 0) return resolve(Buffer.concat(out));
        if (code === EXIT_NO_IMAGE) return reject(new UnsupportedImageType());
        if (complaint.endsWith(TOO_COSTLY)) {
          this.logger.warn(`An image (${kind}) was rejected: it takes too much time or memory`);
          return reject(new UnsupportedImageType());
        }
        if (signal === 'SIGKILL')
          return reject(new ServiceUnavailable('Image not decoded in time', RETRY_AFTER_SECONDS));
        reject(new Error(`The image process ended with ${signal ?? code}: ${complaint}`));
      });
      child.stdin.end(image);
    });
  }
}
