/** Finds projects, people, teams, repositories and packages by words of their names. */
import { listPackages, type Package } from '#features/packages/index.ts'
import { listTeams } from '#features/teams/index.ts'
import { listMembers } from '#features/workspaces/index.ts'
import type { Found } from './found.ts'
import { readsDirectory, tryCall, type Place } from './place.ts'
import { fitOf, longestOf, type Texts } from './words.ts'

const MAX_LISTED = 100
/** Package lists are narrowed by one word each. */
const MAX_QUERIES = 3

const hasWord = (words: readonly string[], texts: Texts): boolean => fitOf(words, texts) > 0

const siteOf = ({ hearth }: Place): string => hearth.settings.site_url

export const findProjects = (place: Place, words: readonly string[]): Found[] =>
  place.projects
    .filter(
      ({ slug, repositories }) =>
        (place.project === null || place.project.slug === slug) &&
        (place.repo === null || repositories.includes(place.repo)),
    )
    .map((project) => ({
      kind: 'project' as const,
      id: project.id,
      key: project.slug,
      title: project.name,
      summary: project.description,
      url: contextUrl(place, 'project', project.slug),
      repo: null,
      project: project.slug,
      updated_at: project.updated_at,
    }))
    .filter((found) => hasWord(words, found))

/** The page of an entity. */
export const contextUrl = (place: Place, kind: string, key: string): string =>
  `${siteOf(place)}/${place.workspace.slug}/-/context/entity?kind=${kind}&id=${encodeURIComponent(key)}`

export const findRepos = ({ repos }: Place, words: readonly string[]): Found[] =>
  repos
    .map((repo) => ({
      kind: 'repo' as const,
      id: repo.id,
      key: repo.full_name,
      title: repo.name,
      summary: [repo.description ?? '', ...repo.topics].join(' ').trim(),
      url: repo.html_url,
      repo: repo.full_name,
      updated_at: repo.updated_at,
    }))
    .filter((found) => hasWord(words, found))

export const foundPackage = (item: Package): Found => ({
  kind: 'package',
  id: item.id,
  key: `${item.package_type}:${item.name}`,
  title: item.name,
  summary: [item.description ?? '', item.latest ?? ''].join(' ').trim(),
  url: item.html_url,
  repo: item.repository?.full_name ?? null,
  updated_at: item.updated_at,
})

export async function findPackages(place: Place, words: readonly string[]): Promise<Found[]> {
  const longest = longestOf(words, MAX_QUERIES)
  const found = new Map<string, Found>()
  for (const q of longest) {
    const answer = await tryCall(place, listPackages, {
      workspace: place.workspace.slug,
      q,
      per_page: MAX_LISTED,
      ...(place.repo === null ? {} : { repo: place.repo }),
    })
    for (const item of answer?.items ?? []) {
      const repo = item.repository?.full_name ?? null
      if (place.project !== null && (repo === null || !place.project.repositories.includes(repo)))
        continue
      found.set(item.id, foundPackage(item))
    }
  }
  return [...found.values()]
}

/** People and teams of the workspace. They belong to no repository and to no project. */
export async function findOwners(place: Place, words: readonly string[]): Promise<Found[]> {
  if (place.repo !== null || place.project !== null) return []
  const directory = { ...place, caller: readsDirectory(place.caller) }
  const input = { workspace: place.workspace.slug, per_page: MAX_LISTED }
  const people = await tryCall(directory, listMembers, input)
  const teams = await tryCall(directory, listTeams, input)
  return [
    ...(people?.items ?? []).map(({ user, role, joined_at }) => ({
      kind: 'owner' as const,
      id: user.id,
      key: user.username,
      title: user.name ?? user.username,
      summary: role,
      url: `${siteOf(place)}/${user.username}`,
      repo: null,
      updated_at: joined_at,
    })),
    ...(teams?.items ?? []).map((team) => ({
      kind: 'owner' as const,
      id: team.id,
      key: `${team.workspace}/${team.slug}`,
      title: team.name,
      summary: team.description,
      url: `${siteOf(place)}/${team.workspace}/-/teams/${team.slug}`,
      repo: null,
      updated_at: team.updated_at,
    })),
  ].filter((found) => hasWord(words, { ...found, key: found.key.split('/').at(-1) ?? '' }))
}
