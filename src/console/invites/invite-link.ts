/** The page that redeems a code, for whoever passes an invite on. */
export function inviteLink(baseUrl: string, code: string): string {
  return `${baseUrl}/invite?code=${code}`;
}
