/** Breadcrumbs of a user's pages. */
export function userCrumbs(user: { readonly id: string; readonly displayName: string }) {
  return [
    { label: 'Users', href: '/console/users' },
    { label: user.displayName, href: `/console/users/${user.id}` },
  ];
}
