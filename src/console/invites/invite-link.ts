/** Link to the page that redeems a code, for an operator who passes the invite on. */
export function inviteLink(baseUrl: string, code: string): string {
  return `${baseUrl}/invite?code=${code}`;
}
