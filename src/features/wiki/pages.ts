/** Reading pages from the wiki's git repository. */
import { encodePath } from '#lib/percent-encoding.ts'
import type { RepoGrant } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { commitPersonLookup, titleOf } from '#features/repos/index.ts'
import type { Commit, Oid, TreeEntry } from '#git'
import { notFound } from '#lib/errors.ts'
import { slugKey, slugOfPath, titleOfSlug } from './names.ts'
import {
  MAX_PAGE_LENGTH,
  type WikiPage,
  type WikiPageSummary,
  type WikiRevision,
} from './schema.ts'
import type { Wiki } from './wiki.ts'

type PageReader = Pick<Hearth, 'git' | 'services'>

/** Further files of a wiki are in git only. */
const MAX_PAGES = 5000

export type PageFile = { readonly slug: string; readonly entry: TreeEntry }

/** The pages of one commit. */
export class PageList {
  readonly #bySlug: ReadonlyMap<string, PageFile>
  /** The first page of each spelling (`slugKey`). */
  readonly #byKey: ReadonlyMap<string, PageFile>

  /** `files` are in the order of their slugs. */
  constructor(readonly files: readonly PageFile[]) {
    this.#bySlug = new Map(files.map((page) => [page.slug, page]))
    // Reversed, so that the first of several stays in the map.
    this.#byKey = new Map(files.toReversed().map((page) => [slugKey(page.slug), page]))
  }

  /** The page of a slug: the same spelling, else one that differs in case, spaces or hyphens. */
  find(slug: string): PageFile | null {
    return this.#bySlug.get(slug) ?? this.#byKey.get(slugKey(slug)) ?? null
  }
}

const NO_PAGES = new PageList([])

/** The pages of a commit, which never change. Every page of the site lists them. */
const pageLists = cache<PageList>('wiki_pages', {
  maxSize: 16 * 1024 ** 2,
  sizeOf: ({ files }) => files.reduce((size, { slug }) => size + 8 * slug.length + 500, 100),
})

/** The last change of a file at a commit, which never changes either. */
const lastChanges = cache<Commit>('wiki_changes', {
  maxSize: 2 * 1024 ** 2,
  sizeOf: ({ message }) => 2 * message.length + 500,
})

/** The pages of a commit. */
export async function listPages(
  hearth: PageReader,
  store: string,
  commit: Oid | null,
  { sizes = false }: { sizes?: boolean } = {},
): Promise<PageList> {
  if (commit === null) return NO_PAGES
  const known = pageLists(hearth).get(`${commit} ${sizes}`)
  if (known) return known
  const pages = new PageList(await readPageFiles(hearth, store, commit, sizes))
  pageLists(hearth).set(`${commit} ${sizes}`, pages)
  return pages
}

async function readPageFiles(
  { git }: PageReader,
  store: string,
  commit: Oid,
  sizes: boolean,
): Promise<PageFile[]> {
  const entries = (await git.listTree(store, commit, '', { recursive: true, sizes })) ?? []
  const pages: PageFile[] = []
  for (const entry of entries) {
    const slug = entry.type === 'file' ? slugOfPath(entry.path) : null
    if (slug !== null && pages.length < MAX_PAGES) pages.push({ slug, entry })
  }
  return pages
}

export const wikiUrl = (
  { settings }: Pick<Hearth, 'settings'>,
  repo: Pick<RepoGrant, 'full_name'>,
  slug: string,
  revision?: Oid,
): string =>
  `${settings.site_url}/${repo.full_name}/wiki/${encodePath(slug)}${revision === undefined ? '' : `?revision=${revision}`}`

export const pageSummary = (
  hearth: Hearth,
  repo: RepoGrant,
  { slug, entry }: PageFile,
): WikiPageSummary => ({
  slug,
  title: titleOfSlug(slug),
  size_in_bytes: entry.size ?? 0,
  html_url: wikiUrl(hearth, repo, slug),
})

/** The last commit that changed a file. */
export async function lastChange(
  hearth: PageReader,
  store: string,
  tip: Oid,
  path: string,
): Promise<Commit> {
  const known = lastChanges(hearth).get(`${tip} ${path}`)
  if (known) return known
  const [commit] = await hearth.git.log(store, { tips: [tip], path, limit: 1 })
  if (!commit) throw notFound('the page')
  lastChanges(hearth).set(`${tip} ${path}`, commit)
  return commit
}

/** Reads a page at a commit. Throws 404 when there is none. */
export async function readPage(
  hearth: Hearth,
  repo: RepoGrant,
  { store }: Wiki,
  commit: Oid | null,
  slug: string,
): Promise<WikiPage> {
  const found = (await listPages(hearth, store, commit)).find(slug)
  if (commit === null || found === null) throw notFound(`the page ${slug.slice(0, 200)}`)
  const [blob, change] = await Promise.all([
    hearth.git.readBlob(store, found.entry.oid, MAX_PAGE_LENGTH),
    lastChange(hearth, store, commit, found.entry.path),
  ])
  if (!blob) throw notFound(`the page ${slug.slice(0, 200)}`)
  return {
    slug: found.slug,
    title: titleOfSlug(found.slug),
    body: new TextDecoder().decode(blob.data),
    truncated: blob.size > blob.data.length,
    revision: change.oid,
    author: commitPersonLookup(hearth)(change.author),
    message: titleOf(change.message),
    html_url: wikiUrl(hearth, repo, found.slug),
    git_url: `${hearth.settings.site_url}/${repo.full_name}.wiki.git`,
  }
}

export function revisionRecords(
  hearth: Hearth,
  repo: RepoGrant,
  slug: string,
  commits: readonly Commit[],
): WikiRevision[] {
  const person = commitPersonLookup(hearth)
  return commits.map(({ oid, message, author }) => ({
    revision: oid,
    message: titleOf(message),
    author: person(author),
    html_url: wikiUrl(hearth, repo, slug, oid),
  }))
}

/**
 * The commit of a revision: an id or a unique prefix. Throws 404 for one that the wiki does not
 * reach, because its store also holds the objects of the repository.
 */
export async function resolveRevision(
  { git }: Pick<Hearth, 'git'>,
  { store, head }: Wiki,
  revision: string,
): Promise<Oid> {
  const text = revision.toLowerCase()
  const oid = !/^[0-9a-f]{4,64}$/.test(text)
    ? null
    : text.length < 40
      ? await git.expandPrefix(store, text)
      : text
  if (oid === null || head === null || !(await git.isReachable(store, oid, [head])))
    throw notFound(`the revision ${revision.slice(0, 64)}`)
  return oid
}
