/** Opens a repository on another forge by its address. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { forgeApiUrl, forgeAuthorization, type ForgeKind } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { SECOND } from '#lib/time.ts'
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

/** Opens a file of a release or text as a stream of at most so many bytes. */
export type FileSource = {
  open(
    url: string,
    maxBytes: number,
  ): Promise<{
    readonly body: ReadableStream<Uint8Array>
    readonly headers?: Readonly<Record<string, string | undefined>>
  }>
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

const GITHUB_VERSION = '2022-11-28'

const KINDS: Readonly<Record<ForgeSource, ForgeKind>> = {
  gitea_api: 'gitea',
  github_api: 'github',
  gitlab_api: 'gitlab',
}

/** Requests to the API of a forge whose addresses begin with `base`. */
export function forgeClient(
  hearth: Pick<Hearth, 'settings' | 'clock'>,
  { source, token }: Pick<ForgeAddress, 'source' | 'token'>,
  base: string,
  signal: AbortSignal,
  pausesMs?: readonly number[],
): ForgeClient {
  const kind = KINDS[source]
  return new ForgeClient(hearth, {
    base: forgeApiUrl(kind, base),
    headers: kind === 'github' ? { 'x-github-api-version': GITHUB_VERSION } : {},
    authorization: token === null ? null : forgeAuthorization(kind, token),
    signal,
    ...(pausesMs ? { pausesMs } : {}),
  })
}

/** Before a request of an import is sent again that failed for a moment. */
export const retryPauses = service('pauses of requests to other forges', () => ({
  ms: [SECOND, 4 * SECOND] as readonly number[],
}))

/** `pull_offset` is what was found when the import began; null before that. */
export function openForge(
  hearth: Hearth,
  address: ForgeAddress,
  pull_offset: number | null,
  signal: AbortSignal,
): OpenForge {
  const { source, url } = address
  const pausesMs = retryPauses(hearth).ms
  if (source === 'gitlab_api') {
    const { origin, path, name } = splitProject(url)
    const client = forgeClient(hearth, address, origin, signal, pausesMs)
    return { client, forge: new GitLabForge(client, path, name, pull_offset) }
  }
  const { base, owner, name } = splitAddress(url)
  const client = forgeClient(hearth, address, base, signal, pausesMs)
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
