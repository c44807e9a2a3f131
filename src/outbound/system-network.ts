import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Network } from './network.js';

/** Milliseconds for one query to a name server, and the number of attempts. */
const NAME_SERVER = { timeout: 2_000, tries: 2 };

/** The network of this machine. */
@Injectable()
export class SystemNetwork extends Network {
  override readonly authorities = undefined;
  private readonly resolver = new Resolver(NAME_SERVER);

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    super();
  }

  /**
   * Uses DNS only: public names are there, and `lookup` blocks one of the process's two to four threads until a name
   * server that a user has chosen answers. If private targets are allowed, the hosts file is used too, with four
   * threads (`thread-pool.ts`).
   */
  override async resolve(name: string): Promise<readonly LookupAddress[]> {
    if (this.settings.allowPrivateNetworkTargets) return lookup(name, { all: true });
    const [v4, v6] = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
    return [...found(v4, 4), ...found(v6, 6)];
  }

  override dial(addresses: readonly LookupAddress[], port: number): Socket {
    const known: LookupFunction = (_name, options, callback) => {
      if (options.all) callback(null, [...addresses]);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    };
    // The host name is not looked up: `known` returns the checked addresses for any name.
    return connect({ host: 'judged', port, lookup: known, autoSelectFamily: true });
  }
}

function found(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
