/** Clients that refuse a site without encryption need a setting, which their lines have there. */
export const isUnencrypted = (site_url: string): boolean => site_url.startsWith('http:')

/** An address with a user and the token in it, for clients that take both from there. */
export const withToken = (address: string, user = 'token'): string =>
  address.replace(/^(https?:\/\/)/, `$1${user}:$HEARTH_TOKEN@`)
