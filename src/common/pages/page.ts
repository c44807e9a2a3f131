import type { Text } from '../i18n/message.js';
import type { Brand } from './brand/brand.js';

/**
 * `hosted`: one calm card in the app's colours. `plain`: our own wide page. `dev`: the same with links between the pages of the embedded mode. `console`: for operators. `account`:
 * the cards of a user's own account. `fragment`: a part of a page that a script puts into the one that is open.
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
  /** Our own brand if absent. */
  readonly brand?: Brand;
  /**
   * Addresses to which a form of this page may lead by redirect, e.g. the registered redirect URI: browsers hold
   * `form-action` against every hop after a form was sent.
   */
  readonly formTargets?: readonly string[] | 'any';
  /** The page starts a worker of ours. */
  readonly hasWorker?: true;
  /** The page shows another one of ours in a frame. */
  readonly hasFrame?: true;
  /** A picture of the page for operators, in this theme and for a frame of ours: nothing in it runs or can be pressed. */
  readonly preview?: 'light' | 'dark';
  /** `ui_locales` of the authorization request; that of the page's own address if absent. */
  readonly uiLocales?: string | null;
  /** The setting of the user whose page it is. */
  readonly userLocale?: string | null;
  /** Its messages are put into words in the language of the page. */
  readonly model: Readonly<Record<string, unknown>>;
}
