/** Inputs of the account forms and their validation. */
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'

const MAX_EMAIL_LENGTH = 254
const MAX_LOCAL_PART_LENGTH = 64
const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_BYTES = 1000

/**
 * These bounds only limit the work. The functions below validate the values and word the messages.
 */
export const EmailInput = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'An email address.',
  examples: ['ada@example.com'],
})
export const PasswordInput = Type.String({
  maxLength: 10_000,
  description: 'At least 10 characters.',
})
export const UsernameInput = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Lowercase letters, digits and single hyphens, at most 39.',
})
export const KnownBrowserInput = Type.String({
  maxLength: 400,
  description: 'The secret that the browser was given when the account signed in there before.',
})
export const SecretInput = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The secret of a link that was mailed or printed.',
})

// The dot-atom form (RFC 5322 section 3.2.3) at a host name whose labels begin and end with a
// letter or digit. The RFC also allows quoted local parts and address literals; no mail provider
// issues them.
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The address in lower case, as it is stored and compared. Throws 422 for an invalid one. */
export function readEmail(text: string, field = 'email'): string {
  const email = text.trim().toLowerCase()
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  if (
    at < 1 ||
    email.length > MAX_EMAIL_LENGTH ||
    local.length > MAX_LOCAL_PART_LENGTH ||
    !LOCAL_PART.test(local) ||
    !DOMAIN.test(email.slice(at + 1))
  ) {
    throw invalid(field, `${field} must be an address such as ada@example.com`)
  }
  return email
}

/** Throws 422 for a password that is too short, too long, or equal to the username or address. */
export function requireGoodPassword(
  password: string,
  person: { username: string; email: string },
): void {
  const wrong = (message: string) => invalid('password', message)
  if ([...password].length < MIN_PASSWORD_LENGTH)
    throw wrong(`password must have at least ${MIN_PASSWORD_LENGTH} characters`)
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    throw wrong(`password must have at most ${MAX_PASSWORD_BYTES} bytes`)
  const lower = password.toLowerCase()
  if (lower === person.username.toLowerCase() || lower === person.email.toLowerCase())
    throw wrong('password must not be your username or address')
}
