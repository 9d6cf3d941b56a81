// How the site looks to one browser: light or dark, and the colours of changes. It is kept in a
// cookie, so that pages have it before any script, for visitors without an account too.
import { readCookie, setCookie } from './cookies.ts'

const APPEARANCE_COOKIE = 'hearth-appearance'
/** Browsers keep cookies for at most 400 days (RFC 6265bis, section 5.5). */
const COOKIE_SECONDS = 400 * 24 * 3600

const THEMES = ['system', 'light', 'dark'] as const
/** `distinct`: blue and orange, which people with any colour blindness tell apart. */
const DIFF_COLOURS = ['usual', 'distinct'] as const

export type Appearance = {
  readonly theme: (typeof THEMES)[number]
  readonly diffColours: (typeof DIFF_COLOURS)[number]
}

/** Reads a choice. Unknown words stand for the default. */
export const toAppearance = (theme: string, diffColours: string): Appearance => ({
  theme: THEMES.find((one) => one === theme) ?? 'system',
  diffColours: DIFF_COLOURS.find((one) => one === diffColours) ?? 'usual',
})

export function readAppearance(request: Request, secure: boolean): Appearance {
  const [theme = '', diffColours = ''] = (
    readCookie(request, secure, APPEARANCE_COOKIE) ?? ''
  ).split('.')
  return toAppearance(theme, diffColours)
}

export const appearanceCookie = (
  { theme, diffColours }: Appearance,
  { secure }: { secure: boolean },
): string => setCookie(secure, APPEARANCE_COOKIE, `${theme}.${diffColours}`, COOKIE_SECONDS)
