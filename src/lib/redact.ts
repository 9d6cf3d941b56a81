/**
 * Removes secrets from text before it is stored. Sessions hold the output of commands, and everyone
 * who can read the pull request can read them. Only unmistakable formats are matched, because a
 * false match damages the record. Each expression has a literal prefix and a bounded class, so its
 * time is linear in the text.
 */

type SecretFormat = { readonly type: string; readonly pattern: RegExp }

const FORMATS: readonly SecretFormat[] = [
  { type: 'hearth-token', pattern: /\bhth[uwa]_[0-9A-Za-z]{46}(?![0-9A-Za-z])/g },
  // Up to the end of the block, or of a text in which the block is cut off.
  {
    type: 'private-key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{1,50}-----|$)/g,
  },
  { type: 'aws-access-key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  {
    type: 'github-token',
    pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{36,251}|github_pat_[0-9A-Za-z_]{60,251})/g,
  },
  {
    type: 'gitlab-token',
    pattern: /\bgl(?:pat|dt|rt|ptt|cbt|ft|agent|soat)-[0-9A-Za-z_-]{20,251}/g,
  },
  { type: 'slack-token', pattern: /\bxox[abeoprs]-[0-9A-Za-z-]{10,251}/g },
  {
    type: 'slack-webhook',
    pattern:
      /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[0-9A-Za-z/_-]{20,251}/g,
  },
  { type: 'stripe-key', pattern: /\b[rs]k_(?:live|test|prod)_[0-9A-Za-z]{16,251}/g },
  { type: 'google-api-key', pattern: /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/g },
  { type: 'google-oauth-token', pattern: /\bya29\.[0-9A-Za-z_-]{20,1000}/g },
  { type: 'anthropic-key', pattern: /\bsk-ant-[0-9A-Za-z_-]{20,251}/g },
  {
    type: 'openai-key',
    pattern: /\bsk-(?:(?:proj|svcacct|admin)-[0-9A-Za-z_-]{40,251}|[0-9A-Za-z]{40,251})/g,
  },
  { type: 'npm-token', pattern: /\bnpm_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g },
  { type: 'pypi-token', pattern: /\bpypi-AgE[0-9A-Za-z_-]{40,1000}/g },
  { type: 'sendgrid-key', pattern: /\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}/g },
  { type: 'huggingface-token', pattern: /\bhf_[0-9A-Za-z]{34}(?![0-9A-Za-z])/g },
  {
    type: 'json-web-token',
    pattern: /\beyJ[0-9A-Za-z_-]{10,4000}\.eyJ[0-9A-Za-z_-]{10,8000}\.[0-9A-Za-z_-]{10,2000}/g,
  },
]

/** A password in a URL. Only the password is removed, because the host explains the text. */
const URL_PASSWORD =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,100}:)([^\s/:@"'<>]{3,300})(@[a-z0-9.-])/gi
/** An Authorization header with its scheme. */
const AUTHORIZATION_HEADER =
  /\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})([0-9A-Za-z+/=._~-]{12,4000})/gi

/** The text with each secret replaced by `[redacted:<type>]`, and whether there was one. */
export function redactText(text: string): { text: string; redacted: boolean } {
  let result = text
  for (const { type, pattern } of FORMATS) result = result.replace(pattern, `[redacted:${type}]`)
  result = result.replace(URL_PASSWORD, '$1[redacted:password]$3')
  result = result.replace(AUTHORIZATION_HEADER, '$1[redacted:credentials]')
  return { text: result, redacted: result !== text }
}

/** Redacts every text in a JSON value. Names of fields stay. */
export function redactValue(value: unknown): { value: unknown; redacted: boolean } {
  let redacted = false
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      const result = redactText(inner)
      redacted ||= result.redacted
      return result.text
    }
    if (Array.isArray(inner)) return inner.map(walk)
    if (typeof inner === 'object' && inner !== null)
      return Object.fromEntries(Object.entries(inner).map(([name, item]) => [name, walk(item)]))
    return inner
  }
  return { value: walk(value), redacted }
}
