/**
 * Takes secrets out of text before it is stored. Sessions hold the output of commands, and a token
 * printed by one must not become readable to everyone who may read the pull request. Only forms
 * that are unmistakable are matched: a false match would damage the record. Each expression is a
 * literal beginning and a bounded class, so that time grows with the text only.
 */

type Form = { readonly type: string; readonly pattern: RegExp }

const FORMS: readonly Form[] = [
  { type: 'hearth-token', pattern: /\bhth[uwa]_[0-9A-Za-z]{46}(?![0-9A-Za-z])/g },
  // To the end of the block, or of the text where the block was cut off.
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

/**
 * A password inside an address; only the password is taken out, because the host says what went on.
 */
const IN_ADDRESS =
  /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,100}:)([^\s/:@"'<>]{3,300})(@[a-z0-9.-])/gi
/** A header that carries credentials, with a scheme before them. */
const IN_HEADER =
  /\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})([0-9A-Za-z+/=._~-]{12,4000})/gi

/** The text with every known form replaced by `[redacted:<type>]`, and whether there was one. */
export function redactText(text: string): { text: string; redacted: boolean } {
  let result = text
  for (const { type, pattern } of FORMS) result = result.replace(pattern, `[redacted:${type}]`)
  result = result.replace(IN_ADDRESS, '$1[redacted:password]$3')
  result = result.replace(IN_HEADER, '$1[redacted:credentials]')
  return { text: result, redacted: result !== text }
}

/** The same for every text inside a JSON value; names of fields are left as they are. */
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
