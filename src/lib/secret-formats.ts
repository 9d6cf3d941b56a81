/**
 * The formats of secrets that are known by their text. Sessions and logs redact all of them
 * (`redact.ts`). Pushes and comments that add one of those with `refused` are refused: credentials
 * of one issuer whose format has few accidental matches. Private keys and JSON web tokens stand in
 * the test data of many projects, and Google API keys in web pages, so they are not refused.
 *
 * Each expression has a literal prefix and a bounded class, so its time is linear in the text.
 */
import { checksum62 } from './hash.ts'

export type SecretFormat = {
  readonly type: string
  readonly pattern: RegExp
  /** What people call a format that is not refused. */
  readonly label?: string
  /** How a refusal names it, and strings one of which every match contains; null is only redacted. */
  readonly refused: { readonly name: string; readonly words: readonly string[] } | null
}

const refuse = (name: string, ...words: string[]): SecretFormat['refused'] => ({ name, words })

export const SECRET_FORMATS: readonly SecretFormat[] = [
  {
    type: 'hearth-token',
    pattern: /hth[uwa]_[0-9A-Za-z]{46}/g,
    refused: refuse('access token', 'hth'),
  },
  // Up to the end of the block, or of a text in which the block is cut off.
  {
    type: 'private-key',
    label: 'private key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{1,50}-----|$)/g,
    refused: null,
  },
  {
    type: 'aws-access-key',
    pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
    refused: refuse('AWS access key', 'AKIA', 'ASIA'),
  },
  {
    type: 'github-token',
    pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{36,251}|github_pat_[0-9A-Za-z_]{60,251})/g,
    refused: refuse('GitHub token', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'),
  },
  {
    type: 'gitlab-token',
    pattern: /\bgl(?:pat|dt|rt|ptt|cbt|ft|agent|soat)-[0-9A-Za-z_-]{20,251}/g,
    refused: refuse(
      'GitLab token',
      ...['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glft-', 'glagent-', 'glsoat-'],
    ),
  },
  {
    type: 'slack-token',
    pattern: /\bxox[abeoprs]-[0-9A-Za-z-]{10,251}/g,
    refused: refuse('Slack token', 'xox'),
  },
  {
    type: 'slack-webhook',
    pattern:
      /https:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[0-9A-Za-z/_-]{20,251}/g,
    refused: refuse('Slack webhook address', 'hooks.slack.com'),
  },
  {
    type: 'stripe-key',
    pattern: /\b[rs]k_(?:live|prod)_[0-9A-Za-z]{16,251}/g,
    refused: refuse('Stripe key', 'k_live_', 'k_prod_'),
  },
  {
    type: 'stripe-key',
    label: 'Stripe test key',
    pattern: /\b[rs]k_test_[0-9A-Za-z]{16,251}/g,
    refused: null,
  },
  {
    type: 'google-api-key',
    label: 'Google API key',
    pattern: /\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])/g,
    refused: null,
  },
  {
    type: 'google-oauth-token',
    pattern: /\bya29\.[0-9A-Za-z_-]{20,1000}/g,
    refused: refuse('Google OAuth token', 'ya29.'),
  },
  {
    type: 'anthropic-key',
    pattern: /\bsk-ant-[0-9A-Za-z_-]{20,251}/g,
    refused: refuse('Anthropic key', 'sk-ant-'),
  },
  {
    type: 'openai-key',
    pattern: /\bsk-(?:proj|svcacct|admin)-[0-9A-Za-z_-]{40,251}/g,
    refused: refuse('OpenAI key', 'sk-proj-', 'sk-svcacct-', 'sk-admin-'),
  },
  // The older format of these keys has no issuer in it.
  {
    type: 'openai-key',
    label: 'OpenAI key',
    pattern: /\bsk-[0-9A-Za-z]{40,251}/g,
    refused: null,
  },
  {
    type: 'npm-token',
    pattern: /\bnpm_[0-9A-Za-z]{36}(?![0-9A-Za-z])/g,
    refused: refuse('npm token', 'npm_'),
  },
  {
    type: 'pypi-token',
    pattern: /\bpypi-AgE[0-9A-Za-z_-]{40,1000}/g,
    refused: refuse('PyPI token', 'pypi-AgE'),
  },
  {
    type: 'sendgrid-key',
    pattern: /\bSG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}/g,
    refused: refuse('SendGrid key', 'SG.'),
  },
  {
    type: 'huggingface-token',
    pattern: /\bhf_[0-9A-Za-z]{34}(?![0-9A-Za-z])/g,
    refused: refuse('Hugging Face token', 'hf_'),
  },
  {
    type: 'json-web-token',
    label: 'JSON web token',
    pattern: /\beyJ[0-9A-Za-z_-]{10,4000}\.eyJ[0-9A-Za-z_-]{10,8000}\.[0-9A-Za-z_-]{10,2000}/g,
    refused: null,
  },
]

const HEARTH_CHECKED_LENGTH = 45
/** Fewer different characters than this in a secret mean an example. */
const MIN_DISTINCT_CHARACTERS = 8

/** Whether a match is an example, such as `AKIAIOSFODNN7EXAMPLE` or `ghp_xxxx…`. */
const isExample = (secret: string): boolean =>
  /example$/i.test(secret) || new Set(secret.slice(-24)).size < MIN_DISTINCT_CHARACTERS

/** Whether a match of a refused format is a secret: with the checksum of this forge, and no example. */
export const isSecretText = (secret: string): boolean =>
  secret.startsWith('hth')
    ? checksum62(secret.slice(0, HEARTH_CHECKED_LENGTH)) === secret.slice(HEARTH_CHECKED_LENGTH)
    : !isExample(secret)

/** What people call a format. */
export const labelOfFormat = ({ type, label, refused }: SecretFormat): string =>
  refused?.name ?? label ?? type
