import { type Received, send, type Sent } from './send.js';
import type { Answer } from './world.js';

/** A browser without JavaScript on the hosted pages: keeps cookies, fills forms, does not follow redirects. */
export class HostedBrowser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly baseUrl: string) {}

  get(path: string, headers: Record<string, string> = {}): Promise<HostedAnswer> {
    return this.send('GET', path, undefined, headers);
  }

  /** A form post from one of our own pages. */
  post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<HostedAnswer> {
    return this.send('POST', path, new URLSearchParams(fields).toString(), {
      'Sec-Fetch-Site': 'same-origin',
      Origin: 'null',
      ...headers,
    });
  }

  /** Opens a mailed sign-in link and uses it up by the form of its page. */
  async useMagicLink(token: string, more = ''): Promise<HostedAnswer> {
    return this.sendMagicLinkForm(await this.magicLinkForm(token), more);
  }

  /** Query of the form behind a mailed sign-in link; without its token where the page does not offer to sign in. */
  async magicLinkForm(token: string): Promise<string> {
    const page = await this.get(`/magic-link?${new URLSearchParams({ token }).toString()}`);
    const form_token = page.status === 200 ? page.formToken() : '';
    return new URLSearchParams({ token, form_token }).toString();
  }

  sendMagicLinkForm(query: string, more = ''): Promise<HostedAnswer> {
    return this.get(`/auth/magic-link/verify?${query}${more}`, {
      'Sec-Fetch-Site': 'same-origin',
      'Sec-Fetch-Dest': 'document',
    });
  }

  /** Goes to a provider to link an account there, by the form that asks about it. */
  async startLinking(provider: string): Promise<HostedAnswer> {
    const page = await this.get(`/oauth/${provider}/start?link=1`, { 'Sec-Fetch-Site': 'same-origin' });
    if (page.status !== 200) return page;
    return this.post(page.formAction(), { form_token: page.formToken() });
  }

  /** The same with files (multipart/form-data). */
  postForm(path: string, form: FormData): Promise<HostedAnswer> {
    return this.send('POST', path, form, { 'Sec-Fetch-Site': 'same-origin', Origin: 'null' });
  }

  /** A form post from another site: our Lax cookies do not come along. */
  async postFromOutside(path: string, fields: Record<string, string>): Promise<HostedAnswer> {
    const outside = new HostedBrowser(this.baseUrl);
    const headers = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://appleid.example' };
    return outside.post(path, fields, headers);
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  /** All of them, as a request sends them. */
  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  setCookie(name: string, value: string): void {
    this.cookies.set(name, value);
  }

  /** GET /login, fills the form, follows our own redirects. @returns where the app is sent, or the page that stays */
  async signIn(loginPath: string, email: string, password: string): Promise<HostedAnswer> {
    const page = await this.get(loginPath);
    if (page.status !== 200) return page;
    return this.submit(page, { email, password });
  }

  /** Sends the page's first form with these fields and goes on until it leaves the service or stays on a page. */
  async submit(page: HostedAnswer, fields: Record<string, string>): Promise<HostedAnswer> {
    const { shown_to } = page.hiddenFields();
    const sent = { form_token: page.formToken(), ...(shown_to === undefined ? {} : { shown_to }), ...fields };
    let answer = await this.post(page.formAction(), sent);
    for (let hops = 0; answer.location?.startsWith('/') && hops < 5; hops++) answer = await this.get(answer.location);
    return answer;
  }

  private async send(
    method: string,
    path: string,
    body: string | FormData | undefined,
    headers: Record<string, string>,
  ): Promise<HostedAnswer> {
    const cookie = this.cookieHeader();
    const all = { Accept: 'text/html,application/xhtml+xml', ...(cookie ? { Cookie: cookie } : {}), ...headers };
    const address = new URL(path, this.baseUrl);
    const answer =
      body instanceof FormData ? await upload(address, body, all) : await send(address, withType(method, all, body));
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return new HostedAnswer(answer.status, answer.headers, answer.text);
  }
}

function withType(method: string, headers: Record<string, string>, body: string | undefined): Sent {
  return body === undefined
    ? { method, headers }
    : { method, body, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } };
}

async function upload(address: URL, body: FormData, headers: Record<string, string>): Promise<Received> {
  const response = await fetch(address, { method: 'POST', redirect: 'manual', body, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export class HostedAnswer implements Answer<string> {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: string,
  ) {}

  /** As sent, so relative for our own pages. */
  get location(): string | null {
    return this.headers.get('location');
  }

  /** Parameters of the address that the app is sent to. */
  get delivered(): URLSearchParams {
    if (!this.location) throw new Error(`No redirect but ${this.status}: ${this.body.slice(0, 300)}`);
    return new URL(this.location).searchParams;
  }

  formAction(): string {
    const action = /<form[^>]*\saction="([^"]+)"/.exec(this.body)?.[1];
    if (!action) throw new Error(`No form on the page (${this.status})`);
    return unescapeHtml(action);
  }

  /** Of all forms of the page. */
  hiddenFields(): Record<string, string> {
    const fields = this.body.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g);
    return Object.fromEntries([...fields].map(([, name, value]) => [name!, unescapeHtml(value!)]));
  }

  formToken(): string {
    const token = /name="form_token"\s+value="([^"]+)"/.exec(this.body)?.[1];
    if (!token) throw new Error(`No form token on the page (${this.status})`);
    return token;
  }
}

export function unescapeHtml(text: string): string {
  return text.replaceAll('&#x3D;', '=').replaceAll('&amp;', '&');
}

export function loginPath(app: { id: string; redirectUri: string }, parameters: Record<string, string> = {}): string {
  return `/login?${new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri, ...parameters }).toString()}`;
}
