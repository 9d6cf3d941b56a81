/** Lists the repositories of an owner, an organisation or a group on another forge. */
import type { Hearth } from '#core/hearth.ts'
import { invalid } from '#lib/errors.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'
import { Fields, listOf } from './fields.ts'
import { ForgeError, nextPageOf, type ForgeAnswer, type ForgeClient } from './forge-client.ts'
import type { Page } from './forge.ts'
import { decodePart, forgeClient, type ForgeAddress, type ForgeSource } from './open-forge.ts'

export type OwnedRepo = {
  readonly full_name: string
  readonly name: string
  readonly url: string
  readonly description: string | null
  readonly private: boolean
  readonly archived: boolean
  readonly fork: boolean
  readonly empty: boolean
}

/** One way to read an address: as a list of an owner, or as one repository. */
type Candidate = {
  readonly key: string
  /** What the addresses of the forge begin with. */
  readonly base: string
  readonly path: string
  readonly isOne: boolean
}

/** Gitea gives no more, whatever is asked. */
const PER_PAGE = 50
const MAX_PARTS = 20

const part = encodeURIComponent

function partsOf(url: string): { origin: string; parts: string[] } {
  const at = URL.parse(url)
  if (at === null) throw invalid('url', 'this is no address: https://<host>/<owner>')
  const parts = trimTrailingSlashes(at.pathname)
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean)
  if (parts.length === 0 || parts.length > MAX_PARTS)
    throw invalid('url', 'name an owner, an organisation or a group: https://<host>/<owner>')
  return { origin: at.origin, parts: parts.map(decodePart) }
}

/** Groups of GitLab are in groups, so an address is a group, a project or a person. */
function gitLabCandidates(origin: string, parts: readonly string[]): Candidate[] {
  const whole = part(parts.join('/'))
  const list = 'order_by=path&sort=asc'
  const base = { base: origin, isOne: false }
  const group = `/groups/${whole}/projects?include_subgroups=true&with_shared=false&${list}`
  return [
    { ...base, key: 'group', path: group },
    parts.length === 1
      ? { ...base, key: 'user', path: `/users/${whole}/projects?${list}` }
      : { ...base, key: 'one', path: `/projects/${whole}?`, isOne: true },
  ]
}

function gitHubCandidates(origin: string, parts: readonly string[]): Candidate[] {
  const [owner = '', name] = parts
  if (parts.length > 2) throw invalid('url', 'name an owner or a repository')
  if (name !== undefined)
    return [{ key: 'one', base: origin, path: `/repos/${part(owner)}/${part(name)}?`, isOne: true }]
  const base = { base: origin, isOne: false }
  return [
    { ...base, key: 'org', path: `/orgs/${part(owner)}/repos?type=all&sort=full_name` },
    // Only this list has the private repositories of the token's own account.
    { ...base, key: 'own', path: '/user/repos?affiliation=owner&sort=full_name' },
    { ...base, key: 'user', path: `/users/${part(owner)}/repos?type=owner&sort=full_name` },
  ]
}

/** Gitea may be below a path, so the last part but one may belong to the base. */
function giteaCandidates(origin: string, parts: readonly string[]): Candidate[] {
  const last = parts.at(-1) ?? ''
  const owner = parts.at(-2)
  const baseOf = (used: number): string =>
    [origin, ...parts.slice(0, parts.length - used).map(part)].join('/')
  const list = { key: 'user', base: baseOf(1), path: `/users/${part(last)}/repos?`, isOne: false }
  return owner === undefined
    ? [list]
    : [
        { key: 'one', base: baseOf(2), path: `/repos/${part(owner)}/${part(last)}?`, isOne: true },
        list,
      ]
}

const CANDIDATES: Record<ForgeSource, (origin: string, parts: readonly string[]) => Candidate[]> = {
  gitea_api: giteaCandidates,
  github_api: gitHubCandidates,
  gitlab_api: gitLabCandidates,
}

/** Paths of repositories, as the forges write them. Others are left out. */
const FULL_NAME = /^[^\s/?#]{1,255}(?:\/[^\s/?#]{1,255}){1,20}$/

/** The address is made from the base, so that no answer leads the token to another host. */
function ownedRepo(source: ForgeSource, base: string, repo: Fields): OwnedRepo[] {
  const isGitLab = source === 'gitlab_api'
  const full_name = repo.text(isGitLab ? 'path_with_namespace' : 'full_name')
  const parts = full_name.split('/')
  // Half a surrogate pair is no text that an address can have.
  if (!FULL_NAME.test(full_name) || !full_name.isWellFormed()) return []
  if (parts.some((one) => one === '.' || one === '..')) return []
  return [
    {
      full_name,
      name: parts.at(-1) ?? '',
      url: [base, ...parts.map(part)].join('/'),
      description: repo.optional('description')?.slice(0, 350) ?? null,
      private: isGitLab ? repo.text('visibility') !== 'public' : repo.is('private'),
      archived: repo.is('archived'),
      fork: repo.is('fork') || repo.object('forked_from_project') !== null,
      empty: repo.is('empty') || repo.is('empty_repo'),
    },
  ]
}

function nextOf(source: ForgeSource, answer: ForgeAnswer, page: number): string | null {
  if (source === 'gitlab_api') return answer.header('x-next-page') || null
  if (source === 'github_api') return nextPageOf(answer.header('link'))
  return listOf(answer.body).length < PER_PAGE ? null : String(page + 1)
}

/** Whether the list of the token's own repositories is that of this owner. */
async function isOwnAccount(client: ForgeClient, owner: string): Promise<boolean> {
  const login = (await client.one('/user')).text('login')
  return login.toLowerCase() === owner.toLowerCase()
}

/** `cursor` is the `next` of the page before, `key.page`. */
const readCursor = (cursor: string | null): { key: string | null; page: number } => {
  if (cursor === null) return { key: null, page: 1 }
  const [, key = '', page = ''] = /^([a-z]{1,8})\.(\d{1,6})$/.exec(cursor) ?? []
  if (key === '') throw invalid('cursor', 'this is not a cursor that a list gave')
  return { key, page: Number(page) }
}

/**
 * Reads one page of what the token sees. An address that is a list on no reading throws the
 * refusal of the last one.
 */
export async function listOwnedRepos(
  hearth: Pick<Hearth, 'settings' | 'clock'>,
  address: ForgeAddress,
  cursor: string | null,
  signal: AbortSignal,
): Promise<Page<OwnedRepo>> {
  const { source, url, token } = address
  const { origin, parts } = partsOf(url)
  const { key, page } = readCursor(cursor)
  const all = CANDIDATES[source](origin, parts)
  const candidates = key === null ? all : all.filter((one) => one.key === key)
  let missing: unknown = invalid('cursor', 'this is not a cursor that a list gave')
  for (const candidate of candidates) {
    const client = forgeClient(hearth, { source, token }, candidate.base, signal)
    try {
      const isOwn = candidate.key === 'own'
      if (
        isOwn &&
        key === null &&
        (token === null || !(await isOwnAccount(client, parts[0] ?? '')))
      )
        continue
      const size = source === 'gitea_api' ? 'limit' : 'per_page'
      const answer = await client.get(`${candidate.path}&${size}=${PER_PAGE}&page=${page}`)
      const items = candidate.isOne ? [new Fields(answer.body)] : listOf(answer.body)
      const next = candidate.isOne ? null : nextOf(source, answer, page)
      return {
        items: items.flatMap((item) => ownedRepo(source, candidate.base, item)),
        next: next === null ? null : `${candidate.key}.${next}`,
        total: null,
      }
    } catch (error) {
      if (!(error instanceof ForgeError && error.isMissing)) throw error
      missing = error
    }
  }
  throw missing
}
