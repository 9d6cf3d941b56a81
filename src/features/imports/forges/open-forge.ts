/** Opens a repository on another forge by its address. */
import type { Hearth } from '#core/hearth.ts'
import { basicCredentials } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { ForgeClient } from './forge-client.ts'
import type { Source } from '../schema.ts'
import type { Forge } from './forge.ts'
import { GiteaForge } from './gitea.ts'
import { GitHubForge } from './github.ts'
import { GitLabForge } from './gitlab.ts'

export type ForgeSource = Exclude<Source, 'git'>

export type ForgeAddress = {
  readonly source: ForgeSource
  readonly url: string
  readonly token: string | null
}

/** Opens a file of a release as a stream of at most so many bytes. */
export type FileSource = {
  open(url: string, maxBytes: number): Promise<{ readonly body: ReadableStream<Uint8Array> }>
}

export type OpenForge = { readonly forge: Forge; readonly client: FileSource }

/** A part of a path as it was meant. Throws 422 for a broken escape. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('url', 'the address has a % that is no escape')
  }
}

/** Splits `https://host[/below]/owner/name[.git]`. Throws 422 for another form. */
export function splitAddress(url: string): { base: string; owner: string; name: string } {
  const at = new URL(url)
  const parts = trimTrailingSlashes(at.pathname).split('/').filter(Boolean)
  const name = parts.pop()?.replace(/\.git$/, '')
  const owner = parts.pop()
  if (!owner || !name) throw invalid('url', 'name a repository: https://<host>/<owner>/<name>')
  return {
    base: [at.origin, ...parts].join('/'),
    owner: decodePart(owner),
    name: decodePart(name),
  }
}

/** A token, or the password of `name:password`. */
const bearerCredentials = (secret: string): string =>
  `Bearer ${secret.slice(secret.indexOf(':') + 1)}`

/** Gitea takes a token, and names with a password or a token. */
const giteaCredentials = (secret: string): string =>
  secret.includes(':') ? basicCredentials(secret) : `token ${secret}`

const GITHUB_VERSION = '2022-11-28'

/** The address of GitHub's API: github.com has it on a host of its own. */
const githubBase = (base: string): string =>
  new URL(base).host === 'github.com' ? 'https://api.github.com' : `${base}/api/v3`

/** Requests to the API of a forge whose addresses begin with `base`. */
export function forgeClient(
  hearth: Pick<Hearth, 'settings' | 'clock'>,
  { source, token }: Pick<ForgeAddress, 'source' | 'token'>,
  base: string,
  signal: AbortSignal,
): ForgeClient {
  const clientFor = (
    api: string,
    credentialsOf: (secret: string) => string,
    headers: Record<string, string> = {},
  ): ForgeClient =>
    new ForgeClient(hearth, {
      base: api,
      headers,
      authorization: token === null ? null : credentialsOf(token),
      signal,
    })
  if (source === 'gitlab_api') return clientFor(`${base}/api/v4`, bearerCredentials)
  if (source === 'gitea_api') return clientFor(`${base}/api/v1`, giteaCredentials)
  const headers = { 'x-github-api-version': GITHUB_VERSION }
  return clientFor(githubBase(base), bearerCredentials, headers)
}

/** `pull_offset` is what was found when the import began; null before that. */
export function openForge(
  hearth: Pick<Hearth, 'settings' | 'clock'>,
  address: ForgeAddress,
  pull_offset: number | null,
  signal: AbortSignal,
): OpenForge {
  const { source, url } = address
  if (source === 'gitlab_api') {
    const { origin, path, name } = splitProject(url)
    const client = forgeClient(hearth, address, origin, signal)
    return { client, forge: new GitLabForge(client, path, name, pull_offset) }
  }
  const { base, owner, name } = splitAddress(url)
  const client = forgeClient(hearth, address, base, signal)
  return source === 'github_api'
    ? { client, forge: new GitHubForge(client, owner, name) }
    : { client, forge: new GiteaForge(client, owner, name) }
}

/** GitLab has groups in groups, so all but the last part are the path. */
function splitProject(url: string): { origin: string; path: string; name: string } {
  const { name } = splitAddress(url)
  const at = new URL(url)
  const parts = trimTrailingSlashes(at.pathname).split('/').filter(Boolean).slice(0, -1)
  return { origin: at.origin, path: parts.map(decodePart).join('/'), name }
}
