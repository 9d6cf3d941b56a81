/**
 * Removes secrets from text before it is stored. Sessions hold the output of commands, and everyone
 * who can read the pull request can read them. Only unmistakable formats are matched, because a
 * false match damages the record.
 */
import { isSecretText, labelOfFormat, SECRET_FORMATS } from './secret-formats.ts'
import { findRefusedSecrets } from './secrets/refused-secret.ts'

/** A password in a URL. Only the password is removed, because the host explains the text. */
const URL_PASSWORD =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,100}:)([^\s/:@"'<>]{3,300})(@[a-z0-9.-])/gi
/** An Authorization header with its scheme. */
const AUTHORIZATION_HEADER =
  /\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})([0-9A-Za-z+/=._~-]{12,4000})/gi

/** A secret that was taken out of a text. It stays in memory: it is never stored or logged. */
export type RedactedSecret = {
  readonly type: string
  readonly label: string
  readonly secret: string
}

export type RedactedText = {
  /** Each secret replaced by `[redacted:<type>]`. */
  readonly text: string
  readonly redacted: boolean
  /** Those of known formats, without examples. */
  readonly secrets: readonly RedactedSecret[]
}

export function redactText(text: string): RedactedText {
  const secrets: RedactedSecret[] = []
  let result = text
  for (const format of SECRET_FORMATS) {
    const { type, pattern } = format
    result = result.replace(pattern, (secret) => {
      if (isSecretText(secret)) secrets.push({ type, label: labelOfFormat(format), secret })
      return `[redacted:${type}]`
    })
  }
  result = redactRefused(result, secrets)
  result = result.replace(URL_PASSWORD, '$1[redacted:password]$3')
  result = result.replace(AUTHORIZATION_HEADER, '$1[redacted:credentials]')
  return { text: result, redacted: result !== text, secrets }
}

/** Removes secrets of all other formats that pushes may not add, and adds them to `secrets`. */
function redactRefused(text: string, secrets: RedactedSecret[]): string {
  const bytes = Buffer.from(text)
  const found = findRefusedSecrets(bytes).filter(({ rule }) => !rule.own)
  if (found.length === 0) return text
  const parts: (Uint8Array | string)[] = []
  let from = 0
  for (const { rule, secret, index } of found) {
    secrets.push({ type: rule.id, label: rule.label, secret })
    parts.push(bytes.subarray(from, index), `[redacted:${rule.id}]`)
    from = index + secret.length
  }
  return Buffer.concat([...parts, bytes.subarray(from)].map((part) => Buffer.from(part))).toString()
}

/** Redacts every text in a JSON value. Names of fields stay. */
export function redactValue(value: unknown): {
  value: unknown
  redacted: boolean
  secrets: readonly RedactedSecret[]
} {
  let redacted = false
  const secrets: RedactedSecret[] = []
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      const result = redactText(inner)
      redacted ||= result.redacted
      secrets.push(...result.secrets)
      return result.text
    }
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner === 'object' && inner !== null)
      return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, walk(item)]))
    return inner
  }
  return { value: walk(value), redacted, secrets }
}
