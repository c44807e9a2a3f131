import type { Text } from '../i18n/message.js';
import type { Brand } from './brand/brand.js';

/**
 * `hosted`: a single card in the app's colors. `plain`: a wide page of the service. `dev`: the same with links between
 * the pages of the embedded mode. `console`: for operators. `account`: the cards of a user's own account. `fragment`: a
 * part of a page, which a script inserts.
 */
export type PageLayout = 'hosted' | 'plain' | 'dev' | 'console' | 'account' | 'fragment';

/** One page to send. Every variable that the view names must be in `model`; a missing one fails the rendering. */
export interface Page {
  /** Path below `views/` without extension, e.g. `sign-in/password`. Never from a request. */
  readonly view: string;
  /** The whole text of `<title>`. */
  readonly title: Text;
  /** HTTP status, 200 if absent. */
  readonly status?: number;
  /** `hosted` if absent. */
  readonly layout?: PageLayout;
  /** The service's own brand if absent. */
  readonly brand?: Brand;
  /**
   * URLs to which a form of this page may redirect, such as the registered redirect URI: browsers apply `form-action`
   * to every redirect after a form submission.
   */
  readonly formTargets?: readonly string[] | 'any';
  /** The page starts a worker. */
  readonly hasWorker?: true;
  /** The page shows another page of the service in a frame. */
  readonly hasFrame?: true;
  /**
   * A preview of the page for operators, in this theme and inside a frame: without scripts and without working buttons.
   */
  readonly preview?: 'light' | 'dark';
  /** `ui_locales` of the authorization request; from the page's own URL if absent. */
  readonly uiLocales?: string | null;
  /** Language setting of the page's user. */
  readonly userLocale?: string | null;
  /** Messages in the model are rendered in the language of the page. */
  readonly model: Readonly<Record<string, unknown>>;
}
