import type { Brand } from './brand.js';

/**
 * `hosted`: one calm card in the app's colours. `plain`: a wide page of our own. `console`: for operators. `account`:
 * the cards of a person's own account.
 */
export type PageLayout = 'hosted' | 'plain' | 'console' | 'account';

/** One page to send. Every variable that the view names must be in `model`; a missing one fails the rendering. */
export interface Page {
  /** Path below `views/` without extension, e.g. `sign-in/password`. Never from a request. */
  readonly view: string;
  /** The whole text of `<title>`. */
  readonly title: string;
  /** HTTP status, 200 if absent. */
  readonly status?: number;
  /** `hosted` if absent. */
  readonly layout?: PageLayout;
  /** Our own brand if absent. */
  readonly brand?: Brand;
  /**
   * Addresses (or bare schemes, `https:`) to which a form of this page may lead by redirect, e.g. the registered
   * redirect URI: browsers hold `form-action` against every hop after a form was sent.
   */
  readonly formTargets?: readonly string[];
  readonly model: Readonly<Record<string, unknown>>;
}
