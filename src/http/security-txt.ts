/** `security.txt` (RFC 9116): where vulnerabilities of this site are reported. */
import type { Hearth } from '#core/hearth.ts'
import { DAY } from '#lib/time.ts'

/** It is made anew each day, so it never expires while the site runs. RFC 9116 asks for under a year. */
const LIFETIME_MS = 180 * DAY

export const SECURITY_TXT_PATH = '/.well-known/security.txt'

export function securityTxt({ settings, clock }: Hearth): string {
  const { contact, policy } = settings.security
  const expires = new Date(Math.floor((clock.now() + LIFETIME_MS) / DAY) * DAY)
  const lines = [
    ...contact.map((address) => `Contact: ${address}`),
    `Expires: ${expires.toISOString().replace('.000Z', 'Z')}`,
    `Canonical: ${settings.site_url}${SECURITY_TXT_PATH}`,
    ...(policy === null ? [] : [`Policy: ${policy}`]),
  ]
  return `${lines.join('\n')}\n`
}
