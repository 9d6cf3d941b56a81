/** The APIs of other forges: where they are, and the credentials that they take. */
import { basicCredentials } from './remote-git.ts'

export type ForgeKind = 'gitea' | 'github' | 'gitlab'

/**
 * The address of the API, for what the addresses of repositories begin with. github.com has it on a
 * host of its own.
 */
export function forgeApiUrl(kind: ForgeKind, base: string): string {
  if (kind === 'gitlab') return `${base}/api/v4`
  if (kind === 'gitea') return `${base}/api/v1`
  return new URL(base).host === 'github.com' ? 'https://api.github.com' : `${base}/api/v3`
}

/**
 * The header Authorization for a secret, a token or `name:password`. Gitea takes names with a
 * password or a token; the others take a token, or the password as one.
 */
export function forgeAuthorization(kind: ForgeKind, secret: string): string {
  if (kind === 'gitea') return secret.includes(':') ? basicCredentials(secret) : `token ${secret}`
  return `Bearer ${secret.slice(secret.indexOf(':') + 1)}`
}
