// Words of secret alerts that several pages use.
import type { BypassReason, Resolution, SecretAlert } from '#features/security/index.ts'
import type { Tone } from '../../components/index.ts'
import { translateMessage } from '../../messages.ts'
import { texts } from '../../text.ts'
import { securityPath } from './frame.tsx'

export const secretsPath = (repo: string, rest = ''): string =>
  securityPath(repo, `/secrets${rest}`)

export const SECRET_STATE_LABELS = texts({ open: 'Open', resolved: 'Resolved' })
export const SECRET_TONES: Readonly<Record<SecretAlert['state'], Tone>> = {
  open: 'bad',
  resolved: 'done',
}
export const RESOLUTION_LABELS: Readonly<Record<Resolution, string>> = texts({
  revoked: 'Revoked',
  false_positive: 'False positive',
  used_in_tests: 'Used in tests',
  wont_fix: 'Will not be fixed',
})
export const BYPASS_REASON_LABELS: Readonly<Record<BypassReason, string>> = texts({
  false_positive: 'It is no secret',
  used_in_tests: 'It is used in tests only',
  will_fix_later: 'It is a secret, and I will revoke it',
})

/** A label as the beginning of a line: "Access token". */
export function titleOfLabel(label: string): string {
  const text = translateMessage(label)
  return text.startsWith('npm') ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
