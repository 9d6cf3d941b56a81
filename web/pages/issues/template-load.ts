// Finds the templates and the guidelines of a repository on its default branch.
import { getFile, getTree, type Repo } from '#features/repos/index.ts'
import { codePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { parseConfig, parseTemplate, type IssueTemplate, type TemplateConfig } from './templates.ts'

/** Directories for files about contributing, in the order in which they are searched. */
const PLACES = ['.hearth', '.github', 'docs'] as const
const MAX_TEMPLATES = 20
const MAX_ENTRIES = 200

type Listing = { path: string; files: readonly string[]; directories: readonly string[] }

async function listDirectory(visit: Visit, repo: string, path: string): Promise<Listing> {
  const entries = await visit.tryCall(getTree, { repo, ref: 'HEAD', path, per_page: MAX_ENTRIES })
  const named = (kind: string) =>
    (entries?.items ?? []).filter((entry) => entry.type === kind).map(({ name }) => name)
  return { path, files: named('file'), directories: named('dir') }
}

/** The root and those of the places that exist. */
async function listPlaces(visit: Visit, repo: Repo): Promise<Listing[]> {
  if (repo.empty) return []
  const root = await listDirectory(visit, repo.full_name, '')
  const places = PLACES.filter((place) => root.directories.includes(place))
  return [
    ...(await Promise.all(places.map((place) => listDirectory(visit, repo.full_name, place)))),
    root,
  ]
}

const join = (directory: string, name: string): string =>
  directory === '' ? name : `${directory}/${name}`

async function readText(visit: Visit, repo: string, path: string): Promise<string | null> {
  const file = await visit.tryCall(getFile, { repo, ref: 'HEAD', path })
  return file !== null && file.encoding === 'utf-8' && !file.truncated ? file.content : null
}

/** The address of the first file with one of these names. */
function findGuide(repo: Repo, places: readonly Listing[], name: RegExp): string | null {
  for (const { path, files } of places) {
    const found = files.find((file) => name.test(file))
    if (found !== undefined)
      return codePath(repo.full_name, 'blob', repo.default_branch, join(path, found))
  }
  return null
}

export type Guides = { contributing: string | null; security: string | null }

const guidesOf = (repo: Repo, places: readonly Listing[]): Guides => ({
  contributing: findGuide(repo, places, /^contributing(\.\w+)?$/i),
  security: findGuide(repo, places, /^security(\.\w+)?$/i),
})

export type IssueTemplates = {
  templates: readonly IssueTemplate[]
  config: TemplateConfig
  guides: Guides
}

/** The first place with a directory of templates has them all. */
export async function loadIssueTemplates(visit: Visit, repo: Repo): Promise<IssueTemplates> {
  const places = await listPlaces(visit, repo)
  const place = places.find(({ directories }) =>
    directories.some((name) => name.toLowerCase() === 'issue_template'),
  )
  const guides = guidesOf(repo, places)
  const directory = place?.directories.find((name) => name.toLowerCase() === 'issue_template')
  if (place === undefined || directory === undefined)
    return { templates: [], config: parseConfig(null), guides }
  const { path, files } = await listDirectory(visit, repo.full_name, join(place.path, directory))
  const config = files.find((file) => /^config\.ya?ml$/i.test(file))
  const names = files
    .filter((file) => file !== config && /\.(md|ya?ml)$/i.test(file))
    .slice(0, MAX_TEMPLATES)
  const texts = await Promise.all(
    names.map((name) => readText(visit, repo.full_name, join(path, name))),
  )
  return {
    guides,
    config: parseConfig(
      config === undefined ? null : await readText(visit, repo.full_name, join(path, config)),
    ),
    templates: names.flatMap((name, at) => (texts[at] && parseTemplate(name, texts[at])) || []),
  }
}

/** The text that new pull requests begin with, and the guidelines. */
export async function loadPullTemplate(
  visit: Visit,
  repo: Repo,
): Promise<{ body: string; guides: Guides }> {
  const places = await listPlaces(visit, repo)
  const guides = guidesOf(repo, places)
  for (const { path, files } of places) {
    const found = files.find((file) => /^pull_request_template\.(md|txt)$/i.test(file))
    const text = found && (await readText(visit, repo.full_name, join(path, found)))
    if (text) return { body: text.slice(0, 60_000), guides }
  }
  return { body: '', guides }
}

export type SecurityPolicy = { readonly path: string; readonly text: string }

/** The security policy of a repository, its SECURITY.md; null without one. */
export async function loadSecurityPolicy(visit: Visit, repo: Repo): Promise<SecurityPolicy | null> {
  for (const { path, files } of await listPlaces(visit, repo)) {
    const name = files.find((file) => /^security\.md$/i.test(file))
    const text = name && (await readText(visit, repo.full_name, join(path, name)))
    if (name && text) return { path: join(path, name), text: text.slice(0, 60_000) }
  }
  return null
}
