import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, Type } from '#core/schema.ts'
import {
  renameActor,
  requireUserRow,
  setProfile,
  THEMES,
  type Theme,
  type UserRow,
} from '#features/accounts/index.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { CurrentUser } from './schema.ts'
import { currentUser } from './whoami.ts'

/** The maximum length of each field in characters, after trimming. */
const MAX_LENGTHS = {
  name: 80,
  bio: 280,
  company: 80,
  location: 80,
  website: 200,
  pronouns: 40,
  time_zone: 80,
  language: 35,
  theme: 10,
  locale: 35,
} as const
type ProfileField = keyof typeof MAX_LENGTHS
const PROFILE_FIELDS = Object.keys(MAX_LENGTHS) as ProfileField[]

const TextInput = (description: string) =>
  Type.Optional(
    Nullable(
      Type.String({ maxLength: 2000, description: `${description} Empty or null clears it.` }),
    ),
  )

const isTimeZone = (text: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*$/.test(text)
  } catch {
    return false
  }
}

const isTheme = (text: string): text is Theme => THEMES.some((theme) => theme === text)

function websiteOf(text: string): string {
  const address = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw invalid('website', 'website must be an address such as https://example.com')
  return address
}

function languageOf(part: 'language' | 'locale', text: string): string {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? text
  } catch {
    throw invalid(part, `${part} must be a tag such as en or pt-BR (BCP 47)`)
  }
}

/** Normalises one field; null when it is empty. Throws 422 for an invalid value. */
function readProfileField(part: ProfileField, value: string | null): string | null {
  const text = (
    part === 'bio'
      ? (value ?? '').replace(/\r\n/g, '\n')
      : (value ?? '').replace(/[\s\p{Cc}]+/gu, ' ')
  ).trim()
  if (text === '') return null
  if ([...text].length > MAX_LENGTHS[part])
    throw invalid(part, `${part} must have at most ${MAX_LENGTHS[part]} characters`)
  if (part === 'website') return websiteOf(text)
  if (part === 'language' || part === 'locale') return languageOf(part, text)
  if (part === 'theme' && !isTheme(text))
    throw invalid('theme', `theme must be one of ${THEMES.join(', ')}`)
  if (part === 'time_zone' && !isTimeZone(text))
    throw invalid('time_zone', 'time_zone must be a name such as Europe/Berlin (IANA)')
  return text
}

const profileOf = (user: UserRow): Record<ProfileField, string | null> => ({
  name: user.name,
  bio: user.bio,
  company: user.company,
  location: user.location,
  website: user.website,
  pronouns: user.pronouns,
  time_zone: user.time_zone,
  language: user.language,
  theme: user.theme,
  locale: user.locale,
})

export const updateProfile = operation({
  name: 'update_profile',
  summary:
    'Change what others see of your own account (name, bio, company, location, website, pronouns), and your time zone, language and theme. For people only. Answers with the account as it is now.',
  keywords: ['change my name', 'my bio', 'edit my profile', 'time zone'],
  route: 'PATCH /user',
  toolset: 'access',
  access: personOnly({ scope: 'user:write', writes: true }),
  input: Type.Object({
    name: TextInput('Display name, at most 80 characters.'),
    bio: TextInput('At most 280 characters.'),
    company: TextInput('At most 80 characters.'),
    location: TextInput('At most 80 characters.'),
    website: TextInput('An http or https address, at most 200 characters.'),
    pronouns: TextInput('At most 40 characters.'),
    time_zone: TextInput('An IANA name such as Europe/Berlin.'),
    language: TextInput('A BCP 47 tag such as en.'),
    theme: TextInput('The theme of the website: system, light or dark.'),
    locale: TextInput('The language of the website: a BCP 47 tag such as de.'),
  }),
  output: CurrentUser,
  annotations: { idempotent: true },

  handler: ({ hearth, caller, write }, input) => {
    const fields = PROFILE_FIELDS.filter((part) => input[part] !== undefined)
    if (fields.length === 0)
      throw new Refusal('invalid', `give at least one of ${PROFILE_FIELDS.join(', ')}`)
    const change = Object.fromEntries(
      fields.map((part) => [part, readProfileField(part, input[part] ?? null)]),
    ) as Partial<Record<ProfileField, string | null>>
    return write((tx) => {
      const user = requireUserRow(tx.db, caller.id)
      const before = profileOf(user)
      const { name: display_name, theme, ...profile } = { ...before, ...change }
      setProfile(tx, caller.id, {
        ...profile,
        theme: theme !== null && isTheme(theme) ? theme : null,
      })
      if (display_name !== before.name) renameActor(tx, caller.id, { name: display_name })
      const changed = fields.filter((part) => change[part] !== before[part])
      if (changed.length > 0) {
        tx.audit({
          action: 'user.profile_changed',
          target: { kind: 'user', id: user.id, name: user.username },
          data: {
            before: Object.fromEntries(changed.map((part) => [part, before[part]])),
            after: Object.fromEntries(changed.map((part) => [part, change[part]])),
          },
        })
      }
      return currentUser(hearth, caller)
    })
  },
})
