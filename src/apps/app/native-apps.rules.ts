import type { AppConfig } from './app-config.js';

export type NativeApps = Pick<AppConfig, 'android_apps' | 'apple_app_ids'>;

/** `package/fingerprint`, taken apart. */
function androidApps({ android_apps: apps = [] }: NativeApps): { packageName: string; fingerprint: string }[] {
  return apps.map((app) => {
    const [packageName, fingerprint] = app.split('/') as [string, string];
    return { packageName, fingerprint };
  });
}

/** Where the client data of a passkey says that it was used, for the Android apps of one app. */
export function androidOrigins(config: NativeApps): string[] {
  return androidApps(config).map(({ fingerprint }) => {
    const hash = Buffer.from(fingerprint.replaceAll(':', ''), 'hex').toString('base64url');
    return `android:apk-key-hash:${hash}`;
  });
}

/** Digital Asset Links: these apps may use sign-in data of this host, and nothing else of it. */
export function assetLinks(configs: readonly NativeApps[]) {
  const byPackage = new Map<string, Set<string>>();
  for (const { packageName, fingerprint } of configs.flatMap(androidApps))
    byPackage.set(packageName, (byPackage.get(packageName) ?? new Set()).add(fingerprint));
  return [...byPackage].map(([packageName, fingerprints]) => ({
    relation: ['delegate_permission/common.get_login_creds'],
    target: { namespace: 'android_app', package_name: packageName, sha256_cert_fingerprints: [...fingerprints] },
  }));
}

/** Supporting associated domains (Apple): the service `webcredentials` alone. */
export function appleAppSiteAssociation(configs: readonly NativeApps[]) {
  return { webcredentials: { apps: [...new Set(configs.flatMap(({ apple_app_ids: ids = [] }) => ids))] } };
}
