/** Inputs of the website's account forms, and what makes them acceptable. */
import { Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'

const LONGEST_EMAIL = 254
const LONGEST_LOCAL_PART = 64
const SHORTEST_PASSWORD = 10
const LONGEST_PASSWORD_BYTES = 1000

/**
 * Bounds that keep work small; what is acceptable is said by the functions below, in words for
 * people.
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
export const SecretInput = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The secret of a link that was mailed or printed.',
})

// The dot-atom form (RFC 5322 section 3.2.3) at a host name with at least one letter in each
// label's ends; quoted local parts and addresses in brackets are allowed by the RFC and used by
// nobody.
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The address in lower case, as it is kept and compared. Gives 422 for what cannot be one. */
export function readEmail(text: string, field = 'email'): string {
  const email = text.trim().toLowerCase()
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at)
  if (
    at < 1 ||
    email.length > LONGEST_EMAIL ||
    local.length > LONGEST_LOCAL_PART ||
    !LOCAL.test(local) ||
    !DOMAIN.test(email.slice(at + 1))
  ) {
    throw invalid(field, `${field} must be an address such as ada@example.com`)
  }
  return email
}

/** Gives 422 for a password that is too short, too long, or the person's own name or address. */
export function requireGoodPassword(
  password: string,
  person: { username: string; email: string },
): void {
  const wrong = (message: string) => invalid('password', message)
  if ([...password].length < SHORTEST_PASSWORD)
    throw wrong(`password must have at least ${SHORTEST_PASSWORD} characters`)
  if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES)
    throw wrong(`password must have at most ${LONGEST_PASSWORD_BYTES} bytes`)
  const lower = password.toLowerCase()
  if (lower === person.username.toLowerCase() || lower === person.email.toLowerCase())
    throw wrong('password must not be your username or address')
}
