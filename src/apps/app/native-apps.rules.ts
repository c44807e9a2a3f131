import type { AppConfig } from './app-config.js';

export type NativeApps = Pick<AppConfig, 'android_apps' | 'apple_app_ids'>;

/** Splits `package/fingerprint`. */
function androidApps({ android_apps: apps = [] }: NativeApps): { packageName: string; fingerprint: string }[] {
  return apps.map((app) => {
    const [packageName, fingerprint] = app.split('/') as [string, string];
    return { packageName, fingerprint };
  });
}

/** Origins in the client data of passkeys that the app's Android apps use. */
export function androidOrigins(config: NativeApps): string[] {
  return androidApps(config).map(({ fingerprint }) => {
    const hash = Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url');
    return `android:apk-key-hash:${hash}`;
  });
}

/** Digital Asset Links document: allows these apps to use sign-in credentials of this host, and nothing else. */
export function assetLinks(configs: readonly NativeApps[]) {
  const byPackage = new Map<string, Set<string>>();
  for (const { packageName, fingerprint } of configs.flatMap(androidApps))
    byPackage.set(packageName, (byPackage.get(packageName) ?? new Set()).add(fingerprint));
  return [...byPackage].map(([packageName, fingerprints]) => ({
    relation: ['delegate_permission/common.get_login_creds'],
    target: { namespace: 'android_app', package_name: packageName, sha256_cert_fingerprints: [...fingerprints] },
  }));
}

/** Associated domains document (Apple), for the service `webcredentials` only. */
export function appleAppSiteAssociation(configs: readonly NativeApps[]) {
  return { webcredentials: { apps: [...new Set(configs.flatMap(({ apple_app_ids: ids = [] }) => ids))] } };
}
