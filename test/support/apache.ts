import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentVariable } from './environment-variable.js';
import { startGuarded } from './servers/guarded.js';
import { apacheModules } from './servers/program.js';
import { eventually } from './wait.js';

const MODULES = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'auth_openidc'];
/** Its children give up being root. */
const AS_ROOT = ['User nobody', 'Group nogroup'];

export interface ApacheSite {
  readonly port: number;
  readonly directives: readonly string[];
}

/** The machine's Apache with mod_auth_openidc: one virtual host for each site, with `/secure/app` for signed-in users. */
export class Apache {
  private readonly folder = mkdtempSync(join(tmpdir(), 'broker-apache-'));
  private server: { stop(): Promise<void> };

  static async start(sites: readonly ApacheSite[]): Promise<Apache> {
    const apache = new Apache();
    apache.write(sites);
    apache.server = startGuarded(environmentVariable('APACHE_PATH'), [
      '-D',
      'FOREGROUND',
      '-f',
      join(apache.folder, 'conf'),
    ]);
    const up = async () => (await fetch(`http://127.0.0.1:${sites[0]!.port}/`)).status > 0;
    await eventually('Apache to answer', up).catch(async (cause: unknown) => {
      const log = apache.log();
      await apache.stop();
      throw new Error(`Apache did not come up:\n${log}`, { cause });
    });
    return apache;
  }

  log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  async stop(): Promise<void> {
    await this.server.stop();
    rmSync(this.folder, { recursive: true });
  }

  private write(sites: readonly ApacheSite[]): void {
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.folder, 'site/secure'), { recursive: true });
    writeFileSync(join(this.folder, 'site/secure/app'), '<!doctype html><title>App</title>Welcome');
    writeFileSync(join(this.folder, 'log'), '');
    writeFileSync(join(this.folder, 'conf'), [...this.base(), ...sites.flatMap(virtualHost)].join('\n'));
  }

  private base(): string[] {
    return [
      ...MODULES.map((name) => `LoadModule ${name}_module ${apacheModules()!}/mod_${name}.so`),
      ...(process.getuid?.() === 0 ? AS_ROOT : []),
      `ServerRoot ${this.folder}`,
      `DefaultRuntimeDir ${this.folder}`,
      `PidFile ${this.folder}/pid`,
      `ErrorLog ${this.folder}/log`,
      `DocumentRoot ${this.folder}/site`,
      'ServerName 127.0.0.1',
      'StartServers 2',
      'ForceType text/html',
      'Header set Cache-Control no-store', // a browser may take a file without it from its cache, signed in or not
    ];
  }
}

function virtualHost({ port, directives }: ApacheSite): string[] {
  return [
    `Listen 127.0.0.1:${port}`,
    `<VirtualHost 127.0.0.1:${port}>`,
    ...directives,
    '<Location /secure>',
    'AuthType openid-connect',
    'Require valid-user',
    '</Location>',
    '</VirtualHost>',
  ];
}
