import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { MisdirectedRequest, OnlyFromThisMachine } from './dev-reach.errors.js';
import { judgeDevVisitor } from './dev-reach.rules.js';
import { ownAddress } from './provider/stand-in-settings.js';

/**
 * Guards every route under /dev, including the stand-ins for providers, because they reveal every mail and every
 * identity.
 */
@Injectable()
export class DevReachGuard implements CanActivate {
  private readonly ours: Parameters<typeof judgeDevVisitor>[1];

  constructor(@Inject(SETTINGS) settings: Settings) {
    // The service calls the stand-ins at the address on which it listens.
    const hosts = [settings.baseUrl, ownAddress(settings)].map((address) => new URL(address).host);
    this.ours = { hosts, allowExposedDev: settings.allowExposedDev };
  }

  /** @throws MisdirectedRequest, OnlyFromThisMachine */
  canActivate(host: ExecutionContext): boolean {
    const { headers, socket, ip, path } = host.switchToHttp().getRequest<Request>();
    if (!/^\/dev(?:\/|$)/.test(path)) return true;
    const verdict = judgeDevVisitor({ host: headers.host, addresses: [socket.remoteAddress, ip] }, this.ours);
    if (verdict === 'misdirected') throw new MisdirectedRequest();
    if (verdict === 'outsider') throw new OnlyFromThisMachine();
    return true;
  }
}
