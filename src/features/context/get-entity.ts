import { readsWorkspace } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { isValid, OneOf, Type, WorkspaceSlug } from '#core/schema.ts'
import { invalid, notFound } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import {
  describeDependency,
  describeOwner,
  describePackage,
  describeProject,
  describeRepo,
} from './describe-directory.ts'
import {
  describeDoc,
  describeIssue,
  describeMemory,
  describePull,
  describeRun,
  describeTicket,
} from './describe-records.ts'
import { eventsOf, memoriesAbout, type Described } from './entity.ts'
import { itemOf } from './found.ts'
import { placeOf, type Place } from './place.ts'
import {
  Entity,
  ENTITY_KINDS,
  MAX_ENTITY_EVENTS,
  MAX_RELATIONS,
  type EntityKind,
} from './schema.ts'

type Describe = (place: Place, id: string) => Promise<Described | null>

const DESCRIBE: Readonly<Record<EntityKind, Describe>> = {
  project: describeProject,
  repo: describeRepo,
  package: describePackage,
  dependency: describeDependency,
  owner: describeOwner,
  issue: describeIssue,
  pull: describePull,
  memory: describeMemory,
  doc: describeDoc,
  run: describeRun,
  ticket: describeTicket,
}

/** Kinds whose keys begin with the repository. */
const IN_REPO: readonly EntityKind[] = ['issue', 'pull', 'doc']

/** `12`, `#12` and paths are of the repository that the call names. */
function keyOf(kind: EntityKind, id: string, repo: string | null): string {
  if (repo === null || !IN_REPO.includes(kind)) return id
  if (kind === 'doc')
    return id.toLowerCase().startsWith(`${repo.toLowerCase()}:`) ? id : `${repo}:${id}`
  return /^#?\d{1,9}$/.test(id) ? `${repo}#${id.replace('#', '')}` : id
}

/** A key of another workspace names nothing of this one. */
const isOfWorkspace = (kind: EntityKind, key: string, slug: string): boolean =>
  !IN_REPO.includes(kind) || key.toLowerCase().startsWith(`${slug}/`)

export const getEntity = operation({
  name: 'get_entity',
  summary:
    'Read one thing of a workspace by kind and key (a project slug, npm:<name>, a username, <owner>/<name>#<n>, <owner>/<name>:<path>): its fields, what it is related to, what is remembered about it and what happened last. For members; what you cannot read is left out.',
  keywords: ['related to', 'who owns this', 'what uses this package', 'about a project'],
  route: 'GET /workspaces/{workspace}/context/{kind}/{id}',
  toolset: 'code',
  access: readsWorkspace({ scope: 'memory:read' }),
  input: Type.Object({
    workspace: WorkspaceSlug,
    kind: OneOf(ENTITY_KINDS),
    id: Type.String({ minLength: 1, maxLength: 500, description: 'An id or a key.' }),
    repo: Type.Optional(
      Type.String({ maxLength: 160, description: 'The repository that numbers and paths are of.' }),
    ),
  }),
  output: Entity,
  annotations: { openWorld: true },
  untrusted: ({ trusted, fields, relations, recent }) => [
    ...(trusted ? [] : ['/title', '/summary']),
    ...(trusted
      ? []
      : Object.keys(fields).flatMap((name) =>
          isValid(Type.String(), fields[name]) ? [`/fields/${name}`] : [],
        )),
    // Titles of other records, whose authors are not looked up.
    ...relations.flatMap(({ kind }, at) =>
      kind === 'issue' || kind === 'pull' ? [`/relations/${at}/title`] : [],
    ),
    ...recent.map((_, at) => `/recent/${at}/summary`),
  ],

  handler: async ({ hearth, caller, workspace, now_ms }, { kind, id, repo }) => {
    if (id.includes('\0')) throw invalid('id', 'id has a character that no key has')
    const place = await placeOf({ hearth, caller, workspace, now_ms }, { repo })
    const key = keyOf(kind, id, place.repo)
    const described = isOfWorkspace(kind, key, workspace.slug)
      ? await DESCRIBE[kind](place, key)
      : null
    if (described === null) throw notFound(`the ${kind} ${id}`)
    const { found, fields, relations } = described
    const { citation: _, score: __, updated_at: ___, ...shared } = itemOf(place, [], found)
    const recent =
      described.recent ?? (found.repo === null ? [] : await eventsOf(place, [found.repo]))
    return {
      ...shared,
      fields: { ...fields },
      relations: relations.slice(0, MAX_RELATIONS),
      memories: await memoriesAbout(place, described),
      recent: recent
        .slice(0, MAX_ENTITY_EVENTS)
        .map(({ id: event, type, time, summary }) => ({ id: event, type, time, summary })),
      fetched_at: timestamp(now_ms),
    }
  },
})
