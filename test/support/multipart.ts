/** A multipart body written out by hand, so that it can be wrong in any way. */
export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: Buffer | string;
}

export const BOUNDARY = 'boundary-of-the-test';
export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

export function multipart(...parts: readonly Part[]): Buffer {
  const written = parts.flatMap(({ name, filename, type, content }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"` +
        `${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...written, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

export function logoForm(content: Buffer, filename = 'logo.png', type = 'image/png'): Buffer {
  return multipart({ name: 'file', filename, type, content });
}

export interface LogoAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly detail?: unknown;
    readonly config: { readonly branding: Readonly<Record<string, unknown>> };
  };
}

/** Sends a body to an app's logo. */
export async function postLogo(
  baseUrl: string,
  appId: string,
  token: string | undefined,
  body: Buffer,
  type = MULTIPART_TYPE,
  picture = 'logo',
): Promise<LogoAnswer> {
  const answer = await fetch(`${baseUrl}/admin/apps/${appId}/${picture}`, {
    method: 'POST',
    headers: { 'Content-Type': type, ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: new Uint8Array(body),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as LogoAnswer['body'] };
}
