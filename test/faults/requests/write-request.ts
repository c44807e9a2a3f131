import type { AuthzFixture } from '../../support/authz-fixture.js';
import { standing } from '../../support/form-fields.js';
import type { HostedAnswer, HostedBrowser } from '../../support/hosted-page.js';
import { MULTIPART_TYPE } from '../../support/multipart.js';

export interface WriteRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Of a page, in place of a JSON body. */
  readonly form?: Readonly<Record<string, string>>;
  readonly upload?: Buffer;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Prepares all that a request needs, so that it succeeds and writes the same as the last one did. */
export type Preparation = (fixture: AuthzFixture) => Promise<WriteRequest>;

/** What a browser says that sends a form or follows a link of our own page. */
const OWN_PAGE = {
  Accept: 'text/html,application/xhtml+xml',
  'Sec-Fetch-Site': 'same-origin',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
};

/** A form as it stands on the page, but for these fields. */
export function formOn(
  browser: HostedBrowser,
  page: HostedAnswer,
  action: string,
  fields: Record<string, string> = {},
): WriteRequest {
  const headers = { ...OWN_PAGE, Origin: 'null', Cookie: browser.cookieHeader() };
  return { method: 'POST', path: action, form: { ...standing(page, action), ...fields }, headers };
}

/** Opens a page for the form of it with this action. */
export async function formAt(
  browser: HostedBrowser,
  from: string,
  action: string,
  fields: Record<string, string> = {},
): Promise<WriteRequest> {
  return formOn(browser, await browser.get(from), action, fields);
}

/** A link of a page, followed. */
export function follow(browser: HostedBrowser, path: string): WriteRequest {
  return { method: 'GET', path, headers: { ...OWN_PAGE, Cookie: browser.cookieHeader() } };
}

/** @returns the status, or null where the connection broke */
export async function send(
  url: string,
  { method, path, body, form, upload, token, headers }: WriteRequest,
): Promise<number | null> {
  const [type, content] = upload
    ? [MULTIPART_TYPE, new Uint8Array(upload)]
    : form
      ? ['application/x-www-form-urlencoded', new URLSearchParams(form).toString()]
      : ['application/json', body === undefined ? undefined : JSON.stringify(body)];
  try {
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        Connection: 'close',
        ...(content === undefined ? {} : { 'Content-Type': type }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      body: content,
    });
    await answer.text();
    return answer.status;
  } catch {
    return null;
  }
}
