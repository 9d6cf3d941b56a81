// One thing of a workspace: its facts, what it is related to, and what is remembered about it.
import { ENTITY_KINDS, getEntity, type Entity, type Relation } from '#features/context/index.ts'
import { getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import {
  Badge,
  Breadcrumbs,
  Card,
  EmptyState,
  Facts,
  Icon,
  LinkButton,
  List,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import { page, type Visit } from '../../site.ts'
import { eventLine, stateWord } from '../../messages.ts'
import { t, texts } from '../../text.ts'
import { documentMarkdown } from '../code/readme.tsx'
import { MARKDOWN_FILE } from '../../markdown/addresses.ts'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
import { entityPath, KIND_ICONS, KIND_LABELS } from './search.tsx'
import {
  LongTextBody,
  loadLongText,
  loadPlainText,
  rawText,
  type LongText,
} from '../writing/long-text.tsx'
import { MARKDOWN_TRACKERS } from './ticket.tsx'

const RELATION_LABELS = texts({
  owns: 'Owner',
  contains: 'Belongs together',
  depends_on: 'Dependency',
  published_by: 'Published from',
  mentions: 'Mentioned',
  resolves: 'Resolves',
} as const)

const FIELD_LABELS: Readonly<Record<string, string>> = texts({
  state: 'State',
  status: 'Status',
  author: 'Author',
  owner: 'Owner',
  owners: 'Owners',
  labels: 'Labels',
  latest: 'Latest version',
  repositories: 'Repositories',
  repository: 'Repository',
  language: 'Language',
  checks: 'Checks',
  provider: 'Provider',
  reason: 'Reason',
  assignees: 'Assignees',
  agent: 'Agent',
  changed_files: 'Changed files',
  checks_status: 'Checks',
  blockers: 'What blocks the merge',
  workflow: 'Workflow',
  event: 'Event',
  error: 'Error',
  actor: 'Actor',
  memory_kind: 'Kind',
  pinned: 'Pinned',
  paths: 'Paths',
} as const)

/** Texts of their own; the rest of the fields are facts. */
const LONG_FIELDS = ['title', 'body', 'description', 'headings']
const MAX_FACT_CHARS = 300

function factText(value: unknown): string {
  if (Array.isArray(value))
    return value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const factsOf = ({ fields }: Entity) =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (value === null || LONG_FIELDS.includes(name)) return []
    const text = factText(value).slice(0, MAX_FACT_CHARS)
    return text === ''
      ? []
      : [{ label: FIELD_LABELS[name] ?? name.replaceAll('_', ' '), value: text }]
  })

/** The directory and the name of a document with the key `<owner>/<name>:<path>`. */
function documentOf({ kind, key, fields, repo }: Entity) {
  if (kind !== 'doc' || repo === null || typeof fields.commit !== 'string') return null
  const path = key.slice(key.indexOf(':') + 1)
  return { repo, ref: fields.commit, path, dir: path.split('/').slice(0, -1).join('/') }
}

/** The text of an entity; what is told about it where it has none. */
function textOf({ fields, summary }: Entity): string {
  const body = typeof fields.body === 'string' ? fields.body : ''
  return body === '' ? summary : body
}

/** What an entity says, rendered as where it was written. */
async function loadText(visit: Visit, entity: Entity): Promise<LongText> {
  const { body, provider } = entity.fields
  const text = textOf(entity)
  const document = documentOf(entity)
  // A summary, a memory, a file of source and some tickets are no Markdown.
  if (
    text !== body ||
    (provider !== undefined && !MARKDOWN_TRACKERS.includes(provider)) ||
    entity.kind === 'memory' ||
    (document !== null && !MARKDOWN_FILE.test(document.path))
  )
    return await loadPlainText(visit, text)
  if (document !== null) return await loadLongText(visit, text, documentMarkdown(visit, document))
  const link =
    entity.repo === null
      ? {}
      : { link: { siteUrl: visit.hearth.settings.site_url, repo: entity.repo } }
  return await loadLongText(visit, text, {
    page: visit.markdown,
    breaks: true,
    // An agent may have written it. An entity does not tell the kind of its author.
    isByAgent: entity.kind !== 'ticket',
    ...link,
  })
}

/** The pull request that resolves an issue is titled `#4, open`. */
const titleOf = ({ title }: Relation): string =>
  title.replace(
    /^(#\d+, )([a-z]+)$/,
    (_, number: string, state: string) => number + stateWord(state),
  )

const RelationRow = ({ of, slug }: { of: Relation; slug: string }) => (
  <Row
    mark={<Icon name={KIND_ICONS[of.kind]} />}
    title={<a href={entityPath(slug, of.kind, of.id)}>{titleOf(of)}</a>}
    meta={
      <>
        <Badge>{RELATION_LABELS[of.type]}</Badge>
        <span>{KIND_LABELS[of.kind]}</span>
      </>
    }
  />
)

const Remembered = ({ memories }: Pick<Entity, 'memories'>) =>
  memories.length === 0 ? null : (
    <Card title={t('Remembered')}>
      <ul>
        {memories.map(({ text }) => (
          <li>{text}</li>
        ))}
      </ul>
    </Card>
  )

const Recent = ({ recent, now }: Pick<Entity, 'recent'> & { now: number }) =>
  recent.length === 0 ? null : (
    <List label={t('Latest events')} head={<strong>{t('Latest events')}</strong>}>
      {recent.map(({ summary, time }) => (
        <Row title={eventLine(summary)} meta={<RelativeTime at={time} now={now} />} />
      ))}
    </List>
  )

const EntityView = ({
  visit,
  workspace,
  entity,
  text,
}: {
  visit: Visit
  workspace: Workspace
  entity: Entity
  text: LongText
}) => {
  const now = visit.hearth.clock.now()
  return (
    <WorkspaceFrame visit={visit} workspace={workspace} title={entity.title} current="context">
      <Breadcrumbs
        parts={[
          { label: t('Context'), href: workspacePath(workspace.slug, 'context') },
          { label: entity.key },
        ]}
      />
      <PageHead
        title={entity.title}
        lead={KIND_LABELS[entity.kind]}
        actions={
          entity.url === '' ? undefined : (
            <LinkButton href={entity.url} icon="external">
              {t('Open')}
            </LinkButton>
          )
        }
      />
      <Card title={t('Facts')}>
        <Facts
          facts={[{ label: t('Key'), value: <code>{entity.key}</code> }, ...factsOf(entity)]}
        />
        <LongTextBody visit={visit} text={text} />
      </Card>
      {entity.relations.length === 0 ? (
        <EmptyState icon="link" title={t('Nothing is related to it yet')}>
          {t('Mentions, code owners, projects and packages connect it with others.')}
        </EmptyState>
      ) : (
        <List label={t('Related')} head={<strong>{t('Related')}</strong>}>
          {entity.relations.map((one) => (
            <RelationRow of={one} slug={workspace.slug} />
          ))}
        </List>
      )}
      <Remembered memories={entity.memories} />
      <Recent recent={entity.recent} now={now} />
    </WorkspaceFrame>
  )
}

export const entityPage = page({
  path: '/:workspace/-/context/entity',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: visit.params.workspace ?? '' })
    const { searchParams } = visit.url
    const kind = ENTITY_KINDS.find((one) => one === searchParams.get('kind'))
    const id = (searchParams.get('id') ?? '').slice(0, 500)
    if (kind === undefined || id === '') return null
    const entity = await visit.call(getEntity, { workspace: workspace.slug, kind, id })
    const typed = rawText(visit, textOf(entity))
    return typed ?? { workspace, entity, text: await loadText(visit, entity) }
  },
  view: (shown, visit) => <EntityView visit={visit} {...shown} />,
})
