/** Opens a repository on another forge by its address. */
import type { Hearth } from '#core/hearth.ts'
import { invalid } from '#lib/errors.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { ForgeClient } from './forge-client.ts'
import type { Source } from '../schema.ts'
import type { Forge } from './forge.ts'
import { GiteaForge } from './gitea.ts'

export type ForgeSource = Exclude<Source, 'git'>

export type ForgeAddress = {
  readonly source: ForgeSource
  readonly url: string
  readonly token: string | null
}

export type OpenForge = { readonly forge: Forge; readonly client: ForgeClient }

/** Splits `https://host[/below]/owner/name[.git]`. Throws 422 for another form. */
export function splitAddress(url: string): { base: string; owner: string; name: string } {
  const at = new URL(url)
  const parts = trimTrailingSlashes(at.pathname).split('/').filter(Boolean)
  const name = parts.pop()?.replace(/\.git$/, '')
  const owner = parts.pop()
  if (!owner || !name) throw invalid('url', 'name a repository: https://<host>/<owner>/<name>')
  return {
    base: [at.origin, ...parts].join('/'),
    owner: decodeURIComponent(owner),
    name: decodeURIComponent(name),
  }
}

/** A token, or the password of `name:password`. */
const tokenOf = (secret: string): string => secret.slice(secret.indexOf(':') + 1)

export function openForge(
  hearth: Pick<Hearth, 'settings' | 'clock'>,
  { url, token }: ForgeAddress,
  signal: AbortSignal,
): OpenForge {
  const { base, owner, name } = splitAddress(url)
  const client = new ForgeClient(hearth, {
    base: `${base}/api/v1`,
    headers: {},
    authorization: token === null ? null : `token ${tokenOf(token)}`,
    signal,
  })
  return { client, forge: new GiteaForge(client, owner, name) }
}
