/** Clients that refuse a site without encryption need a setting, which their lines have there. */
export const isUnencrypted = (site_url: string): boolean => site_url.startsWith('http:')
