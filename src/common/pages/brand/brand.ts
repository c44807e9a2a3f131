/** What hosted pages show of an app. */
export interface Brand {
  readonly appName: string;
  /** Whose app it is; empty where there is no tenant to name. */
  readonly tenantName: string;
  /** `#rrggbb`; anything else is shown as {@link FALLBACK_COLOR}. */
  readonly primaryColor: string;
  /** A path of ours or a `data:` image: pages load none from elsewhere. Null shows a monogram. */
  readonly logo: string | null;
  /** On dark pages instead of the logo. Null or absent: the logo. */
  readonly darkLogo?: string | null;
  /** Icon of the page in the browser, a `data:` image. Null or absent: that of the service. */
  readonly favicon?: string | null;
  /** Pixels. */
  readonly logoHeight: number;
  /** The tenant's default language, a language tag (BCP 47). Null or absent, as in mails of earlier versions: none. */
  readonly locale?: string | null;
  /** Addresses that every hosted page of the app links to. Null or absent: none. */
  readonly termsUrl?: string | null;
  readonly privacyUrl?: string | null;
  readonly supportUrl?: string | null;
}

export const FALLBACK_COLOR = '#2563eb';

/** For pages that belong to no app: setup, the console, an error before the app is known. */
export const OWN_BRAND: Brand = {
  appName: 'Identity Broker',
  tenantName: '',
  primaryColor: FALLBACK_COLOR,
  logo: null,
  logoHeight: 40,
};
