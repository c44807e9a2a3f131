/** The branding of an app on hosted pages. */
export interface Brand {
  readonly appName: string;
  /** Name of the app's tenant; empty if none should be shown. */
  readonly tenantName: string;
  /** `#rrggbb`; anything else is shown as {@link FALLBACK_COLOR}. */
  readonly primaryColor: string;
  /** A path of the service or a `data:` image: pages load no other images. Null: a monogram. */
  readonly logo: string | null;
  /** Logo for dark pages. Null or absent: the same logo. */
  readonly darkLogo?: string | null;
  /** Favicon, a `data:` image. Null or absent: that of the service. */
  readonly favicon?: string | null;
  /** In pixels. */
  readonly logoHeight: number;
  /** Default language of the tenant (BCP 47). Null or absent, as in mails of earlier versions: none. */
  readonly locale?: string | null;
  /** Links on every hosted page of the app. Null or absent: none. */
  readonly termsUrl?: string | null;
  readonly privacyUrl?: string | null;
  readonly supportUrl?: string | null;
}

export const FALLBACK_COLOR = '#2563eb';

/** `#rrggbb`, so that it can be part of a style. */
export function colorOf({ primaryColor }: Brand): string {
  return /^#[0-9a-f]{6}$/.test(primaryColor) ? primaryColor : FALLBACK_COLOR;
}

/** For pages without an app: setup, the console, and errors before the app is known. */
export const OWN_BRAND: Brand = {
  appName: 'Identity Broker',
  tenantName: '',
  primaryColor: FALLBACK_COLOR,
  logo: null,
  logoHeight: 40,
};
