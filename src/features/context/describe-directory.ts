/** Describes projects, repositories, packages, dependencies, people and teams. */
import { listPackages, getPackage, parsePackageType } from '#features/packages/index.ts'
import { listPulls } from '#features/pulls/index.ts'
import { getRepo, listCodeOwners } from '#features/repos/index.ts'
import { getTeam, listTeamMembers } from '#features/teams/index.ts'
import { contextUrl, findOwners, findProjects, foundPackage } from './find-directory.ts'
import { findDependencies } from './find-texts.ts'
import { eventsOf, relation, type Described } from './entity.ts'
import { isTypeId } from '#core/ids.ts'
import { repoNameOf } from './repo-names.ts'
import { fullNameIn, readsDirectory, tryCall, type Place } from './place.ts'
import { queryWords } from './words.ts'
import { Refusal } from '#lib/errors.ts'

const MAX_LISTED = 20
const MAX_OWNER_REPOS = 20
const MAX_OWNED_PATHS = 30

const ownerKey = (owner: string): string => owner.replace(/^@/, '')

export async function describeProject(place: Place, id: string): Promise<Described | null> {
  const project = place.projects.find(
    ({ slug, id: own }) => slug === id.toLowerCase() || own === id,
  )
  if (!project) return null
  const [found] = findProjects({ ...place, repo: null, project }, queryWords(project.slug))
  if (!found) return null
  return {
    found,
    fields: {
      name: project.name,
      description: project.description,
      repositories: project.repositories,
      packages: project.packages,
      owner: project.owner,
    },
    relations: [
      relation('owns', 'owner', project.owner, project.owner),
      ...project.repositories.map((name) => relation('contains', 'repo', name, name)),
    ],
    recent: await eventsOf(place, project.repositories),
  }
}

export async function describeRepo(place: Place, id: string): Promise<Described | null> {
  const name = isTypeId(id, 'rep') ? repoNameOf(place, id) : namedIn(place, id)
  const repo = name === null ? null : await tryCall(place, getRepo, { repo: name })
  if (!repo) return null
  const rules = (await tryCall(place, listCodeOwners, { repo: repo.full_name }))?.rules ?? []
  const owners = [...new Set(rules.flatMap((rule) => rule.owners.map(ownerKey)))]
  const packages = await tryCall(place, listPackages, {
    workspace: place.workspace.slug,
    repo: repo.full_name,
    per_page: MAX_LISTED,
  })
  const projects = place.projects.filter(({ repositories }) =>
    repositories.includes(repo.full_name),
  )
  return {
    found: {
      kind: 'repo',
      id: repo.id,
      key: repo.full_name,
      title: repo.name,
      summary: repo.description ?? '',
      url: repo.html_url,
      repo: repo.full_name,
      updated_at: repo.updated_at,
    },
    fields: {
      description: repo.description,
      default_branch: repo.default_branch,
      language: repo.language,
      topics: repo.topics,
      owners,
      open_issues: repo.open_issues_count,
      open_pulls: repo.open_pulls_count,
    },
    relations: [
      ...owners.slice(0, MAX_LISTED).map((owner) => relation('owns', 'owner', owner, owner)),
      ...projects.map(({ slug, name }) => relation('contains', 'project', slug, name)),
      ...(packages?.items ?? []).map((item) =>
        relation('published_by', 'package', `${item.package_type}:${item.name}`, item.name),
      ),
    ],
  }
}

function namedIn(place: Place, id: string): string | null {
  try {
    return fullNameIn(place.workspace.slug, id)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** `<type>:<name>`, split. */
function typedName(id: string): { type: string; name: string } | null {
  const colon = id.indexOf(':')
  return colon < 1 ? null : { type: id.slice(0, colon), name: id.slice(colon + 1) }
}

export async function describePackage(place: Place, id: string): Promise<Described | null> {
  const named = typedName(id)
  const package_type = named && parsePackageType(named.type)
  const item =
    named && package_type
      ? await tryCall(place, getPackage, {
          workspace: place.workspace.slug,
          package_type,
          package_name: named.name,
        })
      : null
  if (!item || item.deleted_at !== null) return null
  const found = foundPackage(item)
  const { repo } = found
  const uses = await findDependencies({ ...place, repo: null }, queryWords(item.name))
  const users = reposUsing(uses, found.key)
  return {
    found,
    fields: {
      latest: item.latest,
      repository: repo,
      visibility: item.visibility,
      downloads: item.download_count,
      used_by: users,
    },
    relations: [
      ...(repo === null ? [] : [relation('published_by', 'repo', repo, repo)]),
      ...users.map((name) => relation('depends_on', 'repo', name, name)),
    ],
    ...(repo === null ? { recent: [] } : {}),
  }
}

const reposUsing = (
  found: readonly { key: string; repo: string | null }[],
  key: string,
): string[] => [...new Set(found.flatMap((one) => (one.key === key && one.repo ? [one.repo] : [])))]

export async function describeDependency(place: Place, id: string): Promise<Described | null> {
  const named = typedName(id)
  const all = named === null ? [] : await findDependencies(place, queryWords(named.name))
  const uses = all.filter(({ key }) => key === id)
  const [first] = uses
  if (!first || !named) return null
  const repos = reposUsing(uses, id)
  return {
    found: { ...first, repo: null, url: contextUrl(place, 'dependency', id) },
    fields: {
      name: named.name,
      type: named.type,
      versions: uses.map(({ summary }) => summary),
      repositories: repos,
    },
    relations: repos.map((name) => relation('depends_on', 'repo', name, name)),
    recent: [],
  }
}

/** The paths of repositories that the rules of their code owners give to somebody. */
async function pathsOwned(place: Place, owner: string) {
  const paths: { repo: string; pattern: string }[] = []
  for (const { full_name } of place.repos.slice(0, MAX_OWNER_REPOS)) {
    const rules = (await tryCall(place, listCodeOwners, { repo: full_name }))?.rules ?? []
    for (const { pattern, owners } of rules)
      if (owners.some((one) => ownerKey(one).toLowerCase() === owner))
        paths.push({ repo: full_name, pattern })
  }
  return paths.slice(0, MAX_OWNED_PATHS)
}

async function reviewsOf(place: Place, owner: string) {
  const pulls = []
  for (const { full_name } of place.repos.slice(0, MAX_OWNER_REPOS)) {
    const input = { repo: full_name, review_requested: owner, per_page: MAX_LISTED }
    pulls.push(...((await tryCall(place, listPulls, input))?.items ?? []))
  }
  return pulls.slice(0, MAX_LISTED)
}

export async function describeOwner(place: Place, id: string): Promise<Described | null> {
  const key = ownerKey(id).toLowerCase()
  const whole = { ...place, repo: null, project: null }
  const all = await findOwners(whole, queryWords(key.split('/').at(-1) ?? key))
  const found = all.find((one) => one.key.toLowerCase() === key)
  if (!found) return null
  const [workspace, slug] = key.split('/')
  const directory = { ...place, caller: readsDirectory(place.caller) }
  const isTeam = workspace !== undefined && slug !== undefined
  const team = isTeam ? await tryCall(directory, getTeam, { workspace, team: slug }) : null
  const members = isTeam
    ? await tryCall(directory, listTeamMembers, { workspace, team: slug, per_page: MAX_LISTED })
    : null
  const owned = await pathsOwned(place, key)
  const reviews = await reviewsOf(place, key)
  const projects = place.projects.filter(({ owner }) => owner === key)
  return {
    found,
    fields: {
      name: found.title,
      kind: isTeam ? 'team' : 'person',
      ...(team ? { members: (members?.items ?? []).map(({ user }) => user.username) } : {}),
      projects: projects.map((project) => project.slug),
      paths_owned: owned.map(({ repo, pattern }) => `${repo}:${pattern}`),
      open_reviews: reviews.length,
    },
    relations: [
      ...projects.map((project) => relation('owns', 'project', project.slug, project.name)),
      ...[...new Set(owned.map(({ repo }) => repo))].map((name) =>
        relation('owns', 'repo', name, name),
      ),
      ...reviews.map((pull) =>
        relation('mentions', 'pull', `${pull.repo}#${pull.number}`, pull.title),
      ),
    ],
    recent: [],
  }
}
